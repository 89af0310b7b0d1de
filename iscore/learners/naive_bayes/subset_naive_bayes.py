"""Naive Bayes with online feature selection, the classifier of iScore's paper.

The features are ranked by the size of their running correlation with the labels. For k = 1 … n the k first give a
score S_k; each k has the F-beta of its own decisions so far, and the score of an article is that of the best k.
The statistics of all features are always updated: a feature that becomes useful comes back.

Source: Pon, Cardenas, Buttler 2008, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import calibration, correlation, steps, subsets
from iscore.learners.naive_bayes.bandwidth import Rule
from iscore.learners.naive_bayes.densities import ExactDensities, GridDensities
from iscore.learners.naive_bayes.example import Example
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.precision import DEFAULT_PRECISION
from iscore.learners.naive_bayes.subsets import Selection


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

    _steps = staticmethod(steps.subset_steps)
    _selection: Selection

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
        hits = (1.0 + beta2) * self._selection.counts[0]
        all_ = hits + beta2 * self._selection.counts[2] + self._selection.counts[1]
        f: Floats = hits / np.where(all_ > 0.0, all_, 1.0)
        return f

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        if self._densities is None:
            return {}
        learned = {name: getattr(self._selection, name).copy() for name in ("moments", "counts", "lines")}
        return super().state() | learned

    def _begin(self, n_features: int) -> GridDensities | ExactDensities:
        if not self.beta > 0.0:
            raise ValueError(f"beta must be positive, not {self.beta}")
        densities = super()._begin(n_features)
        self._selection = Selection(
            order=np.arange(n_features),
            counts=np.zeros((3, n_features)),
            lines=calibration.unlearned(n_features, calibrated=self.calibrated),
            moments=np.zeros((correlation.N_MOMENTS, n_features)),
            beta2=float(self.beta * self.beta),
            calibrated=bool(self.calibrated),
        )
        self._combination = tuple(self._selection)
        return densities

    def _combined(self, ratios: Floats) -> Floats:
        return subsets.scores(self._selection.order, self._selection.lines, ratios, self._size, self._prior)

    def _learn_ratios(self, ratios: Floats, x: Floats, e: Example) -> None:
        self._size = subsets.learn(self._selection, ratios, x, self._class_weights, e)

    def _contributions(self, ratios: Floats) -> tuple[float, Floats]:
        slope, shift = self._selection.lines[:2, self._size - 1].tolist()
        return self._prior + shift, slope * ratios

    def _ranking(self, n: int) -> tuple[npt.NDArray[np.int64], int, Floats]:
        if self._densities is None:
            return super()._ranking(n)
        return self._selection.order, self._size, correlation.correlations(self._selection.moments)

    def _rescale(self, densities: GridDensities | ExactDensities, factor: float) -> None:
        super()._rescale(densities, factor)
        self._selection.counts[:] *= factor
        self._selection.moments[[0, 3, 4, 5]] *= factor

    def _restore_combination(self, state: Mapping[str, Any]) -> None:
        for name in ("moments", "counts", "lines"):
            getattr(self._selection, name)[:] = state[name]
        subsets.rank(self._selection.order, correlation.correlations(self._selection.moments))
        self._size = subsets.best_size(self._selection.counts, self._selection.beta2)
