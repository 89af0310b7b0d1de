"""How an article compares with the articles that arrived shortly before it: six features from one pass."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from math import log, log1p, sqrt
from typing import ClassVar, Final, NamedTuple

import numpy as np

from extractors.arrays import Floats, Int32s, Int64s, State, UInt32s, array, nested
from extractors.article import Document
from extractors.base import BatchStreamExtractor, Context
from extractors.numba_kernel import compiled, inner
from extractors.stream.article_ring import HEAVIEST, ONE, Ring, gather, head_of, place, squared_length
from extractors.stream.clusters import Clusters, count_clusters, join, leave, likeness_to_clusters, nearest_cluster
from extractors.stream.nearest_articles import NearestArticles
from extractors.text.terms import TermRows
from extractors.text.text import Texts


@inner
def novelty(cosines: UInt32s) -> float:
    """Return 1 − max cos(d, e) over the recent articles e, given their cosines in steps of 1/``ONE``; in [0, 1], 0 for
    a repetition.

    Missing (NaN) when there are none. Zhang, Callan & Minka (2002), "Novelty and redundancy detection in
    adaptive filtering", found this cosine distance best.
    """
    if len(cosines) == 0:
        return np.nan
    largest = np.uint32(0)
    for row in range(len(cosines)):
        largest = max(largest, cosines[row])
    return max(0.0, 1.0 - largest / ONE)


K: Final = 3
"""Number of similar articles that count: a single one may be similar by chance."""


@inner
def freshness(cosines: Floats, hours: Floats) -> float:
    """Return ln(1 + h), h the mean hours since the (up to) K most similar articles with the same topic; ≥ 0.

    The arrays have one element per similar article: its cosine, and the hours since it arrived. Missing (NaN) when
    there is none: a new topic and one that is long over look the same, and ``novelty`` covers
    both. Of equally similar articles the most recent ones count.
    """
    if len(cosines) == 0:
        return np.nan
    nearest = np.empty(K + 1, dtype=np.int64)
    n = 0
    for i in range(len(cosines)):
        at = n
        while at > 0 and (
            cosines[i] > cosines[nearest[at - 1]]
            or (cosines[i] == cosines[nearest[at - 1]] and hours[i] < hours[nearest[at - 1]])
        ):
            nearest[at] = nearest[at - 1]
            at -= 1
        nearest[at] = i
        n = min(n + 1, K)
    total = 0.0
    for at in range(n):
        total += hours[nearest[at]]
    return log1p(total / n)


SAME_TOPIC: Final = 0.2
"""Cosine from which two articles have a topic in common."""

_LIMIT: Final = int(SAME_TOPIC * ONE)


@inner
def neighbours_of(cosines: UInt32s, rows: Int32s) -> int:
    """Write the rows whose cosine, in steps of 1/``ONE``, is at least ``SAME_TOPIC``; return how many there are.

    ``rows`` has room for one more than there are cosines.
    """
    n = 0
    for row in range(len(cosines)):
        rows[n] = row  # overwritten unless it counts: no branch to predict
        n += cosines[row] >= _LIMIT
    return n


@inner
def anomaly_mean(cosines: UInt32s) -> float:
    """Return 1 − mean cos(d, e) over the recent articles e, given their cosines in steps of 1/``ONE``; in [0, 1].

    Missing (NaN) when there are none. Pon et al. (2007), "iScore", with recent articles instead of all.
    """
    if len(cosines) == 0:
        return np.nan
    total = np.uint64(0)
    for row in range(len(cosines)):
        total += np.uint64(cosines[row])
    return max(0.0, 1.0 - total / (ONE * len(cosines)))


MEMBERS: Final = 4
"""Minimum size of a topic. With single articles and pairs the feature repeats ``novelty`` (correlation 0.9 on Reuters,
more on Italian feeds); with topics the correlation is 0.5, and it predicts verdicts better."""


@inner
def anomaly_cluster(likeness: Floats, sizes: Int64s) -> float:
    """Return 1 − max cos(d, c) over the centroids c of clusters of at least ``MEMBERS`` recent articles; in [0, 1].

    ``likeness`` has the squared cosines in steps of 1/``ONE`` (``clusters.py``), ``sizes`` the members. Missing (NaN)
    while there is no such cluster. The distance to the nearest centroid is the usual measure of an outlier when normal
    data lie in clusters (Chandola, Banerjee & Kumar 2009, "Anomaly detection: a survey", section 6).
    """
    bits = likeness.view(np.int64)  # in the same order as floats that are not negative, and faster to compare
    largest, members = np.int64(0), np.int64(0)
    for cluster in range(len(sizes)):
        members = max(members, sizes[cluster])
        largest = max(largest, bits[cluster] if sizes[cluster] >= MEMBERS else np.int64(0))
    if members < MEMBERS:
        return np.nan
    nearest = 0
    while sizes[nearest] < MEMBERS or bits[nearest] != largest:
        nearest += 1
    return max(0.0, 1.0 - sqrt(likeness[nearest] / ONE))


BURST_HOURS: Final = 24.0
"""What counts as recent: a day, so that the hour of the day plays no part."""

CAUTION: Final = 1.0
"""Added to the observed and the expected number, so that one or two articles make no burst."""


@inner
def burst(hours: Floats, articles: int, recent_articles: int) -> float:
    """Return ln((r + 1) / (e + 1)), r the similar articles of the last ``BURST_HOURS``, e how many were expected.

    ``hours`` since they arrived has one element per similar article of the window, R in all; of its ``articles``, n,
    ``recent_articles``, d, arrived in the last ``BURST_HOURS``. e = d · (R − r)/(n − d): the share that similar
    articles had before, times the recent ones, so that neither a pause nor a new feed looks like a burst. Positive
    when there are more than before. These are the batches, r of d, and the base rate of Kleinberg (2002), "Bursty and
    hierarchical structure in streams", section 4, compared as a ratio: his automaton needs to see the end of a burst.

    Missing (NaN) when nothing is similar, and when the whole window is of the last ``BURST_HOURS``: there is no before.
    """
    if len(hours) == 0 or recent_articles >= articles:
        return np.nan
    recent = 0
    for i in range(len(hours)):
        recent += hours[i] <= BURST_HOURS
    expected = recent_articles * (len(hours) - recent) / (articles - recent_articles)
    return log((recent + CAUTION) / (expected + CAUTION))


SAME_STORY: Final = 0.4
"""Cosine from which two articles are about the same events."""

STORY_HOURS: Final = 48.0
"""Articles further back are about another story."""


@inner
def coverage(cosines: Floats, hours: Floats, sources: Int64s, source: int) -> float:
    """Return ln(1 + n) for n other sources with an article of cosine ≥ ``SAME_STORY`` in the last ``STORY_HOURS``; ≥ 0.

    The arrays have one element per similar article: its cosine, the hours since it arrived, a number for its source;
    ``source`` is the number of the article's own.
    """
    found = np.empty(len(sources), dtype=np.int64)
    others = 0
    for i in range(len(sources)):
        if cosines[i] >= SAME_STORY and hours[i] <= STORY_HOURS and sources[i] != source:
            known = 0
            while known < others and found[known] != sources[i]:
                known += 1
            if known == others:
                found[others] = sources[i]
                others += 1
    return log1p(others)


RECENT: Final = 4096
"""Articles that count as recent, a power of two: some days of a hundred feeds; their state is less than 1 MB."""

_NOVELTY, _MEAN, _CLUSTER, _COVERAGE, _FRESHNESS, _BURST = range(6)


class Past(NamedTuple):
    """The recent articles, as compiled functions take them; arrays have one element per row of the ring."""

    ring: Ring
    clusters: Clusters
    arrived: Floats
    """Time of arrival, in seconds."""
    sources: Int64s
    """A number for the source."""


class RecentArticles(BatchStreamExtractor):
    """Novelty, anomaly, coverage, freshness and burst against the last ``RECENT`` articles.

    Cosines are those of the articles' heaviest terms (``article_ring``). All are missing for an article without words,
    and all but ``coverage`` for the very first one.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse_many
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> articles = [Article(id=t, arrived=now, title=t, text="") for t in ("Ferry strike", "Ferry strike", "Tram line")]
    >>> values = RecentArticles().extract_and_observe(articles, analyse_many(articles))
    >>> values[:, 0].tolist()  # novelty
    [nan, 0.0, 1.0]
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
        "anomaly_mean": "little in common with recent news",
        "anomaly_cluster": "outside the recent topics",
        "coverage": "similar articles in several other sources",
        "freshness": "similar articles are several days old",
        "burst": "on a topic that is getting more frequent",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "novelty": "very similar to a recent article",
        "anomaly_mean": "much in common with recent news",
        "anomaly_cluster": "on a recent topic",
        "coverage": "no similar article in other sources",
        "freshness": "a similar article in the last 12 hours",
        "burst": "on a topic that is getting rarer",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {
        "novelty": (0.3, 0.8),
        "anomaly_mean": (0.97, 0.99),
        "anomaly_cluster": (0.5, 0.8),
        "coverage": (0.0, log1p(2.0)),
        "freshness": (log1p(12.0), log1p(72.0)),
        "burst": (-log(2.0), log(2.0)),
    }
    families: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(features[:4], "uniqueness"),
        **dict.fromkeys(features[4:], "freshness"),
    }

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._recent = NearestArticles(RECENT)
        self._clusters = Clusters.empty(RECENT)
        self._arrived = np.zeros(RECENT, dtype=np.float64)
        self._sources = np.zeros(RECENT, dtype=np.int64)

    def extract_and_observe(self, documents: Sequence[Document], texts: Texts) -> Floats:
        values = np.full((len(documents), len(self.features)), np.nan)
        arrived = np.array([document.arrived.timestamp() for document in documents], dtype=np.float64)
        sources = np.array([_number(document.source) for document in documents], dtype=np.int64)
        past = Past(self._recent.ring, self._clusters, self._arrived, self._sources)
        rows = texts.terms.words.rows()
        self._recent.articles = _extract_and_observe(rows, arrived, sources, self._recent.articles, past, values)
        return values

    def state(self) -> State:
        n = len(self._recent)
        return {
            "heads": self._recent.state(),
            "arrived": self._arrived[:n].copy(),
            "sources": self._sources[:n].copy(),
            "clusters": self._clusters.of[:n].copy(),
            "later": self._clusters.later[:n].copy(),
        }

    def restore(self, state: State) -> None:
        self._recent.restore(nested(state, "heads"))
        n = len(self._recent)
        self._arrived[:n] = array(state, "arrived", np.float64)
        self._sources[:n] = array(state, "sources", np.int64)
        self._clusters = Clusters.empty(RECENT)
        self._clusters.of[:n] = array(state, "clusters", np.uint16)
        self._clusters.later[:n] = array(state, "later", np.int64)
        count_clusters(_squared_lengths(self._recent.ring, n), self._clusters)


def _number(source: str) -> int:
    return zlib.crc32(source.encode("utf-8", "surrogatepass"))


@compiled
def _squared_lengths(ring: Ring, n: int) -> Int64s:
    squares = np.empty(n, dtype=np.int64)
    for row in range(n):
        squares[row] = squared_length(row, ring)
    return squares


@compiled
def _extract_and_observe(
    rows: TermRows, arrived: Floats, sources: Int64s, articles: int, past: Past, values: Floats
) -> int:
    """Return how many articles have ever been added."""
    ring, clusters, past_arrived, past_sources = past
    capacity = len(ring.lengths)
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    all_cosines = np.empty(capacity, dtype=np.uint32)
    to_clusters = np.empty(capacity, dtype=np.float64)
    near_rows = np.empty(capacity + 1, dtype=np.int32)
    all_likeness = np.empty(capacity, dtype=np.float64)
    all_hours = np.empty(capacity, dtype=np.float64)
    all_sources = np.empty(capacity, dtype=np.int64)
    for article in range(len(arrived)):
        start, end = rows.indptr[article], rows.indptr[article + 1]
        if start == end:
            continue
        n_terms = head_of(rows.ids[start:end], rows.weights[start:end], head_ids, head_weights)
        ids, weights = head_ids[:n_terms], head_weights[:n_terms]
        n_past = min(articles, capacity)
        cosines = all_cosines[:n_past]
        gather(ids, weights, articles, ring, cosines)
        likeness_to_clusters(cosines, clusters, to_clusters)

        n_near = neighbours_of(cosines, near_rows)
        likeness, hours, near_sources = all_likeness[:n_near], all_hours[:n_near], all_sources[:n_near]
        for i in range(n_near):
            near = near_rows[i]
            likeness[i] = cosines[near] / ONE
            hours[i] = max(0.0, (arrived[article] - past_arrived[near]) / 3600.0)
            near_sources[i] = past_sources[near]
        n_recent = _arrived_since(arrived[article] - BURST_HOURS * 3600.0, articles, past_arrived)
        row = values[article]
        row[_NOVELTY] = novelty(cosines)
        row[_MEAN] = anomaly_mean(cosines)
        row[_CLUSTER] = anomaly_cluster(to_clusters, clusters.sizes)
        row[_COVERAGE] = coverage(likeness, hours, near_sources, sources[article])
        row[_FRESHNESS] = freshness(likeness, hours)
        row[_BURST] = burst(hours, n_past, n_recent)

        at = articles & (capacity - 1)
        cluster = nearest_cluster(to_clusters)
        if articles >= capacity:
            heir = leave(at, squared_length(at, ring), clusters)
            cluster = heir if cluster == at else cluster
        place(ids, weights, articles, ring)
        join(at, squared_length(at, ring), cosines, cluster, clusters)
        past_arrived[at], past_sources[at] = arrived[article], sources[article]
        articles += 1
    return articles


@inner
def _arrived_since(since: float, articles: int, arrived: Floats) -> int:
    """Return how many articles have arrived since a time, by bisection: they lie in the ring in order of arrival."""
    capacity = len(arrived)
    low, high = max(0, articles - capacity), articles
    while low < high:
        middle = (low + high) // 2
        if arrived[middle & (capacity - 1)] < since:
            low = middle + 1
        else:
            high = middle
    return articles - low
