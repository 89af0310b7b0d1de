"""Profiles of topics: a bounded number of sums of articles, each cut to its heaviest terms, and how close articles are
to each.

All entries of one term, in whatever profile, are chained, so that one pass over an article's terms gives its cosine
with every profile.
"""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from extractors.state import State, array
from extractors.text.terms import N_TERMS, TermBatch

Floats = npt.NDArray[np.float64]

WIDTH: Final = 64
"""Terms of a profile. 128 and 256 followed Reuters no better."""


class Profiles(NamedTuple):
    """The arrays of ``TopicProfiles``, as the compiled functions below take them."""

    lengths: Floats
    """Euclidean length of each profile; 0 is a free place. Shape (capacity,)."""
    first: npt.NDArray[np.int32]
    """1 + the first entry of each term, 0 for none; shape (N_TERMS,)."""
    links: npt.NDArray[np.int32]
    """1 + the next and the last entry of the same term; shape (capacity · WIDTH, 2)."""
    ids: npt.NDArray[np.int32]
    """The term of each entry, −1 is no entry."""
    weights: npt.NDArray[np.float32]


class TopicProfiles:
    """At most ``capacity`` profiles, each in a place of its own.

    Memory: 4 bytes for each possible term, 4 MB, and 16 bytes for each of the ``capacity · WIDTH`` entries, of which
    half is the state.
    """

    def __init__(self, capacity: int) -> None:
        entries = capacity * WIDTH
        self.lengths: Floats = np.zeros(capacity)
        """Euclidean length of each profile; 0 is a free place."""
        self._first = np.zeros(N_TERMS, dtype=np.int32)
        self._links = np.zeros((entries, 2), dtype=np.int32)
        self._ids = np.full(entries, -1, dtype=np.int32)
        self._weights = np.zeros(entries, dtype=np.float32)

    def arrays(self) -> Profiles:
        """Return the arrays, to be modified by a kernel."""
        return Profiles(self.lengths, self._first, self._links, self._ids, self._weights)

    def largest(self, terms: TermBatch, factors: Floats) -> Floats:
        """Return for each article the largest of its cosines times ``factors`` (one per profile), NaN without terms; at
        least 0."""
        found = np.full(len(terms), np.nan)
        _largest(terms.indptr, terms.ids, terms.weights, self.arrays(), factors, found)
        return found

    def state(self) -> State:
        """Return a copy of the entries, place by place."""
        return {"ids": self._ids.copy(), "weights": self._weights.copy(), "lengths": self.lengths.copy()}

    def restore(self, state: State) -> None:
        """Become the profiles that returned ``state``."""
        self._ids = array(state, "ids", np.int32)
        self._weights = array(state, "weights", np.float32)
        self.lengths = array(state, "lengths", np.float64)
        self._first = np.zeros(N_TERMS, dtype=np.int32)
        self._links = np.zeros((len(self._ids), 2), dtype=np.int32)
        for place in range(len(self.lengths)):
            _link(place, self._first, self._links, self._ids)


@compiled
def _multiply(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    first: npt.NDArray[np.int32],
    links: npt.NDArray[np.int32],
    entries: npt.NDArray[np.float32],
    products: npt.NDArray[np.float64],
) -> None:
    # A profile has a term at most once: its product adds up in the order of the article's terms, whatever the chains'.
    for i in range(len(ids)):
        entry = first[ids[i]] - 1
        while entry >= 0:
            products[entry // WIDTH] += np.float64(weights[i]) * entries[entry]
            entry = links[entry, 0] - 1


@compiled
def find_cosines(
    ids: npt.NDArray[np.int32], weights: npt.NDArray[np.float32], profiles: Profiles, cosines: Floats
) -> None:
    """Write an article's cosine with each profile, 0 for a free place."""
    cosines[:] = 0.0
    _multiply(ids, weights, profiles.first, profiles.links, profiles.weights, cosines)
    for place in range(len(cosines)):
        if profiles.lengths[place] > 0.0:
            cosines[place] /= profiles.lengths[place]


@compiled
def largest_product(cosines: Floats, factors: Floats) -> float:
    """Return the largest cosine times its factor, at least 0."""
    highest = 0.0
    for place in range(len(cosines)):
        if cosines[place] > 0.0:
            highest = max(highest, cosines[place] * factors[place])
    return highest


@compiled
def _largest(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    profiles: Profiles,
    factors: Floats,
    largest: Floats,
) -> None:
    cosines = np.empty(len(factors))
    for row in range(len(indptr) - 1):
        start, end = indptr[row], indptr[row + 1]
        if start < end:
            find_cosines(ids[start:end], weights[start:end], profiles, cosines)
            largest[row] = largest_product(cosines, factors)


@compiled
def _link(place: int, first: npt.NDArray[np.int32], links: npt.NDArray[np.int32], terms: npt.NDArray[np.int32]) -> None:
    for entry in range(place * WIDTH, (place + 1) * WIDTH):
        term = terms[entry]
        if term < 0:
            break
        links[entry, 0] = first[term]
        links[entry, 1] = 0
        if first[term] > 0:
            links[first[term] - 1, 1] = entry + 1
        first[term] = entry + 1


@compiled
def _unlink(
    place: int, first: npt.NDArray[np.int32], links: npt.NDArray[np.int32], terms: npt.NDArray[np.int32]
) -> None:
    for entry in range(place * WIDTH, (place + 1) * WIDTH):
        term = terms[entry]
        if term < 0:
            break
        following, before = links[entry]
        if following > 0:
            links[following - 1, 1] = before
        if before > 0:
            links[before - 1, 0] = following
        else:
            first[term] = following
        terms[entry] = -1


@compiled
def _heaviest(sums: npt.NDArray[np.float32], order: npt.NDArray[np.int64]) -> int:
    # Writes the places of the largest in descending order, the earlier first where equal; returns how many there are.
    # By insertion, since numpy's functions that sort take seconds to compile.
    n = 0
    for i in range(len(sums)):
        if n < len(order):
            at = n
            n += 1
        elif sums[i] > sums[order[n - 1]]:
            at = n - 1
        else:
            continue
        while at > 0 and sums[order[at - 1]] < sums[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    return n


@compiled
def _join(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    weight: float,
    place: int,
    first: npt.NDArray[np.int32],
    links: npt.NDArray[np.int32],
    terms: npt.NDArray[np.int32],
    entries: npt.NDArray[np.float32],
) -> float:
    # Returns the profile's length.
    start = place * WIDTH
    n = 0
    while n < WIDTH and terms[start + n] >= 0:
        n += 1
    candidates = np.empty(n + len(ids), dtype=np.int32)
    sums = np.empty(n + len(ids), dtype=np.float32)
    for k in range(n):
        candidates[k] = terms[start + k]
        sums[k] = entries[start + k]
    for i in range(len(ids)):
        entry = first[ids[i]] - 1
        while entry >= 0 and entry // WIDTH != place:
            entry = links[entry, 0] - 1
        if entry >= 0:
            sums[entry - start] += weight * weights[i]
        else:
            candidates[n] = ids[i]
            sums[n] = weight * weights[i]
            n += 1
    _unlink(place, first, links, terms)
    order = np.empty(WIDTH, dtype=np.int64)
    n_chosen = _heaviest(sums[:n], order)
    squared = 0.0
    for k in range(n_chosen):
        terms[start + k] = candidates[order[k]]
        entries[start + k] = sums[order[k]]
        squared += np.float64(entries[start + k]) * entries[start + k]
    for k in range(n, WIDTH):
        entries[start + k] = 0.0
    _link(place, first, links, terms)
    return sqrt(squared)


@compiled
def join(
    ids: npt.NDArray[np.int32], weights: npt.NDArray[np.float32], weight: float, place: int, profiles: Profiles
) -> None:
    """Add an article to the profile at a place, or found one at a free place; the lightest terms fall out."""
    _, first, links, terms, entries = profiles
    profiles.lengths[place] = _join(ids, weights, weight, place, first, links, terms, entries)


@compiled
def drop(place: int, profiles: Profiles) -> None:
    """Free a place."""
    _unlink(place, profiles.first, profiles.links, profiles.ids)
    profiles.lengths[place] = 0.0


@compiled
def shrink(profiles: Profiles, divisor: float) -> None:
    """Divide all profiles by a power of two."""
    profiles.weights[:] /= np.float32(divisor)
    profiles.lengths[:] /= divisor
