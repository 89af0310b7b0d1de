"""Naive Bayes with weighted log-ratios, so that features with the same information do not count twice.

One of the two votes of the default. All features take part; the weight of each is learned from the errors of the sum
(``weighting``). It needs no selection: a feature without information of its own gets a small weight, and a larger one
when that changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import correlation, steps, subsets, weighting
from iscore.learners.naive_bayes.densities import ExactDensities, GridDensities
from iscore.learners.naive_bayes.example import Example
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.weighting import Weighting


class WeightedNaiveBayes(KernelNaiveBayes):
    """Kernel naive Bayes with a learned weight for each feature. Takes the parameters of ``KernelNaiveBayes``.

    The order of the examples matters: each is first scored, then learned. Until there are ``weighting.FEWEST`` examples
    of both classes all features have the same small weight.

    Examples
    --------
    >>> learner = WeightedNaiveBayes()
    >>> for row in range(40):
    ...     before = learner.learn_one([row % 4 / 4, row % 3 / 3], row % 4 > 1)
    >>> learner.score_one([0.75, 0.0]) > 0.0 > learner.score_one([0.25, 0.0])
    True
    """

    _steps = staticmethod(steps.weighted_steps)
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
        self._weighting = Weighting(*weighting.unlearned(n_features), moments)
        self._combination = tuple(self._weighting)
        return densities

    def _combined(self, ratios: Floats) -> Floats:
        return weighting.scores(ratios, self._weighting.mean, self._prior)

    def _learn_ratios(self, ratios: Floats, x: Floats, e: Example) -> None:
        weighting.learn(self._weighting, ratios, x, self._class_weights, e)

    def _contributions(self, ratios: Floats) -> tuple[float, Floats]:
        *weights, shift = self._weighting.mean.tolist()
        parts = [weighting.weighted(ratio, weight) for ratio, weight in zip(ratios.tolist(), weights, strict=True)]
        return self._prior + shift, np.array(parts)

    def _ranking(self, n: int) -> tuple[npt.NDArray[np.int64], int, Floats]:
        """Rank by the size of the correlation; every feature is chosen."""
        order, size, correlations = super()._ranking(n)
        if self._densities is not None:
            correlations = correlation.correlations(self._weighting.moments)
            subsets.rank(order, correlations)
        return order, size, correlations

    def _rescale(self, densities: GridDensities | ExactDensities, factor: float) -> None:
        super()._rescale(densities, factor)
        self._weighting.moments[[0, 3, 4, 5]] *= factor

    def _restore_combination(self, state: Mapping[str, Any]) -> None:
        for name, array in self._weighting._asdict().items():
            array[:] = state[name]
