"""A ring of the last articles by their heaviest terms, arranged so that one pass gives the cosine with each of them.

An article is reduced to its ``HEAVIEST`` heaviest terms, scaled to length 1 again: its head. Heads lie in a ring, the
newest over the oldest. All entries of one term are chained from the newest to the oldest by their running numbers; a
chain ends at the first number that has been overwritten. So nothing is ever removed, and a query costs as much as
there are entries with its terms: exact, where random projections find only near-duplicates.

Cosines are counted in steps of 1/``ONE``: sums of whole numbers are the same in any order.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from extractors.arrays import Float32s, Int32s, Int64s, UInt16s, UInt32s
from extractors.numba_kernel import inner

HEAVIEST: Final = 28
"""Terms in a head. The terms left out of longer articles are their commonest, which say least and cost most: 32 and 48
gave the same quartiles of novelty within 0.01 on Reuters, for two and three times the work."""

WIDTH: Final = 32
"""Places of a head in the ring; a power of two."""

STEPS: Final = 65_520
"""Weights are stored in steps of 1/``STEPS``, so that a link fits into one number, and so that the inner product of two
heads fits into 32 bits, rounding included."""

ONE: Final = STEPS * STEPS
"""A cosine of 1."""

BITS: Final = 16
WEIGHT: Final = (1 << BITS) - 1
"""Mask of the weight in a link."""


class Ring(NamedTuple):
    """The arrays of a ring; its capacity is a power of two."""

    first: Int64s
    """1 + number of the newest entry of each term, 0 for none; shape (n_terms,)."""
    links: Int64s
    """2^16 · (1 + number of the next older entry of the same term) + weight. An entry's place in the ring is its
    number modulo the shape; shape (capacity · WIDTH,)."""
    ids: Int32s
    """Terms by place; shape (capacity · WIDTH,)."""
    lengths: Int32s
    """Terms of each head; shape (capacity,)."""

    @classmethod
    def empty(cls, capacity: int, n_terms: int) -> Ring:
        """Return the arrays of an empty ring for terms below ``n_terms``; the capacity is a power of two."""
        places = capacity * WIDTH
        return cls(
            np.zeros(n_terms, dtype=np.int64),
            np.zeros(places, dtype=np.int64),
            np.zeros(places, dtype=np.int32),
            np.zeros(capacity, dtype=np.int32),
        )


@inner
def head_of(
    ids: Int32s,
    weights: Float32s,
    head_ids: Int32s,
    head_weights: UInt16s,
) -> int:
    """Write an article's heaviest terms in ascending order of their ids, the smaller id first where weights are equal,
    and their weights in steps; return how many there are. There has to be room for ``HEAVIEST``."""
    # By insertion, since most terms are lighter than the lightest chosen so far; numpy's functions take seconds to
    # compile.
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


@inner
def squared_length(row: int, ring: Ring) -> int:
    """Return the squared length of the head in a row, in steps of 1/``ONE``: nearly ``ONE``."""
    square = 0
    for at in range(row * WIDTH, row * WIDTH + ring.lengths[row]):
        square += (ring.links[at] & WEIGHT) ** 2
    return square


@inner
def place(
    head_ids: Int32s,
    head_weights: UInt16s,
    article: int,
    ring: Ring,
) -> None:
    """Write a head into the ring as that of article number ``article``."""
    row = article % len(ring.lengths)
    ring.lengths[row] = len(head_ids)
    for k in range(len(head_ids)):
        at = row * WIDTH + k
        ring.ids[at] = head_ids[k]
        ring.links[at] = (ring.first[head_ids[k]] << BITS) + head_weights[k]
        ring.first[head_ids[k]] = article * WIDTH + k + 1


@inner
def gather(
    head_ids: Int32s,
    head_weights: UInt16s,
    articles: int,
    ring: Ring,
    cosines: UInt32s,
) -> None:
    """Write the cosine of a head with each head of the window, by row, in steps of 1/``ONE``."""
    # All chains are read side by side, so that the processor waits for many links at once and not for each in turn.
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
            cosines[at // WIDTH] += np.uint32(weights[k] * (link & WEIGHT))
            entry = link >> BITS
            if entry > gone:
                entries[alive], weights[alive] = entry, weights[k]
                alive += 1
        chains = alive
