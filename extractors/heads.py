"""A window of articles by their heaviest terms, built so that one pass gives the cosine with every one of
them.

An article is kept as its head: its ``WIDTH`` heaviest terms, scaled to length 1 again. Heads lie in a ring,
the newest over the oldest. All entries of one term are chained from the newest to the oldest by their running
numbers; whatever number lies before the window has been written over, and there the chain ends. So nothing is
ever removed, and a question costs as much as there are entries with its terms: exact, where random
projections find only near duplicates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from extractors.compiled import compiled
from extractors.state import State, array, number
from extractors.terms import N_TERMS, TermBatch, TermVector

WIDTH = 32
"""Terms in a head; a power of two. The terms left out of longer articles are their commonest, which tell
least and cost most: 64 gave the same quartiles of novelty within 0.01 on Reuters, for three times the
work."""


_BITS: Final = 16
_SCALE: Final = (1 << _BITS) - 1
"""Weights are kept in steps of 1/65,535, so that a link fits into one number and is read in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ring:
    first: npt.NDArray[np.int64]
    """1 + number of the newest entry of each term, 0 for none; shape (N_TERMS,)."""
    links: npt.NDArray[np.int64]
    """2^16 · (1 + number of the next older entry of the same term) + weight. An entry's place in the ring is
    its number modulo the shape; shape (capacity · WIDTH,)."""
    ids: npt.NDArray[np.int32]
    """Terms by place; shape (capacity · WIDTH,)."""
    lengths: npt.NDArray[np.int32]
    """Terms of each head; shape (capacity,)."""

    @classmethod
    def empty(cls, capacity: int) -> _Ring:
        places = capacity * WIDTH
        return cls(
            np.zeros(N_TERMS, dtype=np.int64),
            np.zeros(places, dtype=np.int64),
            np.zeros(places, dtype=np.int32),
            np.zeros(capacity, dtype=np.int32),
        )


class Heads:
    """The heads of the last ``capacity`` articles, a power of two; article number n lies in row n modulo
    that."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1 or capacity & (capacity - 1):
            raise ValueError(f"the capacity has to be a power of two, not {capacity}")
        self.capacity = capacity
        self.articles = 0
        """Number of articles ever added."""
        self._ring = _Ring.empty(capacity)

    def __len__(self) -> int:
        """Return the number of articles in the window."""
        return min(self.articles, self.capacity)

    def add(self, terms: TermVector) -> int:
        """Let an article join the window and return its row; the oldest leaves when the window is full."""
        ring = self._ring
        _add(
            terms.ids.astype(np.int32),
            terms.weights.astype(np.float32),
            self.articles,
            ring.first,
            ring.links,
            ring.ids,
            ring.lengths,
        )
        self.articles += 1
        return (self.articles - 1) % self.capacity

    def cosines(self, terms: TermVector) -> npt.NDArray[np.float64]:
        """Return the cosines of an article's head with those of the window by row; shape (len(self),)."""
        ring = self._ring
        cosines = np.empty(len(self), dtype=np.float64)
        _cosines(
            terms.ids.astype(np.int32),
            terms.weights.astype(np.float32),
            self.articles,
            ring.first,
            ring.links,
            cosines,
        )
        return cosines

    def nearest(self, terms: TermBatch) -> npt.NDArray[np.float64]:
        """Return each article's largest cosine with the window, NaN if it has no terms or the window is
        empty."""
        ring = self._ring
        nearest = np.full(len(terms), np.nan)
        _nearest(
            terms.indptr,
            terms.ids,
            terms.weights,
            self.articles,
            ring.first,
            ring.links,
            nearest,
        )
        return nearest

    def state(self) -> State:
        """Return the heads in the order in which they came, one after the other."""
        ring = self._ring
        rows = np.arange(self.articles - len(self), self.articles) % self.capacity
        lengths = ring.lengths[rows]
        used = (rows[:, None] * WIDTH + np.arange(WIDTH))[np.arange(WIDTH) < lengths[:, None]]
        return {
            "articles": self.articles,
            "lengths": lengths,
            "ids": ring.ids[used],
            "weights": (ring.links[used] & _SCALE).astype(np.uint16),
        }

    def restore(self, state: State) -> None:
        """Become the window that returned ``state``; the capacity has to be the same."""
        self._ring = ring = _Ring.empty(self.capacity)
        self.articles = int(number(state, "articles"))
        lengths = array(state, "lengths", np.int32)
        _place_all(
            lengths,
            array(state, "ids", np.int32),
            array(state, "weights", np.uint16),
            self.articles - len(lengths),
            ring.first,
            ring.links,
            ring.ids,
            ring.lengths,
        )


@compiled
def _head(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    head_ids: npt.NDArray[np.int32],
    head_weights: npt.NDArray[np.uint16],
) -> int:
    # The WIDTH heaviest terms in ascending order of their ids, the smaller id first where weights are equal.
    limit, ties = np.float32(-1.0), 0
    if len(ids) > WIDTH:
        limit = np.partition(weights, len(ids) - WIDTH)[len(ids) - WIDTH]
        ties = WIDTH - int(np.sum(weights > limit))
    chosen = np.empty(WIDTH, dtype=np.float64)
    squares, n = 0.0, 0
    for i in range(len(ids)):
        if weights[i] > limit or (weights[i] == limit and ties > 0):
            ties -= weights[i] == limit
            head_ids[n] = ids[i]
            chosen[n] = weights[i]
            squares += chosen[n] * chosen[n]
            n += 1
    scale = _SCALE / squares**0.5 if squares > 0.0 else 0.0
    for i in range(n):
        head_weights[i] = int(chosen[i] * scale + 0.5)
    return n


@compiled
def _place(
    head_ids: npt.NDArray[np.int32],
    head_weights: npt.NDArray[np.uint16],
    article: int,
    first: npt.NDArray[np.int64],
    links: npt.NDArray[np.int64],
    ring_ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
) -> None:
    row = article % len(lengths)
    lengths[row] = len(head_ids)
    for k in range(len(head_ids)):
        place = row * WIDTH + k
        ring_ids[place] = head_ids[k]
        links[place] = (first[head_ids[k]] << _BITS) + head_weights[k]
        first[head_ids[k]] = article * WIDTH + k + 1


@compiled
def _add(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    article: int,
    first: npt.NDArray[np.int64],
    links: npt.NDArray[np.int64],
    ring_ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
) -> None:
    head_ids = np.empty(WIDTH, dtype=np.int32)
    head_weights = np.empty(WIDTH, dtype=np.uint16)
    n = _head(ids, weights, head_ids, head_weights)
    _place(head_ids[:n], head_weights[:n], article, first, links, ring_ids, lengths)


@compiled
def _place_all(
    row_lengths: npt.NDArray[np.int32],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.uint16],
    article: int,
    first: npt.NDArray[np.int64],
    links: npt.NDArray[np.int64],
    ring_ids: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int32],
) -> None:
    start = 0
    for row in range(len(row_lengths)):
        end = start + row_lengths[row]
        _place(
            ids[start:end],
            weights[start:end],
            article + row,
            first,
            links,
            ring_ids,
            lengths,
        )
        start = end


@compiled
def _gather(
    head_ids: npt.NDArray[np.int32],
    head_weights: npt.NDArray[np.uint16],
    articles: int,
    first: npt.NDArray[np.int64],
    links: npt.NDArray[np.int64],
    products: npt.NDArray[np.int64],
) -> None:
    # Adds up the inner products, in steps of 1/_SCALE². They are whole numbers, so the order of the additions
    # is free: all chains are followed side by side, and the processor waits for many links at once instead
    # of for one after the other.
    last_place = len(links) - 1
    gone = max(0, articles * WIDTH - len(links))
    entries = np.empty(WIDTH, dtype=np.int64)
    weights = np.empty(WIDTH, dtype=np.int64)
    chains = 0
    for k in range(len(head_ids)):
        entry = first[head_ids[k]]
        if entry > gone:
            entries[chains], weights[chains] = entry, head_weights[k]
            chains += 1
    while chains > 0:
        alive = 0
        for k in range(chains):
            place = (entries[k] - 1) & last_place  # the remainder, since the capacity is a power of two
            link = links[place]
            products[place // WIDTH] += weights[k] * (link & _SCALE)
            entry = link >> _BITS
            if entry > gone:
                entries[alive], weights[alive] = entry, weights[k]
                alive += 1
        chains = alive


@compiled
def _cosines(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    articles: int,
    first: npt.NDArray[np.int64],
    links: npt.NDArray[np.int64],
    cosines: npt.NDArray[np.float64],
) -> None:
    head_ids = np.empty(WIDTH, dtype=np.int32)
    head_weights = np.empty(WIDTH, dtype=np.uint16)
    n = _head(ids, weights, head_ids, head_weights)
    products = np.zeros(len(cosines), dtype=np.int64)
    _gather(head_ids[:n], head_weights[:n], articles, first, links, products)
    for row in range(len(cosines)):
        cosines[row] = products[row] / (_SCALE * _SCALE)


@compiled
def _nearest(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    articles: int,
    first: npt.NDArray[np.int64],
    links: npt.NDArray[np.int64],
    nearest: npt.NDArray[np.float64],
) -> None:
    head_ids = np.empty(WIDTH, dtype=np.int32)
    head_weights = np.empty(WIDTH, dtype=np.uint16)
    products = np.empty(min(articles, len(links) // WIDTH), dtype=np.int64)
    if len(products) == 0:
        return
    for row in range(len(indptr) - 1):
        start, end = indptr[row], indptr[row + 1]
        if start < end:
            n = _head(ids[start:end], weights[start:end], head_ids, head_weights)
            products[:] = 0
            _gather(head_ids[:n], head_weights[:n], articles, first, links, products)
            nearest[row] = np.max(products) / (_SCALE * _SCALE)
