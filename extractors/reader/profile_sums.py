"""Decayed sums of the articles that a user liked and disliked, from which Rocchio profiles follow.

Every profile mean(I) − γ·mean(N) follows for any γ without another pass: its cosine with an article needs the article's
products with the two sums, and its length the sums' products with each other, which are kept up to date. Old articles
lose weight because new ones get more and more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from extractors.arrays import Float32s, Floats, Int32s, Int64s, State, array
from extractors.hash_table import Places
from extractors.numba_kernel import compiled, inner
from extractors.text.terms import N_TERMS, TermBatch

_LARGEST: Final = 2.0**40
_GONE: Final = 1e-30
"""Smaller parts of a sum become 0 before they become denormal numbers, which are slow."""
DISLIKED: Final = 0
LIKED: Final = 1
CROSS: Final = 2
"""Columns of weights and products: of either sum, and of one with the other."""
_NIL: Final = 1e-9
"""A profile shorter than this, relative to its two means, is a rounding error."""


class Sums(NamedTuple):
    """The arrays of ``ProfileSums``, as compiled functions take them. n is the number of half-lives.

    Terms come as places, 1, 2, … in the order in which they were learned, and 0 for unknown ones.
    """

    growth: Floats
    """Factor by which each verdict weighs more than the one before, shape (n,)."""
    scales: Floats
    """Weight of the newest verdict, shape (n,)."""
    weights: Floats
    """Of all disliked and liked articles, shape (n, 2)."""
    products: Floats
    """Shape (n, 3)."""
    sums: Float32s
    """Disliked and liked for each half-life in turn; the row of place 1 is the first; shape (rows, 2n)."""
    used: Int64s
    """Number of rows in use, shape (1,)."""


class ProfileSums:
    """Sums of articles' weights by term, for each of several half-lives.

    Memory: for each term in an article with a verdict up to 36 bytes for its place, and up to twice 8 · half-lives.
    The state has 4 + 8 · half-lives of them.

    Parameters
    ----------
    half_lives
        In verdicts; infinity never decays.
    """

    def __init__(self, half_lives: Sequence[float]) -> None:
        n = len(half_lives)
        self.arrays = Sums(
            growth=np.array([2.0 ** (1.0 / half_life) for half_life in half_lives]),
            scales=np.ones(n),
            weights=np.zeros((n, 2)),
            products=np.zeros((n, 3)),
            sums=np.empty((0, 2 * n), dtype=np.float32),
            used=np.zeros(1, dtype=np.int64),
        )
        self._places = Places(N_TERMS)

    def directions(self, gammas: Floats) -> Floats:
        """Return the profiles of length 1 for each half-life and γ, as factors of the disliked and the liked sum;
        shape (half-lives, γs, 2), NaN for a zero profile or without liked articles."""
        found = np.empty((len(self.arrays.scales), len(gammas), 2))
        find_directions(self.arrays, gammas, found)
        return found

    def project(self, terms: TermBatch, which: int, direction: Floats) -> Floats:
        """Return each article's cosine with a direction under half-life number ``which``; NaN without terms."""
        profile = np.zeros(len(terms.vocabulary))
        _profile(self._places.find(terms.vocabulary.terms), self.arrays, which, direction, profile)
        cosines = terms.sums(terms.weights, profile)
        cosines[np.diff(terms.indptr) == 0] = np.nan
        return cosines

    def claim(self, terms: Int32s) -> Int32s:
        """Return the places of the terms of articles that are to be added in this order; there is room for them."""
        places, sums = self._places.claim(terms), self.arrays.sums
        count = self._places.count
        if count > len(sums):
            spare = np.zeros((2 * count - len(sums), sums.shape[1]), dtype=np.float32)
            self.arrays = self.arrays._replace(sums=np.concatenate([sums, spare]))
        return places

    def state(self) -> State:
        """Return a copy of the sums, in the order in which their terms came."""
        used = self.arrays.used[0]
        return {
            "ids": self._places.coordinates[:used].copy(),
            "sums": self.arrays.sums[:used].copy(),
            "scales": self.arrays.scales.copy(),
            "weights": self.arrays.weights.copy(),
            "products": self.arrays.products.copy(),
        }

    def restore(self, state: State) -> None:
        """Become the sums that returned ``state``."""
        ids = array(state, "ids", np.int32)
        self._places = Places(N_TERMS)
        self._places.claim(ids)
        self.arrays = Sums(
            growth=self.arrays.growth,
            scales=array(state, "scales", np.float64),
            weights=array(state, "weights", np.float64),
            products=array(state, "products", np.float64),
            sums=array(state, "sums", np.float32),
            used=np.array((len(ids),), dtype=np.int64),
        )


@compiled
def find_directions(sums: Sums, gammas: Floats, directions: Floats) -> None:
    """Write ``ProfileSums.directions``."""
    weights, products = sums.weights, sums.products
    directions[:] = np.nan
    for which in range(len(weights)):
        if weights[which, LIKED] <= 0.0:
            continue
        liked = 1.0 / weights[which, LIKED]
        for g in range(len(gammas)):
            disliked = -gammas[g] / weights[which, DISLIKED] if weights[which, DISLIKED] > 0.0 else 0.0
            own = disliked * disliked * products[which, DISLIKED] + liked * liked * products[which, LIKED]
            squared = own + 2.0 * disliked * liked * products[which, CROSS]
            if squared > _NIL * own:
                directions[which, g, DISLIKED] = disliked / squared**0.5
                directions[which, g, LIKED] = liked / squared**0.5


@compiled
def _profile(places: Int32s, sums: Sums, which: int, direction: Floats, profile: Floats) -> None:
    """Write each term's weight in a direction; unknown terms keep 0."""
    disliked, liked = direction[DISLIKED], direction[LIKED]
    for place in range(len(places)):
        row = places[place] - 1
        if 0 <= row < sums.used[0]:
            profile[place] = disliked * sums.sums[row, 2 * which + DISLIKED] + liked * sums.sums[row, 2 * which + LIKED]


@inner
def multiply(places: Int32s, weights: Float32s, sums: Sums, products: Floats) -> None:
    """Add an article's products with all sums to ``products`` (half-lives, 2)."""
    for i in range(len(places)):
        row = places[i] - 1
        if 0 <= row < sums.used[0]:
            for which in range(len(products)):
                products[which, DISLIKED] += weights[i] * sums.sums[row, 2 * which + DISLIKED]
                products[which, LIKED] += weights[i] * sums.sums[row, 2 * which + LIKED]


@inner
def _add(places: Int32s, weights: Float32s, label: int, added: Floats, sums: Sums) -> None:
    """Add an article's terms; the products are those of the rounded sums."""
    table, products = sums.sums, sums.products
    for i in range(len(places)):
        row = places[i] - 1
        sums.used[0] = max(sums.used[0], row + 1)
        for which in range(len(added)):
            before = np.float64(table[row, 2 * which + label])
            table[row, 2 * which + label] = before + added[which] * weights[i]
            after = np.float64(table[row, 2 * which + label])
            products[which, label] += (after - before) * (after + before)
            products[which, CROSS] += (after - before) * table[row, 2 * which + 1 - label]


@inner
def _shrink(which: int, sums: Sums) -> None:
    """Divide by a power of two, so that nothing is rounded."""
    largest = np.float32(_LARGEST)
    for row in range(sums.used[0]):
        for column in range(2 * which, 2 * which + 2):
            smaller = sums.sums[row, column] / largest
            sums.sums[row, column] = np.float32(0.0) if abs(smaller) < np.float32(_GONE) else smaller
    sums.scales[which] /= _LARGEST
    sums.weights[which, DISLIKED] /= _LARGEST
    sums.weights[which, LIKED] /= _LARGEST
    for column in range(3):
        sums.products[which, column] /= _LARGEST**2


@inner
def add_article(places: Int32s, weights: Float32s, label: int, weight: float, sums: Sums) -> None:
    """Let all sums decay by one verdict, and add an article, whose terms have been claimed."""
    for which in range(len(sums.scales)):
        sums.scales[which] *= sums.growth[which]
    added = np.empty(len(sums.scales))
    for which in range(len(added)):
        added[which] = weight * sums.scales[which]
        sums.weights[which, label] += added[which]
    _add(places, weights, label, added, sums)
    for which in range(len(sums.scales)):
        if sums.scales[which] > _LARGEST:
            _shrink(which, sums)
