"""A window of articles by their heaviest terms, built so that one pass gives the cosine with every one of
them.

An article is kept as its head: its ``HEAVIEST`` heaviest terms, scaled to length 1 again. Heads lie in a ring,
the newest over the oldest. All entries of one term are chained from the newest to the oldest by their running
numbers; whatever number lies before the window has been written over, and there the chain ends. So nothing is
ever removed, and a question costs as much as there are entries with its terms: exact, where random
projections find only near duplicates.

Cosines are counted in steps of 1/``ONE``: sums of whole numbers are the same in any order.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from extractors.state import State, array, number
from extractors.text.terms import N_TERMS, TermBatch, TermVector

HEAVIEST: Final = 28
"""Terms in a head. The terms left out of longer articles are their commonest, which tell least and cost most: 32 and
48 gave the same quartiles of novelty within 0.01 on Reuters, for two and three times the work."""

WIDTH: Final = 32
"""Places of a head in the ring; a power of two."""

STEPS: Final = 65_520
"""Weights are kept in steps of 1/``STEPS``, so that a link fits into one number and is read in one go, and so that the
inner product of two heads fits into 32 bits, rounding included."""

ONE: Final = STEPS * STEPS
"""A cosine of 1."""

_BITS: Final = 16
_WEIGHT: Final = (1 << _BITS) - 1


class Ring(NamedTuple):
    """The arrays of a window, as the compiled functions below take them."""

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
    def empty(cls, capacity: int) -> Ring:
        """Return the arrays of a window into which nothing has come yet."""
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
        self.ring = Ring.empty(capacity)

    def __len__(self) -> int:
        """Return the number of articles in the window."""
        return min(self.articles, self.capacity)

    def add(self, terms: TermVector) -> int:
        """Let an article join the window and return its row; the oldest leaves when the window is full."""
        _add(
            terms.ids.astype(np.int32),
            terms.weights.astype(np.float32),
            self.articles,
            self.ring,
        )
        self.articles += 1
        return (self.articles - 1) % self.capacity

    def cosines(self, terms: TermVector) -> npt.NDArray[np.float64]:
        """Return the cosines of an article's head with those of the window by row; shape (len(self),)."""
        cosines = np.empty(len(self), dtype=np.float64)
        _cosines(
            terms.ids.astype(np.int32),
            terms.weights.astype(np.float32),
            self.articles,
            self.ring,
            cosines,
        )
        return cosines

    def nearest(self, terms: TermBatch) -> npt.NDArray[np.float64]:
        """Return each article's largest cosine with the window, NaN if it has no terms or the window is
        empty."""
        nearest = np.full(len(terms), np.nan)
        _nearest(
            terms.indptr,
            terms.ids,
            terms.weights,
            self.articles,
            self.ring,
            nearest,
        )
        return nearest

    def follow(self, terms: TermBatch, joins: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Do as ``nearest`` of each article in turn, of which those that ``joins`` (articles,) says join before the
        next; those without terms never do."""
        nearest = np.full(len(terms), np.nan)
        self.articles = _follow(terms.indptr, terms.ids, terms.weights, joins, self.articles, self.ring, nearest)
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
            "weights": (ring.links[used] & _WEIGHT).astype(np.uint16),
        }

    def restore(self, state: State) -> None:
        """Become the window that returned ``state``; the capacity has to be the same."""
        self.ring = Ring.empty(self.capacity)
        self.articles = int(number(state, "articles"))
        lengths = array(state, "lengths", np.int32)
        _place_all(
            lengths,
            array(state, "ids", np.int32),
            array(state, "weights", np.uint16),
            self.articles - len(lengths),
            self.ring,
        )


@compiled
def head_of(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    head_ids: npt.NDArray[np.int32],
    head_weights: npt.NDArray[np.uint16],
) -> int:
    """Write an article's heaviest terms in ascending order of their ids, the smaller id first where weights are equal,
    and their weights in steps; return how many there are. There has to be room for ``HEAVIEST``."""
    # Selected by insertion, since most are no match for the least of those chosen; what numpy has takes seconds
    # to compile.
    chosen = np.empty(HEAVIEST, dtype=np.float64)
    limit, ties = -1.0, 0
    if len(ids) > HEAVIEST:
        n_chosen = 0
        for i in range(len(ids)):
            weight = np.float64(weights[i])
            if n_chosen < HEAVIEST:
                at = n_chosen
                n_chosen += 1
            elif weight > chosen[HEAVIEST - 1]:
                at = HEAVIEST - 1
            else:
                continue
            while at > 0 and chosen[at - 1] < weight:
                chosen[at] = chosen[at - 1]
                at -= 1
            chosen[at] = weight
        limit = chosen[HEAVIEST - 1]
        for k in range(HEAVIEST):
            ties += chosen[k] == limit
    squares, n = 0.0, 0
    for i in range(len(ids)):
        if weights[i] > limit or (weights[i] == limit and ties > 0):
            ties -= weights[i] == limit
            head_ids[n] = ids[i]
            chosen[n] = weights[i]
            squares += chosen[n] * chosen[n]
            n += 1
    scale = STEPS / squares**0.5 if squares > 0.0 else 0.0
    for i in range(n):
        head_weights[i] = int(chosen[i] * scale + 0.5)
    return n


@compiled
def squared_length(row: int, ring: Ring) -> int:
    """Return the squared length of the head in a row, in steps of 1/``ONE``: nearly ``ONE``."""
    square = 0
    for at in range(row * WIDTH, row * WIDTH + ring.lengths[row]):
        square += (ring.links[at] & _WEIGHT) ** 2
    return square


@compiled
def squared_lengths(ring: Ring, squares: npt.NDArray[np.int64]) -> None:
    """Write the squared lengths of the first ``len(squares)`` rows."""
    for row in range(len(squares)):
        squares[row] = squared_length(row, ring)


@compiled
def place(
    head_ids: npt.NDArray[np.int32],
    head_weights: npt.NDArray[np.uint16],
    article: int,
    ring: Ring,
) -> None:
    """Put a head into the ring as that of article number ``article``."""
    row = article % len(ring.lengths)
    ring.lengths[row] = len(head_ids)
    for k in range(len(head_ids)):
        at = row * WIDTH + k
        ring.ids[at] = head_ids[k]
        ring.links[at] = (ring.first[head_ids[k]] << _BITS) + head_weights[k]
        ring.first[head_ids[k]] = article * WIDTH + k + 1


@compiled
def _add(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    article: int,
    ring: Ring,
) -> None:
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    n = head_of(ids, weights, head_ids, head_weights)
    place(head_ids[:n], head_weights[:n], article, ring)


@compiled
def _place_all(
    row_lengths: npt.NDArray[np.int32],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.uint16],
    article: int,
    ring: Ring,
) -> None:
    start = 0
    for row in range(len(row_lengths)):
        end = start + row_lengths[row]
        place(
            ids[start:end],
            weights[start:end],
            article + row,
            ring,
        )
        start = end


@compiled
def gather(
    head_ids: npt.NDArray[np.int32],
    head_weights: npt.NDArray[np.uint16],
    articles: int,
    ring: Ring,
    cosines: npt.NDArray[np.uint32],
) -> None:
    """Write the cosine of a head with each head of the window, by row, in steps of 1/``ONE``."""
    # All chains are followed side by side, so that the processor waits for many links at once instead of for one
    # after the other.
    cosines[:] = 0
    last_place = len(ring.links) - 1
    gone = max(0, articles * WIDTH - len(ring.links))
    entries = np.empty(HEAVIEST, dtype=np.int64)
    weights = np.empty(HEAVIEST, dtype=np.int64)
    chains = 0
    for k in range(len(head_ids)):
        entry = ring.first[head_ids[k]]
        if entry > gone:
            entries[chains], weights[chains] = entry, head_weights[k]
            chains += 1
    while chains > 0:
        alive = 0
        for k in range(chains):
            at = (entries[k] - 1) & last_place  # the remainder, since the capacity is a power of two
            link = ring.links[at]
            cosines[at // WIDTH] += np.uint32(weights[k] * (link & _WEIGHT))
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
    ring: Ring,
    cosines: npt.NDArray[np.float64],
) -> None:
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    n = head_of(ids, weights, head_ids, head_weights)
    steps = np.empty(len(cosines), dtype=np.uint32)
    gather(head_ids[:n], head_weights[:n], articles, ring, steps)
    for row in range(len(cosines)):
        cosines[row] = steps[row] / ONE


@compiled
def _nearest(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    articles: int,
    ring: Ring,
    nearest: npt.NDArray[np.float64],
) -> None:
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    cosines = np.empty(min(articles, len(ring.lengths)), dtype=np.uint32)
    if len(cosines) == 0:
        return
    for row in range(len(indptr) - 1):
        start, end = indptr[row], indptr[row + 1]
        if start < end:
            n = head_of(ids[start:end], weights[start:end], head_ids, head_weights)
            gather(head_ids[:n], head_weights[:n], articles, ring, cosines)
            nearest[row] = np.max(cosines) / ONE


@compiled
def _follow(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    joins: npt.NDArray[np.bool_],
    articles: int,
    ring: Ring,
    nearest: npt.NDArray[np.float64],
) -> int:
    # Returns how many have ever joined.
    head_ids = np.empty(HEAVIEST, dtype=np.int32)
    head_weights = np.empty(HEAVIEST, dtype=np.uint16)
    cosines = np.empty(len(ring.lengths), dtype=np.uint32)
    for row in range(len(joins)):
        start, end = indptr[row], indptr[row + 1]
        if start == end:
            continue
        n = head_of(ids[start:end], weights[start:end], head_ids, head_weights)
        size = min(articles, len(ring.lengths))
        if size > 0:
            gather(head_ids[:n], head_weights[:n], articles, ring, cosines[:size])
            nearest[row] = np.max(cosines[:size]) / ONE
        if joins[row]:
            place(head_ids[:n], head_weights[:n], articles, ring)
            articles += 1
    return articles
