"""Features on one scale for a linear learner: by the mean and the deviation that each has had so far.

    x′ = (x - mean) / sd,   bounded by ±BOUND;   a missing value, and one of a feature that has not varied, is 0

Mean and deviation are those of the examples before, so that an example is scored and learned by the same numbers, and
its own label has no part in them. Weights learned from earlier numbers stay as they are: means converge as 1/√k.

Source: Bollegala, Feature Scaling for Online Learning of Binary Classifiers, section 3, which counts the example
itself and divides by k - 1.
"""

from __future__ import annotations

import numpy as np

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats, Learner
from iscore.learners.linear.passive_aggressive import PassiveAggressive
from iscore.learners.preprocessing.base import Coded

BOUND = 5.0
"""Deviations from the mean. One outlier must not outweigh forty other features, nor the first examples the rest."""

LEAST_DEVIATION = 1e-9
"""Relative to the mean: what is smaller is rounding, not variation."""


class StandardScaled(Coded):
    """A learner for two classes over features that are scaled by their running mean and deviation.

    Parameters
    ----------
    learner
        Any learner, say a linear one with a bias; None, the default, is ``PassiveAggressive(bias=True)``. It is not
        changed.

    Examples
    --------
    >>> learner = StandardScaled()
    >>> for row in range(20):
    ...     before = learner.learn_one([1e6 * (row % 4), 0.1], row % 4 > 1)
    >>> learner.score_one([3e6, 0.1]) > 0.0 > learner.score_one([0.0, 0.1])
    True
    """

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner

    def _default(self) -> Learner:
        return PassiveAggressive(bias=True)

    def _open(self) -> None:
        pass

    def _coded(self, X: Floats) -> Floats:
        assert self._moments is not None  # noqa: S101 - set by _begin
        return _scaled(X, self._moments)

    def _together(self, contributions: Floats) -> Floats:
        return contributions


@compiled
def _scaled(X: Floats, moments: Floats) -> Floats:
    """Return the rows of ``X`` (m, n) scaled by the mean and deviation of each column, from ``moments``."""
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
