"""An article's features: computed and frozen at its arrival, and read back as the arrays that models take.

Features are stored as bytes; a batch of stored articles becomes columns at once, without an object for each article.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Extractor
from extractors.stream.fixed_forms import simhash_of
from extractors.stream.near_duplicates import Stories
from extractors.text.meaning import Encoder, encoder_name
from extractors.text.pairs import Pairs
from extractors.text.terms import TermBatch
from iscore.feeds.urls import page_key
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.serialization import StateError, pack, unpack
from storage.records.articles import Article, Features, IngestedArticle
from storage.records.users import Snapshot


class StreamFeatures:
    """Computes document and stream features, and finds stories, from where ``snapshot`` was taken."""

    def __init__(self, make_extractors: Callable[[], Mapping[str, Extractor]], snapshot: Snapshot | None) -> None:
        self._encoder = Encoder.installed()
        self._features = ArticleFeatures(make_extractors(), self._encoder)
        self._stories = Stories()
        self.sequence: int = 0 if snapshot is None else snapshot.sequence
        """``seq`` of the last article in the state."""
        if snapshot is not None:
            try:
                state = unpack(snapshot.state)
                self._features.restore(state["features"])
                self._stories.restore(state["stories"])
            except (StateError, KeyError):
                # Damaged: novelty and rarity start again, and what was stored does not change.
                self._features = ArticleFeatures(make_extractors(), self._encoder)
                self._stories = Stories()

    @property
    def failures(self) -> Mapping[str, str]:
        """Why extractors failed, by name."""
        return self._features.failures.reasons

    def analyse(self, articles: Sequence[Article]) -> list[Features]:
        """Compute the features of the next articles of the stream, and add the articles to its state."""
        rows = []
        for article, frozen in zip(articles, self._features.analyse_many(articles), strict=True):
            page = page_key(article.url)
            story, simhash = self._stories.place(
                article.seq, article, frozen.terms, page, article.feed_id, article.arrived
            )
            rows.append(_row(article.seq, story, simhash, frozen))
        self.sequence = articles[-1].seq
        return rows

    def analyse_apart(self, documents: Sequence[Article]) -> list[Features]:
        """Compute the features of documents outside the stream; they are in no story (0)."""
        return [
            _row(document.seq, 0, _simhash(frozen), frozen)
            for document, frozen in zip(documents, self._features.analyse_many(documents, apart=True), strict=True)
        ]

    def meanings(self, articles: Sequence[Article]) -> list[tuple[int, str, bytes]]:
        """Return article, encoder and meaning of each; empty without an encoder that works."""
        found = self._features.meanings(articles)
        if found is None:
            return []
        return [(each.seq, encoder_name(), meaning.tobytes()) for each, meaning in zip(articles, found, strict=True)]

    def words_again(self, articles: Sequence[Article]) -> list[tuple[int, bytes, bytes]]:
        """Return number, terms and pairs of articles that were measured before, as this version makes them.

        Those that are in a story become part of the stream's frequencies; they have to come in order of arrival.
        """
        rows: list[tuple[int, bytes, bytes]] = []
        for of_stream, group in groupby(articles, lambda article: bool(article.story)):
            documents = list(group)
            words = self._features.words_of(documents, apart=not of_stream)
            rows += [
                (article.seq, terms.to_bytes(), pairs.astype("<i4").tobytes())
                for article, (terms, pairs) in zip(documents, words, strict=True)
            ]
        return rows

    def packed(self) -> bytes:
        """Return the state, for a snapshot."""
        return pack({"features": self._features.state(), "stories": self._stories.state()})


def _simhash(frozen: AnalysedArticle) -> int:
    words = frozen.terms.words
    return int(simhash_of(words.ids, words.counts))


def _row(seq: int, story: int, simhash: int, frozen: AnalysedArticle) -> Features:
    return Features(
        seq=seq,
        story=story,
        simhash=simhash,
        names=frozen.names,
        values=frozen.values.astype("<f8").tobytes(),
        terms=frozen.terms.to_bytes(),
        pairs=frozen.pairs.astype("<i4").tobytes(),
        meaning=b"" if frozen.terms.meaning is None else frozen.terms.meaning.tobytes(),
        encoder=encoder_name(),
    )


Floats = npt.NDArray[np.float64]


def analysed_article(article: IngestedArticle, names: Sequence[str]) -> AnalysedArticle:
    """Return an article with its features in the order of ``names``; missing where it was stored without them."""
    return analysed_batch([article], names)[0]


def analysed_batch(articles: Sequence[IngestedArticle], names: Sequence[str]) -> AnalysedBatch:
    """Return the same for many articles."""
    return AnalysedBatch(
        articles,
        TermBatch.from_bytes([article.terms for article in articles]),
        Pairs.from_bytes([article.pairs for article in articles]),
        tuple(names),
        _laid_out(articles, tuple(names)),
    )


def _laid_out(articles: Sequence[IngestedArticle], names: tuple[str, ...]) -> Floats:
    """Return the stored values in the order of ``names``; shape (articles, names)."""
    values = np.full((len(articles), len(names)), np.nan)
    together: dict[tuple[str, ...], list[int]] = {}
    for row, article in enumerate(articles):
        together.setdefault(article.names, []).append(row)
    for stored, rows in together.items():
        data = b"".join([articles[row].values for row in rows])
        block = np.frombuffer(data, dtype="<f8").reshape(len(rows), len(stored))
        columns = [place for place, name in enumerate(names) if name in stored]
        values[np.ix_(rows, columns)] = block[:, [stored.index(names[place]) for place in columns]]
    return values
