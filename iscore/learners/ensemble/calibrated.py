"""Margins as log-odds: a line, learned online, from the score of any learner to the odds of interest.

    S = log P(1)/P(0) + a·(s - m)/d + b,   P(c) = (n_c + 1)/(N + 2)

s is the learner's score of an example before it is learned; m and d are mean and deviation of the last ones, since
weights of mistake-driven learners grow as long as mistakes are made, those of confident learners shrink, and a bias
may outweigh what differs. (a, b) is the running estimate of a Bayesian logistic regression (``calibration``), learned
from ``calibration.FEWEST`` examples of each class on; until then S is s over its root mean square. What was estimated
long ago counts less, by ``margin_line.HALF_LIFE``.

Rows are handed to the learner as they come, sparse ones too where it takes them, and many at once where it learns so:
the line follows from the scores that come back.

Sources: J. Platt, "Probabilistic outputs for support vector machines", 1999; W. Penny, S. Roberts 1999.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, check_non_negative

from iscore.learners.learner import Explanation, Learner
from iscore.learners.linear.calibration_line import follow, slope_and_shift
from iscore.learners.naive_bayes import calibration
from iscore.learners.preprocessing.standard_scaler import Standardised
from iscore.learners.sklearn_adapter import OnlineClassifier

Floats = npt.NDArray[np.float64]

SLOPE_VARIANCE = 1.0
"""Of the belief about a before any example; its mean is 1."""


class Calibrated(OnlineClassifier):
    """A learner for two classes with scores in log-odds, and with ``predict_proba``.

    Parameters
    ----------
    learner
        Any ``Learner`` that is a scikit-learn estimator; None, the default, is ``Standardised()``. It is not changed.
        Sparse rows are taken where it takes them, as linear learners do, and rows of any width where it grows.
    """

    _inner: Learner | None = None
    """None before the first example."""
    _line: Floats
    """The belief about a and b, shape (5, 1), as in ``calibration``."""
    _margins: Floats
    """Sums of the weights of scored examples, of weight·s and of weight·s², of which old ones count less; (3,)."""
    _seen: Floats
    """Weight of each class, shape (2,)."""

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner

    def score_one(self, x: Any) -> float:
        """See ``Learner``: the log-odds S. ``x`` is a vector, or a sparse matrix of one row if the learner takes it."""
        if self._inner is None:
            return self._fresh().score_one(x)
        slope, shift = slope_and_shift(self._line, self._margins, self._seen)
        return slope * self._inner.score_one(x) + shift

    def score_many(self, X: Any) -> Floats:
        """See ``Learner``. ``X`` is a matrix of shape (m, n_features), sparse too if the learner takes it."""
        if self._inner is None:
            return self._fresh().score_many(X)
        slope, shift = slope_and_shift(self._line, self._margins, self._seen)
        scores: Floats = slope * self._inner.score_many(X) + shift
        return scores

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``. ``x`` is a vector, or a sparse matrix of one row if the learner takes it."""
        inner = self._begin() if self._inner is None else self._inner
        margin = inner.learn_one(x, interesting, weight)
        said = np.array((bool(interesting),)), np.array((weight,), dtype=np.float64)
        return self._follow(np.array((margin,), dtype=np.float64), *said).item()

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """Learn the rows of ``X`` (m, n_features) in order; return the score that each had just before, shape (m,).

        Equal bit for bit to ``learn_one`` of each. ``interesting`` (m,) is of booleans. Raises ``ValueError`` as the
        learner does.
        """
        inner = self._begin() if self._inner is None else self._inner
        liked = np.asarray(interesting, dtype=bool)
        amounts = np.ones(len(liked)) if weights is None else np.array(weights, dtype=np.float64)
        together = getattr(inner, "learn_many", None)
        if together is None:
            rows = zip(X, liked.tolist(), amounts.tolist(), strict=True)
            margins = np.array([inner.learn_one(*row) for row in rows], dtype=np.float64)
        else:
            margins = together(X, liked, amounts)
        return self._follow(margins, liked, amounts)

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``: of the log-odds."""
        if self._inner is None:
            return self._fresh().explain_one(x)
        slope, shift = slope_and_shift(self._line, self._margins, self._seen)
        why = self._inner.explain_one(x)
        return replace(
            why,
            score=slope * why.score + shift,
            prior=slope * why.prior + shift,
            contributions=slope * why.contributions,
        )

    def decision_function(self, X: Any) -> Floats:
        """Return the log-odds of the rows of ``X``, shape (m,); above 0 means the second class."""
        if not self._grows():
            return super().decision_function(X)
        check_is_fitted(self, "classes_")
        return self.score_many(check_array(X, **self._input_options()))

    def predict_proba(self, X: Any) -> Floats:
        """Return the posterior of both classes for each row of ``X``, shape (m, 2)."""
        posterior = expit(self.decision_function(X))
        return np.column_stack([1.0 - posterior, posterior])

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        if self._inner is None:
            return {}
        return {
            "of": type(self._inner).__name__,
            "learner": self._inner.state(),
            "line": self._line.copy(),
            "margins": self._margins.copy(),
            "seen": self._seen.copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self._forget()
        if state:
            inner = self._begin()
            if state["of"] != type(inner).__name__:
                raise ValueError(f"the state is of {state['of']}, not of {type(inner).__name__}")
            inner.restore(state["learner"])
            self._line, self._margins, self._seen = (
                np.array(state[name], dtype=np.float64) for name in ("line", "margins", "seen")
            )

    def __sklearn_tags__(self) -> Any:
        """Say of inputs what the learner says."""
        tags = super().__sklearn_tags__()
        theirs = get_tags(self._given())
        tags.input_tags, tags.classifier_tags.poor_score = theirs.input_tags, theirs.classifier_tags.poor_score
        return tags

    def _validated(self, X: Any, y: npt.ArrayLike, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        return super()._validated(X, y, reset=reset or self._grows())

    def _input_options(self) -> dict[str, Any]:
        sparse = {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}
        return super()._input_options() | (sparse if get_tags(self._given()).input_tags.sparse else {})

    def _learn_rows(self, X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Self:
        if get_tags(self._given()).input_tags.positive_only:
            check_non_negative(X, type(self._given()).__name__)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.learn_many(X, y == self.classes_[1], weights)
        return self

    def _given(self) -> Learner:
        return Standardised() if self.learner is None else self.learner

    def _grows(self) -> bool:
        """Return whether the learner, or one within it, takes rows of any width."""
        given: Any = self._given()
        return any(value for name, value in given.get_params().items() if name.split("__")[-1] == "grow")

    def _forget(self) -> None:
        self._inner = None

    def _begin(self) -> Learner:
        self._inner = self._fresh()
        self._line = calibration.unlearned(1, calibrated=True)
        self._line[0], self._line[2] = 1.0, SLOPE_VARIANCE
        self._margins = np.zeros(3)
        self._seen = np.zeros(2)
        return self._inner

    def _fresh(self) -> Learner:
        fresh: Learner = clone(self._given())
        return fresh

    def _follow(self, margins: Floats, interesting: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        """Return the log-odds of margins, each by the line so far, and take the examples into the line, in turn."""
        odds = np.empty(len(margins))
        follow(margins, interesting, weights, self._line, self._margins, self._seen, odds)
        return odds
