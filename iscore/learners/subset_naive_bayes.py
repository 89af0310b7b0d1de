"""Naive Bayes with online feature selection: iScore's classifier.

The features are ranked by the size of their running correlation with the verdicts. For k = 1 … n the k first give a
score S_k; each k keeps the F-beta of its own decisions so far, and the score of an article is that of the best k.
All statistics of all features are always kept up: a feature that becomes useful comes back.

Source: Pon, Cardenas, Buttler 2008, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from iscore.learners import correlation, subsets
from iscore.learners.bandwidth import Rule
from iscore.learners.densities import Densities
from iscore.learners.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.resolution import DEFAULT_PRECISION

Floats = npt.NDArray[np.float64]


class SubsetNaiveBayes(KernelNaiveBayes):
    """Naive Bayes over the subset of features that has decided best so far.

    Takes the parameters of ``KernelNaiveBayes``, and ``beta``: the weight of recall against precision in choosing
    the subset; 0.5 counts precision twice. Positive.

    The order of the examples matters: each is first decided by every subset, then learned. Until both classes have
    been seen nothing is decided, and until some subset has decided rightly for an interesting article all features
    are used.
    """

    def __init__(
        self,
        *,
        beta: float = 0.5,
        mode: Literal["grid", "exact"] = "grid",
        bandwidth: Rule = "shared",
        precision: float | Sequence[float] = DEFAULT_PRECISION,
        floor: float = 0.1,
        n_nodes: int = 2048,
        half_life: float | None = None,
    ) -> None:
        super().__init__(
            mode=mode,
            bandwidth=bandwidth,
            precision=precision,
            floor=floor,
            n_nodes=n_nodes,
            half_life=half_life,
        )
        self.beta = beta

    @property
    def subset_size(self) -> int:
        """The k in use: how many features, counted from the most useful; 0 before the first example."""
        return 0 if self._densities is None else self._size

    @property
    def subset_f(self) -> Floats:
        """F-beta so far of the decisions of each k = 1 … n, shape (n,); 0 where there are none."""
        if self._densities is None:
            return np.zeros(0)
        beta2 = self.beta * self.beta
        hits = (1.0 + beta2) * self._counts[0]
        all_ = hits + beta2 * self._counts[2] + self._counts[1]
        f: Floats = hits / np.where(all_ > 0.0, all_, 1.0)
        return f

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        if self._densities is None:
            return {}
        return super().state() | {"moments": self._moments.copy(), "counts": self._counts.copy()}

    def _begin(self, n_features: int) -> Densities:
        if not self.beta > 0.0:
            raise ValueError(f"beta must be positive, not {self.beta}")
        densities = super()._begin(n_features)
        self._moments: Floats = np.zeros((correlation.N_MOMENTS, n_features))
        self._counts: Floats = np.zeros((3, n_features))
        return densities

    def _learn(self, densities: Densities, X: Floats, interesting: bool, amount: float) -> None:
        if self._knows_both:
            ratios = densities.log_ratios(X)[0]
            subsets.count(self._counts, ratios, self._order, self._prior, interesting, amount)
        super()._learn(densities, X, interesting, amount)
        correlation.update(self._moments, X[0], float(interesting), amount)

    def _rescale(self, densities: Densities, factor: float) -> None:
        super()._rescale(densities, factor)
        self._counts *= factor
        self._moments[[0, 3, 4, 5]] *= factor

    def _refresh(self, densities: Densities) -> None:
        super()._refresh(densities)
        subsets.rank(self._order, correlation.correlations(self._moments))
        self._size = subsets.best_size(self._counts, self.beta * self.beta)

    def _feature_correlations(self, n_features: int) -> Floats:
        if self._densities is None:
            return np.zeros(n_features)
        return correlation.correlations(self._moments)

    def _restore_selection(self, state: Mapping[str, Any]) -> None:
        self._moments = np.array(state["moments"])
        self._counts = np.array(state["counts"])
