"""Naive Bayes with a Gaussian kernel estimate per class and feature.

    S = log P(1)/P(0) + Σᵢ log p(fᵢ|1) - log p(fᵢ|0),    P(c) = (n_c + 1) / (N + 2),

over the features that are present; the posterior of "interesting" is 1 / (1 + e^-S). A density p(fᵢ|c) is the mean
of Gaussians at the past values of that class, never below a floor (``bandwidth.smoothing``).

Sources: G. John, P. Langley, UAI 1995; Pon, Cardenas, Buttler 2008, section 5, for missing values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from iscore.learners.learner import Explanation
from iscore.learners.naive_bayes import subsets
from iscore.learners.naive_bayes.bandwidth import RULES, Rule
from iscore.learners.naive_bayes.densities import Densities, ExactDensities, GridDensities
from iscore.learners.naive_bayes.density_kernel import steps
from iscore.learners.naive_bayes.precision import DEFAULT_PRECISION, finest_spacing, per_feature, resolved
from iscore.learners.online_classifier import OnlineClassifier, checked_labels

Floats = npt.NDArray[np.float64]

LARGEST_SCALE = 2.0**32
"""Weights grow instead of old ones shrinking; when they have grown this much, all are scaled back, exactly."""


class KernelNaiveBayes(OnlineClassifier):
    """Naive Bayes over all features, with kernel estimates.

    Parameters
    ----------
    mode
        "grid": flat in history, and the default. "exact": one term for every past value.
    bandwidth
        "weka", "john-langley" or "shared", the default: see ``bandwidth``. On readers' ratings "shared" decides best
        (``benchmarks/results/naive_bayes_bandwidth.md``).
    precision
        Differences below this hardly count; one number for all features, or one for each. At least 1e-6.
        ``resolution.mean_gap`` is Weka's choice from a first batch.
    floor
        The densities' floor, in examples spread evenly over the range of the feature. Positive.
    n_nodes
        Cells of the finest grid per class and feature, a power of two, at least 64. 2,048 keep posteriors of the
        default rule within 1e-3 of the exact ones up to 100,000 articles (``benchmarks/results/grid_accuracy.md``).
    half_life
        After this many further examples an example counts half, in all statistics but the ranges of the features;
        None never forgets.

    Attributes
    ----------
    classes_
        The two labels, the second meaning interesting; set by ``fit`` and ``partial_fit`` only.
    n_features_in_
        Set likewise.

    Examples
    --------
    >>> learner = KernelNaiveBayes()
    >>> for row in range(20):
    ...     before = learner.learn_one([row / 20, float("nan")], row > 9)
    >>> learner.score_one([0.8, 0.5]) > 0.0 > learner.score_one([0.2, 0.5])
    True
    """

    _densities: Densities | None = None
    _class_weights: Floats

    def __init__(
        self,
        *,
        mode: Literal["grid", "exact"] = "grid",
        bandwidth: Rule = "shared",
        precision: float | Sequence[float] = DEFAULT_PRECISION,
        floor: float = 0.1,
        n_nodes: int = 2048,
        half_life: float | None = None,
    ) -> None:
        self.mode = mode
        self.bandwidth = bandwidth
        self.precision = precision
        self.floor = floor
        self.n_nodes = n_nodes
        self.half_life = half_life

    def score_one(self, x: Floats) -> float:
        """See ``Learner``: the log-odds S."""
        return float(self.score_many(np.asarray(x, dtype=np.float64)[np.newaxis])[0])

    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``: the log-odds S of each row."""
        X = self._checked(X)
        if self._densities is None or not self._knows_both:
            return np.zeros(len(X))
        return self._scores(self._densities, resolved(X, self._finest))

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""
        return self._teach(x, interesting, weight, scored=True)

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``OnlineClassifier``."""
        X = self._checked(np.asarray(X, dtype=np.float64))
        liked, amounts = checked_labels(len(X), interesting, weights)
        densities = self._densities or self._begin(X.shape[1])
        return self._steps(densities, X, liked, amounts)

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the posterior of both classes for each row of ``X``, shape (m, 2)."""
        posterior = expit(self.decision_function(X))
        return np.column_stack([1.0 - posterior, posterior])

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``. Without correlations; the order of the features stands for their ranks."""
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        n = X.shape[1]
        knows = self._densities is not None and self._knows_both
        order, size = (np.arange(n), n) if self._densities is None else (self._order, self._size)
        ranks = np.empty(n, dtype=np.int64)
        ranks[order] = np.arange(n)
        contributions, intercept = np.zeros(n), 0.0
        if self._densities is not None and knows:
            intercept, slope = self._line()
            contributions = slope * self._densities.log_ratios(resolved(X, self._finest))[0]
        return Explanation(
            score=self.score_one(X[0]),
            prior=intercept,
            contributions=contributions,
            chosen=ranks < size,
            correlations=self._feature_correlations(n),
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
        self._restore_selection(state)
        self._refresh(densities)

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

    def _begin(self, n_features: int) -> Densities:
        """Set up empty statistics for vectors of this length. Raises ``ValueError`` for unusable parameters."""
        if self.bandwidth not in RULES:
            raise ValueError(f"bandwidth must be one of {RULES}, not {self.bandwidth!r}")
        if not 0.0 < self.floor < math.inf:
            raise ValueError(f"floor must be positive, not {self.floor}")
        if self.half_life is not None and not self.half_life > 0.0:
            raise ValueError(f"half_life must be positive, not {self.half_life}")
        precisions = per_feature(self.precision, n_features)
        densities: Densities
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
        self._order = np.arange(n_features)
        self._size = n_features
        self._prior = 0.0
        return densities

    def _forget(self) -> None:
        self._densities = None

    def _fit_rows(self, X: Any, y: npt.NDArray[Any], weights: npt.ArrayLike | None) -> Self:
        if self.mode != "exact":
            return super()._fit_rows(X, y, weights)
        liked, amounts = checked_labels(len(X), y == self.classes_[1], weights)
        for x, interesting, weight in zip(X, liked.tolist(), amounts.tolist(), strict=True):
            self._teach(x, interesting, weight, scored=False)
        return self

    def _teach(self, x: Floats, interesting: bool, weight: float, *, scored: bool) -> float:
        """Learn one vector; return its score before, or 0 if it is not asked for: exact sums over history cost."""
        if not 0.0 <= weight < math.inf:
            raise ValueError(f"weight must be finite and not negative, not {weight}")
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        densities = self._densities or self._begin(X.shape[1])
        if weight == 0.0:
            return float(self.score_many(X)[0]) if scored else 0.0
        return self._step(densities, X, bool(interesting), weight, scored=scored)

    def _scores(self, densities: Densities, X: Floats) -> Floats:
        """Return the scores of rows that are resolved already, both classes being known."""
        intercept, slope = self._line()
        return subsets.scores(densities.log_ratios(X), self._order, self._size, intercept, slope)

    def _line(self) -> tuple[float, float]:
        """Return the intercept and the slope that turn the sum of chosen log-ratios into the score."""
        return self._prior, 1.0

    def _step(self, densities: Densities, X: Floats, interesting: bool, weight: float, *, scored: bool) -> float:
        """Learn one row, shape (1, n), of positive weight; return its score before, or 0 if it is not asked for."""
        X = resolved(X, self._finest)
        score = float(self._scores(densities, X)[0]) if scored and self._knows_both else 0.0
        amount = weight * self._scale
        self._learn(densities, X, interesting, amount)
        self._class_weights[int(interesting)] += amount
        if self.half_life is not None:
            self._scale *= 2.0 ** (1.0 / self.half_life)
            if self._scale > LARGEST_SCALE:
                self._scale /= LARGEST_SCALE
                self._rescale(densities, 1.0 / LARGEST_SCALE)
        self._refresh(densities)
        return score

    def _steps(self, densities: Densities, X: Floats, liked: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        """Learn rows in order, those of weight 0 excepted; return the score of each before."""
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
            densities.precision,
            self._finest,
            densities.rule,
            float(self.floor),
            scores,
        )
        return scores

    def _steps_in_turn(self, X: Floats, liked: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        rows = zip(X, liked.tolist(), weights.tolist(), strict=True)
        return np.array([self.learn_one(*row) for row in rows], dtype=np.float64)

    def _learn(self, densities: Densities, X: Floats, interesting: bool, amount: float) -> None:
        """Take in one resolved row, shape (1, n), of positive amount."""
        densities.add(X[0], int(interesting), amount)

    def _rescale(self, densities: Densities, factor: float) -> None:
        densities.rescale(factor)
        self._class_weights *= factor

    def _refresh(self, densities: Densities) -> None:
        """Derive what scoring needs from what is learned."""
        densities.smooth(self._scale)
        dull, liked = self._class_weights / self._scale
        self._prior = math.log((liked + 1.0) / (dull + 1.0))

    def _feature_correlations(self, n_features: int) -> Floats:
        return np.zeros(n_features)

    def _restore_selection(self, state: Mapping[str, Any]) -> None:
        """Take back what a subclass has added to the state."""

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters, which must be equal for a state to mean the same."""
        return {name: np.asarray(value).tolist() for name, value in self.get_params().items()}
