"""Profiles of topics: a bounded number of sums of articles, each reduced to its heaviest terms, and how close articles
are to each.

All entries of one term, in whatever profile, are chained, so that one pass over an article's terms gives its cosine
with every profile.
"""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from extractors.arrays import Float32s, Floats, Int32s, Int64s, State, array
from extractors.numba_kernel import inner

WIDTH: Final = 64
"""Terms of a profile. 128 and 256 gave no better features on Reuters."""


class Profiles(NamedTuple):
    """A fixed number of places for profiles, the capacity. Terms are numbers below ``n_terms``.

    Memory: 4 bytes for each possible term, and 16 bytes for each of the ``capacity · WIDTH`` entries, of which half is
    the state.
    """

    lengths: Floats
    """Euclidean length of each profile; 0 is a free place. Shape (capacity,)."""
    first: Int32s
    """1 + the first entry of each term, 0 for none; shape (n_terms,)."""
    links: Int32s
    """1 + the next and the previous entry of the same term; shape (capacity · WIDTH, 2)."""
    ids: Int32s
    """The term of each entry, −1 for no entry; place p owns the entries from p · WIDTH."""
    weights: Float32s

    @classmethod
    def empty(cls, capacity: int, n_terms: int) -> Profiles:
        """Return free places."""
        entries = capacity * WIDTH
        return cls(
            np.zeros(capacity),
            np.zeros(n_terms, dtype=np.int32),
            np.zeros((entries, 2), dtype=np.int32),
            np.full(entries, -1, dtype=np.int32),
            np.zeros(entries, dtype=np.float32),
        )

    @classmethod
    def of(cls, state: State, n_terms: int) -> Profiles:
        """Return the profiles that gave ``state``."""
        profiles = cls.empty(len(array(state, "lengths", np.float64)), n_terms)
        profiles.lengths[:] = array(state, "lengths", np.float64)
        profiles.ids[:] = array(state, "ids", np.int32)
        profiles.weights[:] = array(state, "weights", np.float32)
        # Each term's entries in a row, as ``_link`` would chain them place by place.
        entries = np.argsort(profiles.ids, kind="stable")
        entries = entries[profiles.ids[entries] >= 0]
        same = profiles.ids[entries[1:]] == profiles.ids[entries[:-1]]
        older, newer = entries[:-1][same], entries[1:][same]
        profiles.links[newer, 0], profiles.links[older, 1] = older + 1, newer + 1
        newest = entries[np.append(~same, True)] if len(entries) else entries
        profiles.first[profiles.ids[newest]] = newest + 1
        return profiles

    def with_terms(self, n_terms: int) -> Profiles:
        """Return the same profiles with room for at least ``n_terms`` distinct terms."""
        if n_terms <= len(self.first):
            return self
        spare = np.zeros(2 * n_terms - len(self.first), dtype=np.int32)
        return self._replace(first=np.concatenate([self.first, spare]))

    def state(self) -> State:
        """Return a copy of the entries, place by place."""
        return {"ids": self.ids.copy(), "weights": self.weights.copy(), "lengths": self.lengths.copy()}


@inner
def find_cosines(ids: Int32s, weights: Float32s, profiles: Profiles, cosines: Floats) -> None:
    """Write an article's cosine with each profile, 0 for a free place."""
    cosines[:] = 0.0
    # A profile has a term at most once: its product adds up in the order of the article's terms.
    for i in range(len(ids)):
        entry = profiles.first[ids[i]] - 1
        while entry >= 0:
            cosines[entry // WIDTH] += np.float64(weights[i]) * profiles.weights[entry]
            entry = profiles.links[entry, 0] - 1
    for place in range(len(cosines)):
        if profiles.lengths[place] > 0.0:
            cosines[place] /= profiles.lengths[place]


@inner
def largest_product(cosines: Floats, factors: Floats) -> float:
    """Return the largest cosine times its factor, at least 0."""
    highest = 0.0
    for place in range(len(cosines)):
        if cosines[place] > 0.0:
            highest = max(highest, cosines[place] * factors[place])
    return highest


@inner
def _link(place: int, profiles: Profiles) -> None:
    first, links = profiles.first, profiles.links
    for entry in range(place * WIDTH, (place + 1) * WIDTH):
        term = profiles.ids[entry]
        if term < 0:
            break
        links[entry, 0] = first[term]
        links[entry, 1] = 0
        if first[term] > 0:
            links[first[term] - 1, 1] = entry + 1
        first[term] = entry + 1


@inner
def _unlink(place: int, profiles: Profiles) -> None:
    first, links = profiles.first, profiles.links
    for entry in range(place * WIDTH, (place + 1) * WIDTH):
        term = profiles.ids[entry]
        if term < 0:
            break
        following, before = links[entry]
        if following > 0:
            links[following - 1, 1] = before
        if before > 0:
            links[before - 1, 0] = following
        else:
            first[term] = following
        profiles.ids[entry] = -1


@inner
def _heaviest(sums: Float32s, order: Int64s) -> int:
    """Write the places of the largest sums in descending order, the earlier first among equals; return their number."""
    # By insertion, since numpy's sorting functions take seconds to compile.
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


@inner
def join(ids: Int32s, weights: Float32s, weight: float, place: int, profiles: Profiles) -> None:
    """Add an article to the profile at a place, or start one at a free place; the lightest terms are dropped."""
    terms, entries = profiles.ids, profiles.weights
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
        entry = profiles.first[ids[i]] - 1
        while entry >= 0 and entry // WIDTH != place:
            entry = profiles.links[entry, 0] - 1
        if entry >= 0:
            sums[entry - start] += weight * weights[i]
        else:
            candidates[n] = ids[i]
            sums[n] = weight * weights[i]
            n += 1
    _unlink(place, profiles)
    order = np.empty(WIDTH, dtype=np.int64)
    n_chosen = _heaviest(sums[:n], order)
    squared = 0.0
    for k in range(n_chosen):
        terms[start + k] = candidates[order[k]]
        entries[start + k] = sums[order[k]]
        squared += np.float64(entries[start + k]) * entries[start + k]
    for k in range(n, WIDTH):
        entries[start + k] = 0.0
    _link(place, profiles)
    profiles.lengths[place] = sqrt(squared)


@inner
def drop(place: int, profiles: Profiles) -> None:
    """Free a place."""
    _unlink(place, profiles)
    profiles.lengths[place] = 0.0


@inner
def shrink(profiles: Profiles, divisor: float) -> None:
    """Divide all profiles by a power of two."""
    weights, lengths = profiles.weights, profiles.lengths
    for entry in range(len(weights)):
        weights[entry] /= np.float32(divisor)
    for place in range(len(lengths)):
        lengths[place] /= divisor
