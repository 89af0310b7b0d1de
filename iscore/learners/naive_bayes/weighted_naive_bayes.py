"""Naive Bayes with weighted log-ratios, so that features with the same information do not count twice.

All features take part. Naive Bayes adds the log-ratios of all features as if each were independent evidence, so ten
features of the same topic count ten times. The weighted score is

    S = log P(1)/P(0) + b + Σᵢ wᵢ Lᵢ,    Lᵢ = log p(fᵢ|1) - log p(fᵢ|0), 0 where the feature is missing,

with (w, b) the running estimate of a Bayesian logistic regression of the label on L: a Gaussian belief with full
covariance, updated by one Newton step per example (the extended Kalman filter), so there is no learning rate to choose.
The covariance distributes common evidence among the features that share it. It needs no selection: a feature without
information of its own gets a small weight, and a larger one when that changes.

Sources: A. Ng, M. Jordan, "On discriminative vs. generative classifiers", NIPS 2001, and R. Raina et al.,
"Classification with hybrid generative/discriminative models", NIPS 2003, for weights on a naive Bayes; W. Penny,
S. Roberts, "Dynamic logistic regression", IJCNN 1999, for the update.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import correlation
from iscore.learners.naive_bayes.densities import ExactDensities, GridDensities
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.steps import Example, Packed, learn_rows

_update_moments = correlation.update

INDEPENDENT = 4.5
"""Number of features that are believed to be independent at first: a weight starts at this by n, at most 1."""
VARIANCE = 0.01
"""Of the belief about a weight, at first: a tenth up or down is likely, a whole unit takes evidence."""
INTERCEPT_VARIANCE = 1.0
FEWEST = 5.0
"""Examples of each class from which on weights are learned: densities of fewer are not reliable."""
LARGEST = 10.0
"""Odds of 22,000 to 1: a larger log-ratio is no stronger evidence, and would move the weights by its size alone."""
LARGEST_SUM = 30.0


class Weighting(NamedTuple):
    """What is learned about n features. Kernels change the arrays."""

    mean: Floats
    """Of the belief about (w, b), shape (n + 1,); b is last."""
    covariance: Floats
    """Shape (n + 1, n + 1)."""
    moments: Floats
    """Shape (6, n); see ``correlation``."""


def unlearned(n_features: int) -> tuple[Floats, Floats]:
    """Return mean and covariance of (w, b) before any example, shapes (n + 1,) and (n + 1, n + 1); b is last."""
    mean = np.full(n_features + 1, min(1.0, INDEPENDENT / n_features))
    mean[-1] = 0.0
    variances = np.full(n_features + 1, VARIANCE)
    variances[-1] = INTERCEPT_VARIANCE
    return mean, np.diag(variances)


@inner
def weighted(ratio: float, weight: float) -> float:
    """Return what a log-ratio adds to the score."""
    return weight * max(-LARGEST, min(LARGEST, ratio))


@compiled
def scores(ratios: Floats, mean: Floats, prior: float) -> Floats:
    """Return S of each row of ``ratios`` (m, n), shape (m,)."""
    n_features = ratios.shape[1]
    result = np.empty(ratios.shape[0])
    for row in range(ratios.shape[0]):
        total = prior + mean[n_features]
        for i in range(n_features):
            total += weighted(ratios[row, i], mean[i])
        result[row] = total
    return result


@compiled
def update(
    mean: Floats, covariance: Floats, ratios: Floats, prior: float, interesting: bool, weight: float, keep: float
) -> None:
    """Learn one example of ``weight``, with log-ratios (n,), into ``mean`` and ``covariance``, modified.

    ``keep`` in (0, 1] is the part of what was known that is still believed; 1 forgets nothing.
    """
    n = len(ratios)
    x = np.empty(n + 1)
    present = np.empty(n + 1, dtype=np.int64)  # the others are 0 and need not be multiplied
    many = 0
    total = prior
    for i in range(n + 1):
        value = 1.0 if i == n else max(-LARGEST, min(LARGEST, ratios[i]))
        if value != 0.0:
            x[many] = value
            present[many] = i
            many += 1
            total += mean[i] * value
    total = max(-LARGEST_SUM, min(LARGEST_SUM, total))
    posterior = 1.0 / (1.0 + math.exp(-total))
    curvature = weight * max(posterior * (1.0 - posterior), 1e-4)
    gains = np.empty(n + 1)
    spread = 0.0
    for i in range(n + 1):
        gain = 0.0
        for place in range(many):
            gain += covariance[i, present[place]] * x[place]
        gains[i] = gain / keep
    for place in range(many):
        spread += x[place] * gains[present[place]]
    step = weight * ((1.0 if interesting else 0.0) - posterior) / (1.0 + curvature * spread)
    shrink = curvature / (1.0 + curvature * spread)
    for i in range(n + 1):
        mean[i] += step * gains[i]
        for j in range(n + 1):
            covariance[i, j] = covariance[i, j] / keep - shrink * gains[i] * gains[j]


@inner
def learn(weighting: Weighting, ratios: Floats, x: Floats, class_weights: Floats, size: int, e: Example) -> int:
    """Learn one example, of which ``ratios`` and ``x`` (n,) are the log-ratios and the values; return ``size``."""
    mean, covariance, moments = weighting
    if min(class_weights[0], class_weights[1]) >= FEWEST * e.scale:
        update(mean, covariance, ratios, e.prior, e.interesting, e.amount / e.scale, e.keep)
    _update_moments(moments, x, 1.0 if e.interesting else 0.0, e.amount)
    return size


@inner
def _score(weighting: Weighting, ratios: Floats, _size: int, prior: float) -> float:
    return float(scores(ratios, weighting.mean, prior)[0])


@compiled
def _steps(grid: Packed, combination: Packed, class_weights: Floats, batch: Packed, known: Packed) -> tuple[float, int]:
    return learn_rows(grid, Weighting(*combination), class_weights, batch, known, _score, learn)


class WeightedNaiveBayes(KernelNaiveBayes):
    """Kernel naive Bayes with a learned weight for each feature. Takes the parameters of ``KernelNaiveBayes``.

    The order of the examples matters: each is first scored, then learned. Until there are ``FEWEST`` examples
    of both classes all features have the same small weight.

    Examples
    --------
    >>> learner = WeightedNaiveBayes()
    >>> for row in range(40):
    ...     before = learner.learn_one([row % 4 / 4, row % 3 / 3], row % 4 > 1)
    >>> learner.score_one([0.75, 0.0]) > 0.0 > learner.score_one([0.25, 0.0])
    True
    """

    _steps = staticmethod(_steps)
    _weighting: Weighting

    @property
    def feature_weights(self) -> Floats:
        """The weight of each feature's log-ratio, shape (n,); empty before the first example."""
        return np.zeros(0) if self._densities is None else self._weighting.mean[:-1].copy()

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        if self._densities is None:
            return {}
        return super().state() | {name: array.copy() for name, array in self._weighting._asdict().items()}

    def _begin(self, n_features: int) -> GridDensities | ExactDensities:
        densities = super()._begin(n_features)
        moments = np.zeros((correlation.N_MOMENTS, n_features))
        self._weighting = Weighting(*unlearned(n_features), moments)
        self._combination = tuple(self._weighting)
        return densities

    def _combined(self, ratios: Floats) -> Floats:
        return scores(ratios, self._weighting.mean, self._prior)

    def _learn_ratios(self, ratios: Floats, x: Floats, e: Example) -> None:
        learn(self._weighting, ratios, x, self._class_weights, self._size, e)

    def _contributions(self, ratios: Floats) -> tuple[float, Floats]:
        *weights, shift = self._weighting.mean.tolist()
        parts = [weighted(ratio, weight) for ratio, weight in zip(ratios.tolist(), weights, strict=True)]
        return self._prior + shift, np.array(parts)

    def _ranking(self, n: int) -> tuple[npt.NDArray[np.int64], int, Floats]:
        """Rank by the size of the correlation; every feature is chosen."""
        order, size, correlations = super()._ranking(n)
        if self._densities is not None:
            correlations = correlation.correlations(self._weighting.moments)
            correlation.rank(order, correlations)
        return order, size, correlations

    def _rescale(self, densities: GridDensities | ExactDensities, factor: float) -> None:
        super()._rescale(densities, factor)
        self._weighting.moments[[0, 3, 4, 5]] *= factor

    def _restore_combination(self, state: Mapping[str, Any]) -> None:
        for name, array in self._weighting._asdict().items():
            array[:] = state[name]
