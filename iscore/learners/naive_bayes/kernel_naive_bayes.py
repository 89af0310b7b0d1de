"""Naive Bayes with a Gaussian kernel estimate per class and feature.

    S = log P(1)/P(0) + Σᵢ log p(fᵢ|1) - log p(fᵢ|0),    P(c) = (n_c + 1) / (N + 2),

over the features that are present; the posterior of "interesting" is 1 / (1 + e^-S). A density p(fᵢ|c) is the mean
of Gaussians at the past values of that class, never below a floor (``bandwidth.smoothing``).

Sources: G. John, P. Langley, UAI 1995; Pon, Cardenas, Buttler 2008, section 5, for missing values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Bools, Explanation, Floats
from iscore.learners.naive_bayes import steps
from iscore.learners.naive_bayes.bandwidth import DEFAULT_PRECISION, RULES, Rule, finest_spacing, per_feature, resolved
from iscore.learners.naive_bayes.densities import ExactDensities, GridDensities
from iscore.learners.naive_bayes.steps import Example, Packed, learn_rows
from iscore.learners.online_classifier import OnlineClassifier, check_weight, checked_labels, probabilities

LARGEST_SCALE = 2.0**32
"""Weights grow instead of old ones shrinking; when they have grown this much, all are scaled back, exactly."""

_LABELS = np.array((False,)), np.array((True,))
_ONE = np.ones(1)
"""Labels and the usual weight of single rows. Nobody writes to them."""


@compiled
def _sums(ratios: Floats, prior: float) -> Floats:
    """Return the scores of the rows of ``ratios`` (m, n), shape (m,)."""
    scores = np.empty(ratios.shape[0])
    for row in range(ratios.shape[0]):
        total = 0.0
        for i in range(ratios.shape[1]):
            total += ratios[row, i]
        scores[row] = prior + total
    return scores


@inner
def _score(_: Packed, ratios: Floats, _size: int, prior: float) -> float:
    return float(_sums(ratios, prior)[0])


@inner
def _learn(_: Packed, _ratios: Floats, _x: Floats, _class_weights: Floats, size: int, _e: Example) -> int:
    return size


@compiled
def _steps(grid: Packed, combination: Packed, class_weights: Floats, batch: Packed, known: Packed) -> tuple[float, int]:
    return learn_rows(grid, combination, class_weights, batch, known, _score, _learn)


@dataclass(kw_only=True, eq=False, repr=False)
class KernelNaiveBayes(OnlineClassifier):
    """Naive Bayes over all features, with kernel estimates.

    ``fit`` and ``partial_fit`` alone set ``classes_``, the two labels, the second meaning interesting, and
    ``n_features_in_``.

    Examples
    --------
    >>> learner = KernelNaiveBayes()
    >>> for row in range(20):
    ...     before = learner.learn_one([row / 20, float("nan")], row > 9)
    >>> learner.score_one([0.8, 0.5]) > 0.0 > learner.score_one([0.2, 0.5])
    True
    """

    mode: Literal["grid", "exact"] = "grid"
    """"grid" is flat in history; "exact" has one term for every past value."""
    bandwidth: Rule = "shared"
    """"weka", "john-langley" or "shared": see ``bandwidth``. On readers' ratings "shared" decides best
    (``benchmarks/results/naive_bayes_bandwidth.md``)."""
    precision: float | Sequence[float] = DEFAULT_PRECISION
    """Differences below this hardly count: one number for all features, or one for each. At least 1e-6.
    ``precision.mean_gap`` is Weka's choice from a first batch."""
    floor: float = 0.1
    """The densities' floor, in examples spread evenly over the range of the feature. Positive."""
    n_nodes: int = 2048
    """Cells of the finest grid per class and feature, a power of two, at least 64. 2,048 keep posteriors of the default
    rule within 1e-3 of the exact ones up to 100,000 articles (``benchmarks/results/grid_accuracy.md``)."""
    half_life: float | None = None
    """After this many further examples an example counts half, in all statistics but the ranges of the features; None
    never forgets."""

    _steps: ClassVar[Callable[..., tuple[float, int]]] = staticmethod(_steps)
    """The kernel that learns rows on the grid."""

    _densities: GridDensities | ExactDensities | None = field(default=None, init=False)
    """None before the first example."""
    _class_weights: Floats = field(init=False)
    _combination: Packed = field(default=(), init=False)
    """What is learned of the combination of log-ratios, for the kernel."""

    def score_one(self, x: Floats) -> float:
        """See ``Learner``: the log-odds S."""
        return self.score_many(np.asarray(x, dtype=np.float64)[np.newaxis]).item()

    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``: the log-odds S of each row."""
        X = self._checked(X)
        if self._densities is None or not self._knows_both:
            return np.zeros(len(X))
        if isinstance(self._densities, GridDensities):
            return self._combined(steps.log_ratios(self._densities.packed, X))
        return self._combined(self._densities.log_ratios(resolved(X, self._finest)))

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        weights = _ONE
        if weight != 1.0:
            check_weight(weight)
            weights = np.array((weight,), dtype=np.float64)
        densities = self._densities or self._begin(X.shape[1])
        if self.half_life is None and isinstance(densities, GridDensities):
            score = np.zeros(1)
            self._learn_on_grid(densities, X, _LABELS[bool(interesting)], weights, score, 1.0)
            return score.item()
        return self._learn_rows(X, _LABELS[bool(interesting)], weights).item()

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``OnlineClassifier``."""
        X = self._checked(np.asarray(X, dtype=np.float64))
        return self._learn_rows(X, *checked_labels(len(X), interesting, weights))

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the posterior of both classes for each row of ``X``, shape (m, 2)."""
        return probabilities(self.decision_function(X))

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``. Without correlations; features rank in their order."""
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        n = X.shape[1]
        knows = self._densities is not None and self._knows_both
        order, size, correlations = self._ranking(n)
        ranks = np.empty(n, dtype=np.int64)
        ranks[order] = np.arange(n)
        contributions, prior = np.zeros(n), 0.0
        if self._densities is not None and knows:
            prior, contributions = self._contributions(self._densities.log_ratios(resolved(X, self._finest))[0])
        return Explanation(
            score=self.score_one(X[0]),
            prior=prior,
            contributions=contributions,
            chosen=ranks < size,
            correlations=correlations,
            ranks=ranks,
            subset_size=int(size),
        )

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        if self._densities is None:
            return {}
        return {
            "parameters": self._parameters(),
            "class_weights": self._class_weights.copy(),
            "scale": self._scale,
            "densities": self._densities.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        if not state:
            self._forget()
            return
        if state["parameters"] != self._parameters():
            raise ValueError(f"the state is of {state['parameters']}, not of {self._parameters()}")
        densities = self._begin(state["densities"]["weight"].shape[1])
        densities.restore(state["densities"])
        self._class_weights = np.array(state["class_weights"])
        self._scale = float(state["scale"])
        densities.smooth(self._scale)
        self._prior = steps.log_prior(self._class_weights, self._scale)
        self._restore_combination(state)

    @property
    def _knows_both(self) -> bool:
        return bool(self._class_weights[0] > 0.0 and self._class_weights[1] > 0.0)

    def _checked(self, X: Floats) -> Floats:
        """Return ``X`` as rows of the right length."""
        if X.dtype != np.float64 or not X.flags.c_contiguous:
            X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"a vector of features is needed, not an array of shape {X.shape[1:]}")
        if self._densities is not None and X.shape[1] != len(self._finest):
            raise ValueError(f"{len(self._finest)} features were learned, not {X.shape[1]}")
        return X

    def _begin(self, n_features: int) -> GridDensities | ExactDensities:
        """Set up empty statistics for vectors of this length. Raises ``ValueError`` for unusable parameters."""
        if self.bandwidth not in RULES:
            raise ValueError(f"bandwidth must be one of {RULES}, not {self.bandwidth!r}")
        if not 0.0 < self.floor < math.inf:
            raise ValueError(f"floor must be positive, not {self.floor}")
        if self.half_life is not None and not self.half_life > 0.0:
            raise ValueError(f"half_life must be positive, not {self.half_life}")
        precisions = per_feature(self.precision, n_features)
        densities: GridDensities | ExactDensities
        if self.mode == "grid":
            if self.n_nodes < 64 or self.n_nodes & (self.n_nodes - 1):
                raise ValueError(f"n_nodes must be a power of two and at least 64, not {self.n_nodes}")
            densities = GridDensities(precisions, self.bandwidth, self.floor, self.n_nodes)
        elif self.mode == "exact":
            densities = ExactDensities(precisions, self.bandwidth, self.floor)
        else:
            raise ValueError(f"mode must be 'grid' or 'exact', not {self.mode!r}")
        self._densities = densities
        self._finest = finest_spacing(precisions)
        self._class_weights = np.zeros(2)
        self._scale = 1.0
        self._size = n_features
        self._prior = 0.0
        return densities

    def _forget(self) -> None:
        self._densities = None

    def _fit_rows(self, X: Any, y: npt.NDArray[Any], weights: npt.ArrayLike | None) -> Self:
        liked, amounts = checked_labels(len(X), y == self.classes_[1], weights)
        self._learn_rows(self._checked(X), liked, amounts, scored=self.mode != "exact")
        return self

    def _learn_rows(self, X: Floats, liked: Bools, weights: Floats, *, scored: bool = True) -> Floats:
        """Learn rows in order, those of weight 0 excepted; return the score of each before.

        The scores are not computed unless ``scored``: exact sums over history are expensive.
        """
        densities = self._densities or self._begin(X.shape[1])
        scores = np.zeros(len(X))
        if self.half_life is None and isinstance(densities, GridDensities):
            self._learn_on_grid(densities, X, liked, weights, scores, 1.0)
            return scores
        keep = 1.0 if self.half_life is None else 2.0 ** (-1.0 / self.half_life)
        for row in range(len(X)):
            one = slice(row, row + 1)
            if isinstance(densities, GridDensities):
                self._learn_on_grid(densities, X[one], liked[one], weights[one], scores[one], keep)
            else:
                scores[row] = self._learn_exactly(densities, X[one], bool(liked[row]), float(weights[row]), scored)
            if self.half_life is not None and weights[row] > 0.0:
                self._grow_weights(densities, 2.0 ** (1.0 / self.half_life))
        return scores

    def _learn_on_grid(
        self, densities: GridDensities, X: Floats, liked: Bools, weights: Floats, scores: Floats, keep: float
    ) -> None:
        batch, known = (X, liked, weights, scores), (self._prior, self._size, self._scale, keep)
        packed = densities.packed
        self._prior, self._size = self._steps(packed, self._combination, self._class_weights, batch, known)

    def _learn_exactly(self, densities: ExactDensities, X: Floats, liked: bool, weight: float, scored: bool) -> float:
        X = resolved(X, self._finest)
        ratios = densities.log_ratios(X) if self._knows_both and (scored or self._combination) else np.zeros(X.shape)
        score = float(self._combined(ratios)[0]) if self._knows_both else 0.0
        if weight > 0.0:
            keep = 1.0 if self.half_life is None else 2.0 ** (-1.0 / self.half_life)
            e = Example(liked, weight * self._scale, self._scale, keep, self._prior)
            self._learn_ratios(ratios[0], X[0], e)
            densities.add(X[0], int(liked), e.amount)
            self._class_weights[int(liked)] += e.amount
            densities.smooth(self._scale)
            self._prior = steps.log_prior(self._class_weights, self._scale)
        return score

    def _grow_weights(self, densities: GridDensities | ExactDensities, growth: float) -> None:
        """Let all further examples weigh more, which makes old ones weigh less."""
        self._scale *= growth
        if self._scale > LARGEST_SCALE:
            self._scale /= LARGEST_SCALE
            self._rescale(densities, 1.0 / LARGEST_SCALE)
        densities.smooth(self._scale)
        self._prior = steps.log_prior(self._class_weights, self._scale)

    def _rescale(self, densities: GridDensities | ExactDensities, factor: float) -> None:
        densities.rescale(factor)
        self._class_weights *= factor

    # How the log-ratios of the features are combined; here, by their sum

    def _combined(self, ratios: Floats) -> Floats:
        """Return the scores of rows of log-ratios (m, n), both classes being known."""
        return _sums(ratios, self._prior)

    def _learn_ratios(self, ratios: Floats, x: Floats, e: Example) -> None:
        """Learn one example, given its log-ratios and its values, both (n,)."""

    def _contributions(self, ratios: Floats) -> tuple[float, Floats]:
        """Return the part of a score that is no feature's, and what each contributes, given log-ratios (n,)."""
        return self._prior, ratios

    def _ranking(self, n: int) -> tuple[npt.NDArray[np.int64], int, Floats]:
        """Return the order of n features, the size of the subset in use, and the features' correlations."""
        return np.arange(n), n, np.zeros(n)

    def _restore_combination(self, state: Mapping[str, Any]) -> None:
        """Restore what a subclass has added to the state."""

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters, which must be equal for a state to mean the same."""
        return {name: np.asarray(value).tolist() for name, value in self.get_params().items()}
