"""How an article stands to the articles that arrived shortly before it; one look at them serves all these
measures."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from extractors.article import Document
from extractors.extractor import Floats, StreamExtractor
from extractors.numba_kernel import compiled
from extractors.state import State, array
from extractors.stream.anomaly import anomaly_mean
from extractors.stream.anomaly_cluster import anomaly_cluster
from extractors.stream.burst import HOURS as LATELY
from extractors.stream.burst import burst
from extractors.stream.clusters import Clusters, count_clusters, join, leave, likeness_to_clusters, nearest_cluster
from extractors.stream.coverage import coverage
from extractors.stream.freshness import freshness
from extractors.stream.nearest_articles import (
    HEAVIEST,
    ONE,
    Heads,
    Ring,
    gather,
    head_of,
    place,
    squared_length,
    squared_lengths,
)
from extractors.stream.neighbours import neighbours_of
from extractors.stream.novelty import novelty
from extractors.text.text import Text, Texts

RECENT: Final = 4096
"""Articles in the window, a power of two: some days of a hundred feeds; their state is less than 1 MB."""

_NOVELTY, _MEAN, _CLUSTER, _COVERAGE, _FRESHNESS, _BURST = range(6)


class RecentArticles(StreamExtractor):
    """Novelty, anomaly, coverage, freshness and burst against the last ``RECENT`` articles.

    Each formula stands in the file of its name. Cosines are those of the articles' heaviest terms
    (``heads.py``). All are missing for an article without terms, and all but ``coverage`` for the very first one.
    """

    features: ClassVar[tuple[str, ...]] = (
        "novelty",
        "anomaly_mean",
        "anomaly_cluster",
        "coverage",
        "freshness",
        "burst",
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "novelty": "unlike any recent article",
        "anomaly_mean": "unusual among the recent news",
        "anomaly_cluster": "away from the recent topics",
        "coverage": "carried by several sources",
        "freshness": "on a topic that has been quiet for a while",
        "burst": "on a topic that comes up more than before",
    }

    def __init__(self) -> None:
        self._heads = Heads(RECENT)
        self._clusters = Clusters.empty(RECENT)
        self._arrived = np.zeros(RECENT, dtype=np.float64)
        self._sources = np.zeros(RECENT, dtype=np.int64)

    def extract(self, document: Document, text: Text) -> Sequence[float]:
        values: list[float] = self._walk([document], Texts.of(text), measures=True, observes=False)[0].tolist()
        return values

    def observe(self, document: Document, text: Text) -> None:
        self._walk([document], Texts.of(text), measures=False, observes=True)

    def follow(self, documents: Sequence[Document], texts: Texts) -> Floats:
        return self._walk(documents, texts, measures=True, observes=True)

    def state(self) -> State:
        n = len(self._heads)
        return {
            "heads": self._heads.state(),
            "arrived": self._arrived[:n].copy(),
            "sources": self._sources[:n].copy(),
            "clusters": self._clusters.of[:n].copy(),
            "later": self._clusters.later[:n].copy(),
        }

    def restore(self, state: State) -> None:
        heads = state["heads"]
        if not isinstance(heads, Mapping):
            raise TypeError("heads is not a state")
        self._heads.restore(heads)
        n = len(self._heads)
        self._arrived[:n] = array(state, "arrived", np.float64)
        self._sources[:n] = array(state, "sources", np.int64)
        self._clusters = Clusters.empty(RECENT)
        if "clusters" in state:
            self._clusters.of[:n] = array(state, "clusters", np.uint16)
            self._clusters.later[:n] = array(state, "later", np.int64)
        else:  # a state of version 0.1.0: every article stands for itself
            self._clusters.of[:n] = np.arange(n)
        squares = np.empty(n, dtype=np.int64)
        squared_lengths(self._heads.ring, squares)
        count_clusters(squares, self._clusters)

    def _walk(self, documents: Sequence[Document], texts: Texts, *, measures: bool, observes: bool) -> Floats:
        values = np.full((len(documents), len(self.features)), np.nan)
        arrived = np.array([document.arrived.timestamp() for document in documents])
        sources = np.array([_number(document.source) for document in documents], dtype=np.int64)
        terms = texts.terms
        self._heads.articles = _walk(
            terms.indptr,
            terms.ids,
            terms.weights,
            arrived,
            sources,
            measures,
            observes,
            self._heads.articles,
            self._heads.ring,
            self._arrived,
            self._sources,
            self._clusters,
            values,
        )
        return values


def _number(source: str) -> int:
    return zlib.crc32(source.encode("utf-8", "surrogatepass"))


@compiled
def _walk(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    arrived: npt.NDArray[np.float64],
    sources: npt.NDArray[np.int64],
    measures: bool,
    observes: bool,
    articles: int,
    ring: Ring,
    past_arrived: npt.NDArray[np.float64],
    past_sources: npt.NDArray[np.int64],
    clusters: Clusters,
    values: npt.NDArray[np.float64],
) -> int:
    # Measures the articles, or lets them join the past, or both, one after the other; returns how many have come.
    capacity = len(ring.lengths)
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    all_cosines = np.empty(capacity, dtype=np.uint32)
    to_clusters = np.empty(capacity, dtype=np.float64)
    rows = np.empty(capacity + 1, dtype=np.int32)
    for article in range(len(indptr) - 1):
        start, end = indptr[article], indptr[article + 1]
        if start == end:
            continue
        n_terms = head_of(ids[start:end], weights[start:end], head_ids, head_weights)
        n_past = min(articles, capacity)
        cosines = all_cosines[:n_past]
        gather(head_ids[:n_terms], head_weights[:n_terms], articles, ring, cosines)
        likeness_to_clusters(cosines, clusters, to_clusters)
        if measures:
            near = rows[: neighbours_of(cosines, rows)]
            likeness = cosines[near] / ONE
            hours = np.maximum(0.0, (arrived[article] - past_arrived[near]) / 3600.0)
            lately = _lately(arrived[article] - LATELY * 3600.0, articles, past_arrived)
            row = values[article]
            row[_NOVELTY] = novelty(cosines)
            row[_MEAN] = anomaly_mean(cosines)
            row[_CLUSTER] = anomaly_cluster(to_clusters, clusters.sizes)
            row[_COVERAGE] = coverage(likeness, hours, past_sources[near], sources[article])
            row[_FRESHNESS] = freshness(likeness, hours)
            row[_BURST] = burst(hours, n_past, lately)
        if observes:
            at = articles & (capacity - 1)
            cluster = nearest_cluster(to_clusters)
            if articles >= capacity:
                heir = leave(at, squared_length(at, ring), clusters)
                cluster = heir if cluster == at else cluster
            place(head_ids[:n_terms], head_weights[:n_terms], articles, ring)
            join(at, squared_length(at, ring), cosines, cluster, clusters)
            past_arrived[at], past_sources[at] = arrived[article], sources[article]
            articles += 1
    return articles


@compiled
def _lately(since: float, articles: int, arrived: npt.NDArray[np.float64]) -> int:
    # How many articles have arrived since a time, by bisection: they lie in the ring in order of arrival.
    capacity = len(arrived)
    low, high = max(0, articles - capacity), articles
    while low < high:
        middle = (low + high) // 2
        if arrived[middle & (capacity - 1)] < since:
            low = middle + 1
        else:
            high = middle
    return articles - low
