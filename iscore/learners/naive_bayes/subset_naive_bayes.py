"""Naive Bayes with online feature selection: the classifier of iScore's paper, and part of the default.

The features are ranked by the size of their running correlation with the labels. For k = 1 … n the k first give a
score S_k; each k has the F-beta of its own decisions so far, and the score of an article is that of the best k.
The statistics of all features are always updated: a feature that becomes useful comes back.

Naive Bayes factorises, so one sort and one cumulative sum give the scores of all subsets. Each k keeps the weight of
the true positives, false positives and false negatives of its own decisions, S_k > 0, on examples it had not yet
learned. S_k is calibrated (``calibration``): log-ratios of many correlated features add up to too much, and
uncalibrated scores of two subsets cannot be compared with one threshold.

Source: Pon, Cardenas, Buttler 2008, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats, Ints
from iscore.learners.naive_bayes import calibration, correlation
from iscore.learners.naive_bayes.densities import ExactDensities, GridDensities
from iscore.learners.naive_bayes.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.naive_bayes.steps import Example, Packed, learn_rows

_FEWEST, _update_lines = calibration.FEWEST, calibration.update
_update_moments, _correlations, _rank = correlation.update, correlation.correlations, correlation.rank


class Selection(NamedTuple):
    """What is learned about n features and their subsets. Kernels change the arrays."""

    order: Ints
    """The features by falling usefulness, shape (n,)."""
    counts: Floats
    """Weight of true positives, false positives and false negatives of subset k in column k - 1, shape (3, n)."""
    lines: Floats
    """Calibration of each subset, shape (5, n); see ``calibration``."""
    moments: Floats
    """Shape (6, n); see ``correlation``."""
    beta2: float
    """β²."""
    calibrated: bool


@compiled
def scores(order: Ints, lines: Floats, ratios: Floats, size: int, prior: float) -> Floats:
    """Return the scores of the rows of ``ratios`` (m, n) by the subset of that size, shape (m,)."""
    slope, intercept = lines[0, size - 1], prior + lines[1, size - 1]
    result = np.empty(ratios.shape[0])
    for row in range(ratios.shape[0]):
        total = 0.0
        for place in range(size):
            total += ratios[row, order[place]]
        result[row] = intercept + slope * total
    return result


@inner
def decide(selection: Selection, ratios: Floats, e: Example) -> None:
    """Enter each subset's decision on one example, log-ratios (n,), into the counts."""
    order, counts, lines = selection.order, selection.counts, selection.lines
    total = 0.0
    for place in range(len(order)):
        total += ratios[order[place]]
        if e.prior + lines[1, place] + lines[0, place] * total > 0.0:
            counts[0 if e.interesting else 1, place] += e.amount
        elif e.interesting:
            counts[2, place] += e.amount


@compiled
def best_size(counts: Floats, beta2: float) -> int:
    """Return the k with the best F-beta so far, ``beta2`` being beta squared.

    Among equals the smallest: what the other features add has not helped. All features as long as no subset has
    decided rightly for an interesting article, since nothing then speaks for leaving any out.
    """
    best = 0.0
    size = int(counts.shape[1])
    for place in range(counts.shape[1]):
        hits = (1.0 + beta2) * counts[0, place]
        if hits > 0.0:
            f = hits / (hits + beta2 * counts[2, place] + counts[1, place])
            if f > best:
                best = f
                size = place + 1
    return size


@inner
def _learn(selection: Selection, ratios: Floats, x: Floats, class_weights: Floats, _size: int, e: Example) -> int:
    """Let each subset decide the example, learn it, and rank the features anew; return the best subset's size.

    ``ratios`` and ``x`` (n,) are the example's log-ratios and values.
    """
    order, moments = selection.order, selection.moments
    if class_weights[0] > 0.0 and class_weights[1] > 0.0:
        decide(selection, ratios, e)
        if selection.calibrated and min(class_weights[0], class_weights[1]) >= _FEWEST * e.scale:
            _update_lines(selection.lines, ratios, order, e.prior, e.interesting, e.amount / e.scale, e.keep)
    _update_moments(moments, x, 1.0 if e.interesting else 0.0, e.amount)
    _rank(order, _correlations(moments))
    return best_size(selection.counts, selection.beta2)


@compiled
def learn(selection: Selection, ratios: Floats, x: Floats, class_weights: Floats, e: Example) -> int:
    """Learn one example; return the best subset's size. For Python."""
    return _learn(selection, ratios, x, class_weights, 0, e)


@inner
def _score(selection: Selection, ratios: Floats, size: int, prior: float) -> float:
    return float(scores(selection.order, selection.lines, ratios, size, prior)[0])


@compiled
def _steps(grid: Packed, combination: Packed, class_weights: Floats, batch: Packed, known: Packed) -> tuple[float, int]:
    return learn_rows(grid, Selection(*combination), class_weights, batch, known, _score, _learn)


@dataclass(kw_only=True, eq=False, repr=False)
class SubsetNaiveBayes(KernelNaiveBayes):
    """Naive Bayes over the subset of features that has decided best so far.

    Takes the parameters of ``KernelNaiveBayes`` and two more.

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

    beta: float = 0.5
    """The weight of recall against precision in choosing the subset; 0.5 counts precision twice. Positive."""
    calibrated: bool = True
    """Whether each subset's score is calibrated (``calibration``). False is the paper's classifier."""

    _steps: ClassVar[Callable[..., tuple[float, int]]] = staticmethod(_steps)
    _selection: Selection = field(init=False)

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
        return scores(self._selection.order, self._selection.lines, ratios, self._size, self._prior)

    def _learn_ratios(self, ratios: Floats, x: Floats, e: Example) -> None:
        self._size = learn(self._selection, ratios, x, self._class_weights, e)

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
        _rank(self._selection.order, correlation.correlations(self._selection.moments))
        self._size = best_size(self._selection.counts, self._selection.beta2)
