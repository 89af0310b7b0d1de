"""Runs the extractors over an article: from text to numbers, each scope at its own time.

``ArticleFeatures`` belongs to the stream of articles: it computes document and stream features once, when articles
arrive, and freezes them. ``ReaderFeatures`` belongs to one person: it computes what their verdicts make of articles.

An extractor that fails costs its own features only (``isolation.py``); ``failures`` names it and the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import DocumentExtractor, Extractor, ReaderExtractor, StreamExtractor, Verdicts
from extractors.text.analysis import analyse_many, chunks
from extractors.text.frequencies import Frequencies
from iscore.filtering.features.fault_isolation import (
    Failures,
    document_values,
    followed_values,
    kept_state,
    missing_values,
    reader_values,
    restored,
    stream_values,
    taught,
)
from iscore.filtering.serialization import StateError

Floats = npt.NDArray[np.float64]


class ArticleFeatures:
    """Document and stream scope: the same for every reader, computed once per article in order of arrival.

    Parameters
    ----------
    extractors
        By registered name, in the order in which their features stand in the vector; reader scope is left out.
    """

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._document = [e for e in extractors.values() if isinstance(e, DocumentExtractor)]
        self._stream = {n: e for n, e in extractors.items() if isinstance(e, StreamExtractor)}
        self._lost: set[str] = set()
        self._frequencies = Frequencies()
        self.failures = Failures(extractors)
        self.names = _names([*self._document, *self._stream.values()])

    def analyse(self, document: Document) -> AnalysedArticle:
        """Compute the article's frozen features, and let it join the past of those that follow."""
        return self.analyse_many([document])[0]

    def analyse_many(self, documents: Sequence[Document]) -> list[AnalysedArticle]:
        """Freeze articles one after the other; the same as ``analyse`` of each, many times faster."""
        return [article for chunk in chunks(documents) for article in self._analyse(chunk)]

    def state(self) -> dict[str, Any]:
        """Return everything remembered of the stream."""
        states = {name: kept_state(e, self.failures) for name, e in self._stream.items() if name not in self._lost}
        return {
            "frequencies": self._frequencies.state(),
            "extractors": {name: state for name, state in states.items() if state is not None},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken.

        An extractor that ``state`` does not know starts afresh. One that cannot take its part is missing from now on,
        and from the next state: the next to restore that lets it start afresh.
        """
        self._frequencies.restore(state["frequencies"])
        for name, extractor in self._stream.items():
            if name in state["extractors"] and not restored(extractor, state["extractors"][name], self.failures):
                self._lost.add(name)

    def _analyse(self, documents: Sequence[Document]) -> list[AnalysedArticle]:
        texts = analyse_many(documents, self._frequencies)
        blocks = [document_values(extractor, documents, texts, self.failures) for extractor in self._document]
        blocks += [
            missing_values(extractor, len(documents))
            if name in self._lost
            else stream_values(extractor, documents, texts, self.failures)
            for name, extractor in self._stream.items()
        ]
        values = _joined(blocks, len(documents))
        return [
            AnalysedArticle(document, texts.terms[row], texts.pairs[row], self.names, values[row])
            for row, document in enumerate(documents)
        ]


class ReaderFeatures:
    """Reader scope: what one person's verdicts say about an article."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._extractors = {n: e for n, e in extractors.items() if isinstance(e, ReaderExtractor)}
        self.failures = Failures(extractors)
        self.names = _names(self._extractors.values())

    def extract(self, article: AnalysedArticle) -> Floats:
        """Return one value per name; NaN is missing."""
        values: Floats = self.extract_many(AnalysedBatch.of([article]))[0]
        return values

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        """Return an array of shape (articles, names), equal bit for bit to ``extract`` row by row."""
        blocks = [reader_values(extractor, articles, self.failures) for extractor in self._extractors.values()]
        return _joined(blocks, len(articles))

    def evidence(self, article: AnalysedArticle) -> Floats:
        """Return how much each of the article's terms speaks for interest, in log-odds; one per term, 0 is nothing."""
        total = np.zeros(len(article.terms))
        for extractor in self._extractors.values():
            try:
                evidence = np.asarray(extractor.evidence(article.terms), dtype=np.float64)
                if evidence.shape != total.shape:
                    raise ValueError(f"gave evidence of shape {evidence.shape} instead of {total.shape}")
            except Exception as error:
                self.failures.note(extractor, error)
                continue
            total += np.nan_to_num(evidence, nan=0.0, posinf=0.0, neginf=0.0)
        return total

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        """Teach every extractor one verdict."""
        for extractor in self._extractors.values():
            taught(extractor, article, interesting, weight, self.failures)

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        """Do as ``extract`` and ``learn`` of each article in turn; return what was extracted, shape (articles, names).

        No extractor knows of the others, so that each can go through all articles by itself.
        """
        blocks = [followed_values(each, articles, verdicts, self.failures) for each in self._extractors.values()]
        return _joined(blocks, len(articles))

    def state(self) -> dict[str, Any]:
        """Return everything learned; an extractor that cannot say what it has learned has no part in it."""
        states = {name: kept_state(extractor, self.failures) for name, extractor in self._extractors.items()}
        return {name: state for name, state in states.items() if state is not None}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become what ``state`` was taken from.

        Raises ``StateError`` if an extractor has no part in it or cannot take it: then only the log tells what the
        classifier made of that extractor.
        """
        for name, extractor in self._extractors.items():
            if name not in state or not restored(extractor, state[name], self.failures):
                raise StateError(f"no state for the extractor {name}")


def _names(extractors: Iterable[Extractor]) -> tuple[str, ...]:
    return tuple(name for extractor in extractors for name in extractor.features)


def _joined(blocks: Sequence[Floats], n_articles: int) -> Floats:
    """Lay what the extractors said side by side; infinite values count as missing."""
    values = np.concatenate(blocks, axis=1) if blocks else np.empty((n_articles, 0))
    values[np.isinf(values)] = np.nan
    return values
