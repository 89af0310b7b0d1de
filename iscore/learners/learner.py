"""What the pipeline asks of a learner: two verbs, score and learn, on one dense vector of features at a time.

A score is in log-odds or a margin: above 0 says interesting, below 0 not, and 0 is neutral. NaN in a vector is a
missing value; so is any other value that is not finite. No verb changes the vector that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an article has its score. All arrays are of length n_features, in the order of the features."""

    score: float
    """What ``score_one`` returns for the same article."""

    prior: float
    """Log-odds before any feature is looked at."""

    contributions: Floats
    """log p(f|interesting) - log p(f|not), for chosen features and others alike; 0 where the value is missing."""

    chosen: npt.NDArray[np.bool_]
    """Whether the feature belongs to the chosen subset; score = prior + the sum of the chosen contributions."""

    correlations: Floats
    """Running correlation with the verdicts, in [-1, 1]; 0 where nothing is known or the learner keeps none."""

    ranks: npt.NDArray[np.int64]
    """Place of each feature by usefulness, 0 the most useful."""

    subset_size: int
    """How many features are chosen: those of rank below this number."""


class Learner(Protocol):
    """A binary classifier that learns one example at a time."""

    def score_one(self, x: Floats) -> float:
        """Return the score of the vector ``x`` of length n_features; 0.0 before both classes have been seen.

        Changes nothing. Raises ``ValueError`` when the length is not that of the vectors learned.
        """

    def score_many(self, X: Floats) -> Floats:
        """Return the scores of the rows of ``X``, equal bit for bit to ``score_one`` of each."""

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """Take in one example of the given weight, and return the score that ``score_one`` gave it just before.

        A weight of 0 teaches nothing.

        The first example fixes the number of features. Raises ``ValueError`` when the length is another, or the
        weight is negative or not finite.
        """

    def learn_many(self, X: Floats, interesting: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        """Take in the rows of ``X`` one after the other; return what ``learn_one`` returns of each, bit for bit."""

    def explain_one(self, x: Floats) -> Explanation:
        """Return what moved the score of ``x``. Changes nothing."""

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned: typed arrays and scalars by name, possibly nested."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become, bit for bit, the learner that returned ``state``; both must have equal parameters.

        Raises ``ValueError`` when the state is of a learner with other parameters.
        """
