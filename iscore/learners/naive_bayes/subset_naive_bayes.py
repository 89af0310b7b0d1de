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

from iscore.learners.naive_bayes import calibration, correlation, subsets
from iscore.learners.naive_bayes.bandwidth import Rule
from iscore.learners.naive_bayes.densities import Densities, GridDensities
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.precision import DEFAULT_PRECISION
from iscore.learners.naive_bayes.subset_kernel import step

Floats = npt.NDArray[np.float64]


class SubsetNaiveBayes(KernelNaiveBayes):
    """Naive Bayes over the subset of features that has decided best so far.

    Takes the parameters of ``KernelNaiveBayes``, and

    beta
        The weight of recall against precision in choosing the subset; 0.5 counts precision twice. Positive.
    calibrated
        Whether each subset's score is calibrated (``calibration``). False is the paper's classifier.

    The order of the examples matters: each is first decided by every subset, then learned. Until both classes have
    been seen nothing is decided, and until some subset has decided rightly for an interesting article all features
    are used.

    Examples
    --------
    >>> learner = SubsetNaiveBayes()
    >>> for row in range(40):
    ...     before = learner.learn_one([row % 4 / 4, row % 3 / 3], row % 4 > 1)
    >>> learner.subset_size
    1
    >>> learner.score_one([0.75, 0.0]) > 0.0 > learner.score_one([0.25, 0.0])
    True
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
        calibrated: bool = True,
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
        self.calibrated = calibrated

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
        return super().state() | {
            "moments": self._moments.copy(),
            "counts": self._counts.copy(),
            "lines": self._lines.copy(),
        }

    def _begin(self, n_features: int) -> Densities:
        if not self.beta > 0.0:
            raise ValueError(f"beta must be positive, not {self.beta}")
        densities = super()._begin(n_features)
        self._moments: Floats = np.zeros((correlation.N_MOMENTS, n_features))
        self._counts: Floats = np.zeros((3, n_features))
        self._lines: Floats = calibration.unlearned(n_features, calibrated=self.calibrated)
        return densities

    def _line(self) -> tuple[float, float]:
        slope, shift = self._lines[:2, self._size - 1].tolist()
        return self._prior + shift, slope

    def _step(self, densities: Densities, X: Floats, interesting: bool, weight: float, *, scored: bool) -> float:
        if self.half_life is not None or not isinstance(densities, GridDensities):
            return super()._step(densities, X, interesting, weight, scored=scored)
        score, self._size, self._prior = step(
            X,
            interesting,
            weight,
            densities.arrays(),
            self.n_nodes,
            self._class_weights,
            self._order,
            self._size,
            self._prior,
            self._counts,
            self._lines,
            self._moments,
            densities.precision,
            self._finest,
            densities.rule,
            float(self.floor),
            float(self.beta * self.beta),
            bool(self.calibrated),
        )
        return score

    def _steps(self, densities: Densities, X: Floats, liked: npt.NDArray[np.bool_], weights: Floats) -> Floats:  # noqa: ARG002
        return self._steps_in_turn(X, liked, weights)

    def _learn(self, densities: Densities, X: Floats, interesting: bool, amount: float) -> None:
        if self._knows_both:
            ratios = densities.log_ratios(X)[0]
            subsets.decide(self._counts, self._lines, ratios, self._order, self._prior, interesting, amount)
            if self.calibrated and self._class_weights.min() >= calibration.FEWEST * self._scale:
                keep = 1.0 if self.half_life is None else 2.0 ** (-1.0 / self.half_life)
                weight = amount / self._scale
                calibration.update(self._lines, ratios, self._order, self._prior, interesting, weight, keep)
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
        self._lines = np.array(state["lines"])
