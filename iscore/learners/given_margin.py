"""A learner whose score is one of the features: what another learner, elsewhere, said of the example."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Explanation
from iscore.learners.online_classifier import OnlineClassifier

Floats = npt.NDArray[np.float64]


class GivenMargin(OnlineClassifier):
    """The value of one feature as the score; 0 where it is missing. Learns nothing.

    Parameters
    ----------
    column
        The feature's place in the vector, from 0.
    """

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def score_one(self, x: Floats) -> float:
        """See ``Learner``."""
        value = float(x[self.column])
        return value if math.isfinite(value) else 0.0

    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``."""
        values = np.asarray(X, dtype=np.float64)[:, self.column]
        return np.where(np.isfinite(values), values, 0.0)

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:  # noqa: ARG002
        """See ``Learner``."""
        return self.score_one(x)

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``."""
        n = len(x)
        chosen = np.arange(n) == self.column
        score = self.score_one(x)
        return Explanation(
            score=score,
            prior=0.0,
            contributions=np.where(chosen, score, 0.0),
            chosen=chosen,
            correlations=np.zeros(n),
            ranks=np.argsort(np.argsort(~chosen, kind="stable"), kind="stable"),
            subset_size=1,
        )

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""

    def _forget(self) -> None:
        pass
