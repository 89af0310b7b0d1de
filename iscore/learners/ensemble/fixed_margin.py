"""A learner whose score is a feature, or the sum of some: the margins of other learners."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Explanation, Floats
from iscore.learners.online_classifier import OnlineClassifier


class FixedMargin(OnlineClassifier):
    """The sum of some features as the score, of which what is missing is 0. Learns nothing.

    Parameters
    ----------
    columns
        The positions of the features in the vector, from 0; all different.

    Examples
    --------
    >>> FixedMargin(columns=(0, 2)).score_one([1.5, 7.0, -0.5])
    1.0
    """

    NAME_IN_STATES = "GivenMargin"

    def __init__(self, columns: Sequence[int] = (0,)) -> None:
        self.columns = columns

    def score_one(self, x: Floats) -> float:
        """See ``Learner``."""
        total = 0.0
        for column in self.columns:
            value = float(x[column])
            total += value if math.isfinite(value) else 0.0
        return total

    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``."""
        X = np.asarray(X, dtype=np.float64)
        total = np.zeros(len(X))
        for column in self.columns:
            total += np.where(np.isfinite(X[:, column]), X[:, column], 0.0)
        return total

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:  # noqa: ARG002 -- the base class's parameters
        """See ``Learner``."""
        return self.score_one(x)

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:  # noqa: ARG002 -- the base class's parameters
        """See ``OnlineClassifier``."""
        return self.score_many(X)

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``."""
        n = len(x)
        chosen = np.isin(np.arange(n), self.columns)
        return Explanation(
            score=self.score_one(x),
            prior=0.0,
            contributions=np.where(chosen & np.isfinite(x), x, 0.0),
            chosen=chosen,
            correlations=np.zeros(n),
            ranks=np.argsort(np.argsort(~chosen, kind="stable"), kind="stable"),
            subset_size=len(self.columns),
        )

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""

    def _forget(self) -> None:
        pass
