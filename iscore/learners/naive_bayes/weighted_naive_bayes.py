"""Naive Bayes whose log-ratios are weighed, so that features which say the same do not count twice: the default.

All features take part; the weight of each is learned from what the sum got wrong (``weighting``). It needs no
selection: a feature that says nothing of its own is weighed down, and comes back when that changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Explanation
from iscore.learners.naive_bayes import correlation, subsets, weighting
from iscore.learners.naive_bayes.densities import Densities, GridDensities
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.precision import resolved
from iscore.learners.naive_bayes.weighted_kernel import step, steps

Floats = npt.NDArray[np.float64]


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

    @property
    def feature_weights(self) -> Floats:
        """The weight of each feature's log-ratio, shape (n,); empty before the first example."""
        return np.zeros(0) if self._densities is None else self._mean[:-1].copy()

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``. Ranks are by the size of the correlation; every feature is chosen."""
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        n = X.shape[1]
        order, contributions, intercept = np.arange(n), np.zeros(n), 0.0
        correlations = np.zeros(n)
        if self._densities is not None:
            correlations = correlation.correlations(self._moments)
            subsets.rank(order, correlations)
            if self._knows_both:
                ratios = self._densities.log_ratios(resolved(X, self._finest))[0].tolist()
                weights = self._mean.tolist()
                contributions = np.array(
                    [weighting.weighted(ratio, weight) for ratio, weight in zip(ratios, weights[:-1], strict=True)]
                )
                intercept = self._prior + weights[-1]
        ranks = np.empty(n, dtype=np.int64)
        ranks[order] = np.arange(n)
        return Explanation(
            score=self.score_one(X[0]),
            prior=intercept,
            contributions=contributions,
            chosen=np.ones(n, dtype=np.bool_),
            correlations=correlations,
            ranks=ranks,
            subset_size=n,
        )

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        if self._densities is None:
            return {}
        return super().state() | {
            "moments": self._moments.copy(),
            "mean": self._mean.copy(),
            "covariance": self._covariance.copy(),
        }

    def _begin(self, n_features: int) -> Densities:
        densities = super()._begin(n_features)
        self._moments: Floats = np.zeros((correlation.N_MOMENTS, n_features))
        self._mean, self._covariance = weighting.unlearned(n_features)
        return densities

    def _scores(self, densities: Densities, X: Floats) -> Floats:
        return weighting.scores(densities.log_ratios(X), self._mean, self._prior)

    def _step(self, densities: Densities, X: Floats, interesting: bool, weight: float, *, scored: bool) -> float:
        if self.half_life is not None or not isinstance(densities, GridDensities):
            return super()._step(densities, X, interesting, weight, scored=scored)
        score, self._prior = step(
            X,
            interesting,
            weight,
            densities.arrays(),
            self.n_nodes,
            self._class_weights,
            self._prior,
            self._mean,
            self._covariance,
            self._moments,
            densities.precision,
            self._finest,
            densities.rule,
            float(self.floor),
        )
        return score

    def _steps(self, densities: Densities, X: Floats, liked: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        if self.half_life is not None or not isinstance(densities, GridDensities):
            return self._steps_in_turn(X, liked, weights)
        scores = np.empty(len(X))
        self._prior = steps(
            X,
            liked,
            weights,
            densities.arrays(),
            self.n_nodes,
            self._class_weights,
            self._prior,
            self._mean,
            self._covariance,
            self._moments,
            densities.precision,
            self._finest,
            densities.rule,
            float(self.floor),
            scores,
        )
        return scores

    def _learn(self, densities: Densities, X: Floats, interesting: bool, amount: float) -> None:
        if self._class_weights.min() >= weighting.FEWEST * self._scale:
            keep = 1.0 if self.half_life is None else 2.0 ** (-1.0 / self.half_life)
            ratios = densities.log_ratios(X)[0]
            weight = amount / self._scale
            weighting.update(self._mean, self._covariance, ratios, self._prior, interesting, weight, keep)
        super()._learn(densities, X, interesting, amount)
        correlation.update(self._moments, X[0], float(interesting), amount)

    def _rescale(self, densities: Densities, factor: float) -> None:
        super()._rescale(densities, factor)
        self._moments[[0, 3, 4, 5]] *= factor

    def _restore_selection(self, state: Mapping[str, Any]) -> None:
        self._moments = np.array(state["moments"])
        self._mean = np.array(state["mean"])
        self._covariance = np.array(state["covariance"])
