"""Margins as log-odds: a line, learned online, from the score of any learner to the odds of interest.

    S = log P(1)/P(0) + a·(s - m)/d + b,   P(c) = (n_c + 1)/(N + 2)

s is the learner's score of an example before it is learned; m and d are mean and deviation of the last ones, since
weights of mistake-driven learners grow as long as mistakes are made, those of confident learners shrink, and a bias
may outweigh what differs. (a, b) is the running estimate of a Bayesian logistic regression (``calibration``), learned
from ``calibration.FEWEST`` examples of each class on; until then S is s over its root mean square. What was estimated
long ago counts less, by ``HALF_LIFE``.

Sources: J. Platt, "Probabilistic outputs for support vector machines", 1999; W. Penny, S. Roberts 1999.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import clone

from iscore.learners import calibration
from iscore.learners.learner import Explanation, Learner
from iscore.learners.online_classifier import OnlineClassifier
from iscore.learners.standardised import Standardised

Floats = npt.NDArray[np.float64]

SLOPE_VARIANCE = 1.0
"""Of the belief about a before any example; its mean is 1."""

HALF_LIFE = 500.0
"""Examples after which one counts half."""
LEAST = 1e-6
"""Least variance of margins, relative to their mean square."""
_KEEP = 2.0 ** (-1.0 / HALF_LIFE)

_ONLY = np.zeros(1, dtype=np.int64)


class Calibrated(OnlineClassifier):
    """A learner for two classes with scores in log-odds, and with ``predict_proba``.

    Parameters
    ----------
    learner
        Any ``Learner`` that is a scikit-learn estimator; None, the default, is ``Standardised()``. It is not changed.
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
        """See ``Learner``: the log-odds S."""
        if self._inner is None:
            return self._fresh().score_one(x)
        slope, shift = self._slope_and_shift()
        return slope * self._inner.score_one(x) + shift

    def score_many(self, X: Any) -> Floats:
        """See ``Learner``."""
        if self._inner is None:
            return self._fresh().score_many(X)
        slope, shift = self._slope_and_shift()
        scores: Floats = slope * self._inner.score_many(X) + shift
        return scores

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""
        inner = self._begin() if self._inner is None else self._inner
        slope, shift = self._slope_and_shift()
        margin = inner.learn_one(x, interesting, weight)
        score = slope * margin + shift
        if weight > 0.0:
            self._calibrate(margin, bool(interesting), weight)
        return score

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``: of the log-odds."""
        if self._inner is None:
            return self._fresh().explain_one(x)
        slope, shift = self._slope_and_shift()
        why = self._inner.explain_one(x)
        return replace(
            why,
            score=slope * why.score + shift,
            prior=slope * why.prior + shift,
            contributions=slope * why.contributions,
        )

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
        fresh: Learner = clone(Standardised() if self.learner is None else self.learner)
        return fresh

    def _slope_and_shift(self) -> tuple[float, float]:
        """Return what a margin is multiplied by, and what is added."""
        weight, _, squares = self._margins.tolist()
        if not squares > 0.0:
            return 1.0, 0.0
        if not self._learns_line():
            return math.sqrt(weight / squares), 0.0
        a, b = self._line[:2, 0].tolist()
        mean, deviation = self._mean_and_deviation()
        return a / deviation, self._prior() + b - a * mean / deviation

    def _calibrate(self, margin: float, interesting: bool, weight: float) -> None:
        # Before both classes are known every margin is 0, and says nothing.
        if self._seen.all() and math.isfinite(weight * margin * margin):
            if self._margins[2] > 0.0 and self._learns_line():
                mean, deviation = self._mean_and_deviation()
                x = np.array(((margin - mean) / deviation,))
                calibration.update(self._line, x, _ONLY, self._prior(), interesting, weight, _KEEP)
            self._margins = _KEEP * self._margins + (weight, weight * margin, weight * margin * margin)
        self._seen[int(interesting)] += weight

    def _learns_line(self) -> bool:
        return bool(self._seen.min() >= calibration.FEWEST)

    def _prior(self) -> float:
        """Return log P(1)/P(0)."""
        dull, liked = self._seen.tolist()
        return math.log((liked + 1.0) / (dull + 1.0))

    def _mean_and_deviation(self) -> tuple[float, float]:
        """Return m and d, where there are margins that are not 0."""
        weight, margins, squares = self._margins.tolist()
        mean = margins / weight
        return mean, math.sqrt(max(squares / weight - mean * mean, LEAST * squares / weight))
