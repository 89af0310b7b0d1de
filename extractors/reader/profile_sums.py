"""The sums of what a reader liked and of what they disliked, each also as it looks when the past fades.

From these every Rocchio profile mean(I) − γ·mean(N) follows for any γ without another pass: its cosine with an article
needs the article's products with the sums, and its length the sums' products with each other, which are kept up to
date. Fading is done the other way round, by letting new articles weigh more and more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from extractors.state import State, array
from extractors.text.terms import N_TERMS, TermBatch, TermVector

Floats = npt.NDArray[np.float64]

_LARGEST: Final = 2.0**40
_GONE: Final = 1e-30
"""Smaller parts of a sum have faded: they become 0 before they become denormal, which is slow."""
DISLIKED: Final = 0
LIKED: Final = 1
CROSS: Final = 2
"""Columns of weights and products: of either sum, and of one with the other."""
_NIL: Final = 1e-9
"""A profile so short, against the means that it is made of, is what rounding left of nothing."""


class Sums(NamedTuple):
    """The arrays of ``ProfileSums``, as the compiled functions below take them. n is the number of half-lives."""

    growth: Floats
    """By how much more each verdict weighs than the one before, shape (n,)."""
    scales: Floats
    """What a verdict of weight 1 adds now, shape (n,)."""
    weights: Floats
    """Of all that was disliked and liked, shape (n, 2)."""
    products: Floats
    """Shape (n, 3)."""
    rows: npt.NDArray[np.int32]
    """1 + where the term's sums stand, 0 for nowhere; shape (N_TERMS,)."""
    ids: npt.NDArray[np.int32]
    """The term of each row, with room for more."""
    sums: npt.NDArray[np.float32]
    """Disliked and liked for each half-life in turn, shape (rows, 2n)."""
    used: npt.NDArray[np.int64]
    """How many rows are used, shape (1,)."""


class ProfileSums:
    """Sums of articles' weights by term, for each of several half-lives.

    Memory: 4 bytes for each possible term, 4 MB, and 4 + 8 · half-lives bytes for each term in a judged article. The
    state is the latter alone.

    Parameters
    ----------
    half_lives
        In verdicts; infinity never fades.
    """

    def __init__(self, half_lives: Sequence[float]) -> None:
        n = len(half_lives)
        self._growth = np.array([2.0 ** (1.0 / half_life) for half_life in half_lives])
        self._scales = np.ones(n)  # what a verdict of weight 1 adds now
        self._weights = np.zeros((n, 2))
        self._products = np.zeros((n, 3))
        self._rows = np.zeros(N_TERMS, dtype=np.int32)  # 1 + where the term's sums stand, 0 for nowhere
        self._ids = np.empty(0, dtype=np.int32)
        self._sums = np.empty((0, 2 * n), dtype=np.float32)
        self._used = np.zeros(1, dtype=np.int64)

    def directions(self, gammas: Floats) -> Floats:
        """Return the profiles of length 1 for each half-life and γ, as factors of the disliked and the liked sum;
        shape (half-lives, γs, 2), NaN for a profile that is nil or when nothing was liked."""
        found = np.empty((len(self._scales), len(gammas), 2))
        find_directions(self._weights, self._products, gammas, found)
        return found

    def project(self, terms: TermBatch, which: int, direction: Floats) -> Floats:
        """Return each article's cosine with a direction under one half-life, given by its place; NaN without terms."""
        profile = np.zeros(len(terms.vocabulary))
        _profile(terms.vocabulary.terms, self._rows, self._sums, which, direction, profile)
        cosines = terms.sums(terms.weights, profile)
        cosines[np.diff(terms.indptr) == 0] = np.nan
        return cosines

    def products(self, terms: TermVector) -> Floats:
        """Return an article's products with all sums; shape (half-lives, 2)."""
        found = np.zeros((len(self._scales), 2))
        multiply(terms.ids, terms.weights, self._rows, self._sums, found)
        return found

    def add(self, terms: TermVector, liked: bool, weight: float) -> None:
        """Let all that was fade by one verdict, and an article join."""
        self.make_room(len(terms))
        join(terms.ids, terms.weights, int(liked), float(weight), self.arrays())

    def make_room(self, n_terms: int) -> None:
        """See to it that so many new terms have a place."""
        if self._used[0] + n_terms > len(self._ids):
            room = int(self._used[0]) + n_terms
            self._ids = np.concatenate([self._ids, np.zeros(room, dtype=np.int32)])
            self._sums = np.concatenate([self._sums, np.zeros((room, self._sums.shape[1]), dtype=np.float32)])

    def arrays(self) -> Sums:
        """Return everything remembered, to be modified by a kernel for which there is room."""
        return Sums(
            *(self._growth, self._scales, self._weights, self._products),
            *(self._rows, self._ids, self._sums, self._used),
        )

    def state(self) -> State:
        """Return a copy of the sums, in the order in which their terms came."""
        return {
            "ids": self._ids[: self._used[0]].copy(),
            "sums": self._sums[: self._used[0]].copy(),
            "scales": self._scales.copy(),
            "weights": self._weights.copy(),
            "products": self._products.copy(),
        }

    def restore(self, state: State) -> None:
        """Become the sums that returned ``state``."""
        self._ids = array(state, "ids", np.int32)
        self._sums = array(state, "sums", np.float32)
        self._used = np.array((len(self._ids),), dtype=np.int64)
        self._rows = np.zeros(N_TERMS, dtype=np.int32)
        self._rows[self._ids] = np.arange(1, len(self._ids) + 1)
        self._scales = array(state, "scales", np.float64)
        self._weights = array(state, "weights", np.float64)
        self._products = array(state, "products", np.float64)


@compiled
def find_directions(
    weights: npt.NDArray[np.float64],
    products: npt.NDArray[np.float64],
    gammas: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
) -> None:
    """Write ``ProfileSums.directions``."""
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
def _profile(
    ids: npt.NDArray[np.int32],
    rows: npt.NDArray[np.int32],
    sums: npt.NDArray[np.float32],
    which: int,
    direction: Floats,
    profile: Floats,
) -> None:
    """Write how much a direction has of each term; what no judged article had is left at 0."""
    disliked, liked = direction[DISLIKED], direction[LIKED]
    for place in range(len(ids)):
        row = rows[ids[place]] - 1
        if row >= 0:
            profile[place] = disliked * sums[row, 2 * which + DISLIKED] + liked * sums[row, 2 * which + LIKED]


@compiled
def multiply(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    rows: npt.NDArray[np.int32],
    sums: npt.NDArray[np.float32],
    products: npt.NDArray[np.float64],
) -> None:
    """Add an article's products with all sums to ``products`` (half-lives, 2)."""
    for i in range(len(ids)):
        row = rows[ids[i]] - 1
        if row >= 0:
            for which in range(len(products)):
                products[which, DISLIKED] += weights[i] * sums[row, 2 * which + DISLIKED]
                products[which, LIKED] += weights[i] * sums[row, 2 * which + LIKED]


@compiled
def _add(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    label: int,
    added: npt.NDArray[np.float64],
    n_terms: int,
    rows: npt.NDArray[np.int32],
    places: npt.NDArray[np.int32],
    sums: npt.NDArray[np.float32],
    products: npt.NDArray[np.float64],
) -> int:
    # Returns how many terms there are now. The products are those of the sums as they are rounded.
    for i in range(len(ids)):
        row = rows[ids[i]] - 1
        if row < 0:
            row = n_terms
            n_terms += 1
            places[row] = ids[i]
            rows[ids[i]] = row + 1
        for which in range(len(added)):
            before = np.float64(sums[row, 2 * which + label])
            sums[row, 2 * which + label] = before + added[which] * weights[i]
            after = np.float64(sums[row, 2 * which + label])
            products[which, label] += (after - before) * (after + before)
            products[which, CROSS] += (after - before) * sums[row, 2 * which + 1 - label]
    return n_terms


@compiled
def _shrink(which: int, sums: Sums) -> None:
    # By a power of two, so that nothing is rounded.
    largest = np.float32(_LARGEST)
    for row in range(sums.used[0]):
        for column in range(2 * which, 2 * which + 2):
            smaller = sums.sums[row, column] / largest
            sums.sums[row, column] = np.float32(0.0) if abs(smaller) < np.float32(_GONE) else smaller
    sums.scales[which] /= _LARGEST
    sums.weights[which] /= _LARGEST
    sums.products[which] /= _LARGEST**2


@compiled
def join(ids: npt.NDArray[np.int32], weights: npt.NDArray[np.float32], label: int, weight: float, sums: Sums) -> None:
    """Let all that was fade by one verdict, and an article join, for whose terms there is room."""
    for which in range(len(sums.scales)):
        sums.scales[which] *= sums.growth[which]
    added = weight * sums.scales
    for which in range(len(added)):
        sums.weights[which, label] += added[which]
    sums.used[0] = _add(ids, weights, label, added, sums.used[0], sums.rows, sums.ids, sums.sums, sums.products)
    for which in range(len(sums.scales)):
        if sums.scales[which] > _LARGEST:
            _shrink(which, sums)
