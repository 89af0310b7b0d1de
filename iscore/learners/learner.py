"""The interface of a learner: ``score_one`` and ``learn_one`` on one dense vector of features at a time.

A score is in log-odds or a margin: above 0 means interesting, below 0 not, and 0 is neutral. NaN in a vector is a
missing value; so is any other value that is not finite. No method changes the vector that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a score consists of. All arrays have the length n_features, in the order of the features."""

    score: float
    """What ``score_one`` returns for the same article."""

    prior: float
    """Log-odds without any feature."""

    contributions: Floats
    """What each feature adds to the score, or would add if it were chosen; 0 where the value is missing."""

    chosen: Bools
    """Whether the feature belongs to the chosen subset; score = prior + the sum of the chosen contributions."""

    correlations: Floats
    """Running correlation with the labels, in [-1, 1]; 0 where it is not known or the learner has none."""

    ranks: Ints
    """Rank of each feature by usefulness, 0 the most useful."""

    subset_size: int
    """How many features are chosen: those of rank below this number."""


def ranks_by_size(values: Floats) -> Ints:
    """Return the rank of each of n features by the size of its value, 0 the largest; of equals the first is higher."""
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.argsort(-np.abs(values), kind="stable")] = np.arange(len(values))
    return ranks


class Learner(Protocol):
    """A binary classifier that learns one example at a time."""

    def score_one(self, x: Floats) -> float:
        """Return the score of the vector ``x`` of length n_features; 0.0 before both classes have been seen.

        Changes nothing. Raises ``ValueError`` when the length is not that of the vectors learned.
        """

    def score_many(self, X: Floats) -> Floats:
        """Return the scores of the rows of ``X``, equal bit for bit to ``score_one`` of each."""

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """Learn one example of the given weight; return the score that ``score_one`` gave it just before.

        An example of weight 0 changes nothing. The first example sets the number of features. Raises ``ValueError``
        for a vector of another length, and for a weight that is negative or not finite.
        """

    def learn_many(self, X: Floats, interesting: Bools, weights: Floats) -> Floats:
        """Learn the rows of ``X`` in order; return what ``learn_one`` returns of each, bit for bit."""

    def explain_one(self, x: Floats) -> Explanation:
        """Return the parts of the score of ``x``. Changes nothing."""

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned: typed arrays and scalars by name, possibly nested."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue, bit for bit, where the learner that returned ``state`` was; both need equal parameters.

        Raises ``ValueError`` for the state of a learner with other parameters.
        """
