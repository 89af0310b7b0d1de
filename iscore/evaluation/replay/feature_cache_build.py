"""Build the feature cache of a stream: document and stream features, computed once for all readers, and stories.

    stream file ─► survey (is the file valid?) ─► features, stories, bases of stream vectors ─► feature cache

The cache stays on disk under a name made of the stream's bytes and a digest of the code that computes features, so that
a second replay finds it.

The ``features`` of a stream's articles follow those of the extractors in the vector, or replace the document or stream
feature of the same name. When no article of a stream has a title or a text, only the extractors ``WITHOUT_TEXTS`` are
used: the features of an empty text are the same for all articles, or missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
from filelock import FileLock

from extractors import Extractor
from extractors.article_features import AnalysedArticle
from extractors.stream.near_duplicates import Stories
from extractors.text.meaning import Encoder
from iscore.core.errors import StreamError
from iscore.core.timings import Progress
from iscore.evaluation.replay.code_digest import digest_of_features
from iscore.evaluation.replay.feature_cache import CHUNK, FeatureCache, FeatureCacheWriter
from iscore.evaluation.replay.stream import Survey, content_hash, read_stream, stream_name, survey
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.feeds.urls import page_key
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.features.factory import LoadedExtractors, load_extractors
from iscore.filtering.memory_log import Bases
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_reader

WITHOUT_TEXTS = (
    *("age", "rhythm"),
    *("source_reputation", "site_reputation", "author_reputation", "category_reputation", "tag_reputation"),
)
"""Extractors that use no text, by their registered names."""


def load_stream_extractors(*, texts: bool, seed: int = 0) -> LoadedExtractors:
    """Make the extractors for a stream: all of this installation, or those ``WITHOUT_TEXTS``."""
    loaded = load_extractors(seed)
    if texts:
        return loaded
    return LoadedExtractors({name: loaded.extractors[name] for name in WITHOUT_TEXTS}, {})


def new_model(cache: FeatureCache, classifier: str, *, seed: int, rankers: str = "") -> ReaderModel:
    """Return a model for a stream that has learned nothing."""
    extractors = load_stream_extractors(texts=cache.texts, seed=seed).extractors
    return make_reader(cache.names, extractors, classifier, rankers=rankers)


def cached_features(path: Path, folder: Path, progress: Progress | None = None) -> FeatureCache:
    """Return the feature cache of a stream: the one in ``folder`` for the same bytes and code, or a new one.

    Who finds that another process builds it waits for it. Raises ``StreamError`` before anything is written if the file
    is no labelled stream.
    """
    place = folder / f"{stream_name(path)}-{_key(path)}"
    if (place / "about.json").is_file():
        return FeatureCache.open(place)
    found = survey(path)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{place.name}.lock"):
        if (place / "about.json").is_file():
            return FeatureCache.open(place)
        return _build(path, found, place, progress)


def _key(path: Path) -> str:
    return blake2b(f"{content_hash(path)} {digest_of_features()}".encode(), digest_size=8).hexdigest()


def _build(path: Path, found: Survey, folder: Path, progress: Progress | None) -> FeatureCache:
    loaded = load_stream_extractors(texts=found.texts)
    arrivals = ArticleFeatures(loaded.extractors, Encoder.installed() if found.texts else None)
    names = _all_names(path, arrivals.names, found.features, loaded.extractors)
    stories, bases = _Stories(), Bases()
    writer = FeatureCacheWriter(folder, found.articles, found.readers)
    done = 0
    for documents in _portions(read_stream(path), CHUNK):
        frozen = [
            _with_ratings(article, document, names, found.features)
            for article, document in zip(arrivals.analyse_many(documents), documents, strict=True)
        ]
        writer.add(frozen, [document.labels for document in documents], stories.place(documents, frozen))
        for basis in bases.learned(frozen):
            writer.add_basis(basis.articles, basis)
        done += len(documents)
        if progress is not None:
            progress(done, found.articles, f"extracting features of {stream_name(path)}")
    return writer.complete(
        stream_name(path),
        names,
        texts=found.texts,
        first=found.first,
        last=found.last,
        problems=loaded.failed | arrivals.failures.reasons,
    )


def _all_names(
    path: Path, extracted: Sequence[str], ratings: Sequence[str], made: dict[str, Extractor]
) -> tuple[str, ...]:
    for name in ReaderFeatures(made).names:
        if name in ratings:
            raise StreamError(path, f"the feature {name!r} has the name of a learned feature; rename it")
    return (*extracted, *(name for name in ratings if name not in extracted))


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
    """Finds the article that leads each article's story, by place in the stream; a source counts as a feed."""

    def __init__(self) -> None:
        self._stories = Stories()
        self._feeds: dict[str, int] = {}
        self._next = 0

    def place(self, documents: Sequence[LabelledArticle], articles: Sequence[AnalysedArticle]) -> list[int]:
        leaders = []
        for document, article in zip(documents, articles, strict=True):
            feed, page = self._feeds.setdefault(document.source, len(self._feeds)), page_key(document.url)
            leader, _ = self._stories.place(self._next, document, article.terms, page, feed, document.arrived)
            leaders.append(leader)
            self._next += 1
        return leaders


def _portions(articles: Iterator[LabelledArticle], size: int) -> Iterator[list[LabelledArticle]]:
    while portion := list(islice(articles, size)):
        yield portion
