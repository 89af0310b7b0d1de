"""The nearest of the last articles, by the cosine of their heaviest terms."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from extractors.arrays import Bools, Floats, Int32s, State, UInt16s, array, number
from extractors.numba_kernel import compiled
from extractors.stream.article_ring import HEAVIEST, ONE, WEIGHT, WIDTH, Ring, gather, head_of, place
from extractors.text.terms import N_TERMS, TermBatch, TermRows


class NearestArticles:
    """The heads of the last ``capacity`` articles, a power of two; article number n lies in row n modulo that.

    Memory: 8 bytes for each of the ``n_terms`` possible terms, and 388 for each article.
    """

    def __init__(self, capacity: int, n_terms: int = N_TERMS) -> None:
        if capacity < 1 or capacity & (capacity - 1):
            raise ValueError(f"the capacity has to be a power of two, not {capacity}")
        self.capacity = capacity
        self.articles = 0
        """Number of articles ever added."""
        self._n_terms = n_terms

    @cached_property
    def ring(self) -> Ring:
        """Made when it is first used: who loads a reader's model makes stream extractors, too, and uses none."""
        return Ring.empty(self.capacity, self._n_terms)

    def __len__(self) -> int:
        """Return the number of articles in the ring."""
        return min(self.articles, self.capacity)

    def make_room(self, n_terms: int) -> None:
        """Reserve room for at least this many distinct terms."""
        if n_terms > self._n_terms:
            spare = np.zeros(2 * n_terms - self._n_terms, dtype=np.int64)
            self.ring = self.ring._replace(first=np.concatenate([self.ring.first, spare]))
            self._n_terms = 2 * n_terms

    def nearest(self, terms: TermBatch) -> Floats:
        """Return each article's largest cosine with the articles in the ring, NaN if it has no terms or the ring is
        empty."""
        nearest = np.full(len(terms), np.nan)
        _nearest_and_add(terms.rows(), np.zeros(len(terms), dtype=np.bool_), self.articles, self.ring, nearest)
        return nearest

    def nearest_and_add(self, terms: TermBatch, added: Bools) -> Floats:
        """Return what ``nearest`` returns for each article in turn, and add those that ``added`` (articles,) says.

        Those without terms are never added.
        """
        nearest = np.full(len(terms), np.nan)
        self.articles = _nearest_and_add(terms.rows(), added, self.articles, self.ring, nearest)
        return nearest

    def state(self) -> State:
        """Return the heads in the order in which they came, one after the other."""
        ring = self.ring
        rows = np.arange(self.articles - len(self), self.articles) % self.capacity
        lengths = ring.lengths[rows]
        used = (rows[:, None] * WIDTH + np.arange(WIDTH))[np.arange(WIDTH) < lengths[:, None]]
        return {
            "articles": self.articles,
            "lengths": lengths,
            "ids": ring.ids[used],
            "weights": (ring.links[used] & WEIGHT).astype(np.uint16),
        }

    def restore(self, state: State) -> None:
        """Become the ring that returned ``state``; the capacity has to be the same."""
        self.ring = Ring.empty(self.capacity, self._n_terms)
        self.articles = int(number(state, "articles"))
        lengths = array(state, "lengths", np.int32)
        ids, weights = array(state, "ids", np.int32), array(state, "weights", np.uint16)
        _place_all(lengths, ids, weights, self.articles - len(lengths), self.ring)


@compiled
def _place_all(lengths: Int32s, ids: Int32s, weights: UInt16s, article: int, ring: Ring) -> None:
    start = 0
    for row in range(len(lengths)):
        end = start + lengths[row]
        place(ids[start:end], weights[start:end], article + row, ring)
        start = end


@compiled
def _nearest_and_add(rows: TermRows, added: Bools, articles: int, ring: Ring, nearest: Floats) -> int:
    """Return how many articles have ever been added."""
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    cosines = np.empty(len(ring.lengths), dtype=np.uint32)
    for row in range(len(added)):
        start, end = rows.indptr[row], rows.indptr[row + 1]
        if start == end:
            continue
        n = head_of(rows.ids[start:end], rows.weights[start:end], head_ids, head_weights)
        size = min(articles, len(ring.lengths))
        if size > 0:
            gather(head_ids[:n], head_weights[:n], articles, ring, cosines[:size])
            largest = np.uint32(0)
            for other in range(size):
                largest = max(largest, cosines[other])
            nearest[row] = largest / ONE
        if added[row]:
            place(head_ids[:n], head_weights[:n], articles, ring)
            articles += 1
    return articles
