"""Features on one scale for a linear learner: by the mean and the deviation that each has had so far.

    x′ = (x - mean) / sd,   bounded by ±BOUND;   a missing value, and one of a feature that has not varied, is 0

Mean and deviation are those of the examples before, so that an example is judged and learned by the same numbers, and
its own label has no part in them. Weights learned from earlier numbers stay as they are: means settle as 1/√k.

Source: Bollegala, Feature Scaling for Online Learning of Binary Classifiers, section 3, which counts the example itself
in and divides by k - 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.learner import Learner
from iscore.learners.linear.passive_aggressive import PassiveAggressive
from iscore.learners.preprocessing.base import Coded

Floats = npt.NDArray[np.float64]

BOUND = 5.0
"""Deviations from the mean. One odd value shall not outweigh forty others, nor the first examples all that follow."""

LEAST_DEVIATION = 1e-9
"""Relative to the mean: what is smaller is rounding, not variation."""


class Standardised(Coded):
    """A learner for two classes over vectors of features that are standardised as they run.

    Parameters
    ----------
    learner
        Any ``Learner`` that is a scikit-learn estimator, a linear one with a bias, say; None, the default, is
        ``PassiveAggressive(bias=True)``. It is not changed.
    """

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner

    def _default(self) -> Learner:
        return PassiveAggressive(bias=True)

    def _open(self) -> None:
        pass

    def _coded(self, X: Floats) -> Floats:
        assert self._moments is not None  # noqa: S101 - whoever codes has begun
        return _standardised(X, self._moments)

    def _together(self, contributions: Floats) -> Floats:
        return contributions


@compiled
def _standardised(X: Floats, moments: Floats) -> Floats:
    """Return the rows of ``X`` (m, n) by the mean and deviation of each column, of which ``moments`` tells."""
    Z = np.zeros(X.shape)
    for i in range(X.shape[1]):
        weight, mean = moments[0, i], moments[1, i]
        sd = np.sqrt(moments[3, i] / weight) if weight > 0.0 else 0.0
        if not sd > LEAST_DEVIATION * abs(mean):
            continue
        for row in range(X.shape[0]):
            if not np.isnan(X[row, i]):
                Z[row, i] = min(max((X[row, i] - mean) / sd, -BOUND), BOUND)
    return Z
