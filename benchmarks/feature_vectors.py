"""The feature vectors of real streams, as the pipeline sees them: each article measured before its own verdict is
learned. They do not depend on the classifier, so one recording serves many trials."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from benchmarks.streams import LabelledArticle, hacker_news, italian_reader, reuters
from extractors.article_features import AnalysedArticle
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.features.factory import make_extractors

STREAMS = {"Reuters": reuters, "Italian reader": italian_reader, "Hacker News": hacker_news}


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """One reader of one stream."""

    stream: str
    reader: str
    names: tuple[str, ...]
    vectors: npt.NDArray[np.float64]
    """One row per article with a verdict, in order of arrival; NaN is missing."""
    liked: npt.NDArray[np.bool_]

    def columns(self, names: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the columns of these features, laid out for a learner."""
        return np.ascontiguousarray(self.vectors[:, [self.names.index(name) for name in names]])


def record(every: int = 1) -> list[Recording]:
    """Record every reader of every stream, or every n-th one of each; two processes at a time."""
    tasks = []
    for stream, documents in STREAMS.items():
        readers = list(dict.fromkeys(reader for document in documents() for reader in document.labels))
        tasks += [(stream, reader) for reader in readers[::every]]
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(_record, *zip(*tasks, strict=True)))


@cache
def _frozen(stream: str) -> tuple[list[LabelledArticle], list[AnalysedArticle], tuple[str, ...]]:
    documents = STREAMS[stream]()
    return documents, *freeze(documents)


def freeze(documents: Sequence[LabelledArticle]) -> tuple[list[AnalysedArticle], tuple[str, ...]]:
    """Compute document and stream features of a stream; return the articles and the names of their values."""
    arrivals = ArticleFeatures(make_extractors())
    return arrivals.analyse_many(documents), arrivals.names


def _record(stream: str, reader: str) -> Recording:
    documents, frozen, article_feature_names = _frozen(stream)
    features = ReaderFeatures(make_extractors())
    rows, liked = [], []
    for document, article in zip(documents, frozen, strict=True):
        if reader not in document.labels:
            continue
        rows.append(np.concatenate([article.values, features.extract(article)]))
        liked.append(document.labels[reader])
        features.learn(article, liked[-1], 1.0)
    names = (*article_feature_names, *features.names)
    if features.failures.reasons:
        raise SystemExit(f"extractors failed: {features.failures.reasons}")
    return Recording(stream, reader, names, np.array(rows), np.array(liked))
