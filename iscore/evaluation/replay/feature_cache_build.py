"""Document and stream scope, computed once per stream for all its readers, and the stories that articles tell.

    stream file ─► survey (is all of it good?) ─► features and stories ─► measured stream on disk

The result stays on disk under a name made of the stream's bytes and of everything that measuring depends on, so that a
second replay finds it.

What a stream brings as ``features`` stands in the vector under its own name, behind those of the extractors, or in the
place of the document or stream feature that has the same name. When no article of a stream has a title or a text, only
the extractors ``WITHOUT_TEXTS`` take part: what others say of an empty text is the same for all articles, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np

from extractors import Extractor
from extractors.article_features import AnalysedArticle
from extractors.near_duplicates import Stories
from iscore.core.errors import StreamError
from iscore.evaluation.replay.code_digest import sources_of_measures
from iscore.evaluation.replay.feature_cache import CHUNK, Measured, MeasuredWriter
from iscore.evaluation.replay.labelled_article import LabelledArticle
from iscore.evaluation.replay.stream import content_hash, read_stream, stream_name, survey
from iscore.feeds.urls import page_key
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.features.factory import LoadedExtractors, load_extractors
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_reader

Progress = Callable[[int, int, str], None]

WITHOUT_TEXTS = (
    *("age", "rhythm"),
    *("source_reputation", "site_reputation", "author_reputation", "category_reputation", "tag_reputation"),
)
"""Extractors that look at no text, by their registered names."""


def made_extractors(*, texts: bool, seed: int = 0) -> LoadedExtractors:
    """Make the extractors that take part: all of this installation, or those ``WITHOUT_TEXTS``."""
    loaded = load_extractors(seed)
    if texts:
        return loaded
    return LoadedExtractors({name: loaded.extractors[name] for name in WITHOUT_TEXTS}, {})


def new_reader(measured: Measured, classifier: str, *, seed: int, follow_changes: bool) -> ReaderModel:
    """Return a model that has learned nothing, for a stream."""

    def make() -> Mapping[str, Extractor]:
        return made_extractors(texts=measured.texts, seed=seed).extractors

    return make_reader(measured.names, make, classifier, follow_changes=follow_changes)


def measured(path: Path, folder: Path, progress: Progress | None = None) -> Measured:
    """Return the measured stream of a file: one in ``folder`` that is of the same bytes and measures, or a new one.

    Raises ``StreamError`` before anything is written if the file is no labelled stream.
    """
    place = folder / f"{stream_name(path)}-{_key(path)}"
    if (place / "about.json").is_file():
        return Measured.open(place)
    return _measure(path, place, progress)


def _key(path: Path) -> str:
    return blake2b(f"{content_hash(path)} {sources_of_measures()}".encode(), digest_size=8).hexdigest()


def _measure(path: Path, folder: Path, progress: Progress | None) -> Measured:
    found = survey(path)
    loaded = made_extractors(texts=found.texts)
    arrivals = ArticleFeatures(loaded.extractors)
    names = _all_names(path, arrivals.names, found.features, loaded.extractors)
    stories = _Stories()
    writer = MeasuredWriter(folder, found.articles, found.readers)
    done = 0
    for documents in _portions(read_stream(path), CHUNK):
        frozen = [
            _with_ratings(article, document, names, found.features)
            for article, document in zip(arrivals.analyse_many(documents), documents, strict=True)
        ]
        writer.add(frozen, [document.labels for document in documents], stories.place(frozen))
        done += len(documents)
        if progress is not None:
            progress(done, found.articles, f"measuring {stream_name(path)}")
    return writer.complete(
        stream_name(path),
        names,
        texts=found.texts,
        first=found.first,
        last=found.last,
        problems=loaded.failed | arrivals.failures.reasons,
    )


def _all_names(
    path: Path, measured_names: Sequence[str], ratings: Sequence[str], made: dict[str, Extractor]
) -> tuple[str, ...]:
    for name in ReaderFeatures(made).names:
        if name in ratings:
            raise StreamError(path, f"the feature {name!r} has the name of one that is learned; give it another")
    return (*measured_names, *(name for name in ratings if name not in measured_names))


def _with_ratings(
    article: AnalysedArticle, document: LabelledArticle, names: tuple[str, ...], ratings: Sequence[str]
) -> AnalysedArticle:
    if not ratings:
        return article
    values = np.full(len(names), np.nan)
    values[: len(article.values)] = article.values
    for name in ratings:
        values[names.index(name)] = document.features.get(name, np.nan)
    return AnalysedArticle(document, article.terms, article.pairs, names, values)


class _Stories:
    """The leader of each article, by its place in the stream; sources stand for feeds."""

    def __init__(self) -> None:
        self._stories = Stories()
        self._feeds: dict[str, int] = {}
        self._next = 0

    def place(self, articles: Sequence[AnalysedArticle]) -> list[int]:
        leaders = []
        for article in articles:
            about = article.metadata
            feed = self._feeds.setdefault(about.source, len(self._feeds))
            leader, _ = self._stories.place(self._next, article.terms, page_key(about.url), feed, about.arrived)
            leaders.append(leader)
            self._next += 1
        return leaders


def _portions(articles: Iterator[LabelledArticle], size: int) -> Iterator[list[LabelledArticle]]:
    while portion := list(islice(articles, size)):
        yield portion
