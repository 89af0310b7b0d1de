"""Calibration: margins as log-odds, by a line that is learned online from the scores of any learner.

    S = log P(1)/P(0) + a·(s - m)/d + b,   P(c) = (n_c + 1)/(N + 2)

s is the learner's score of an example before it is learned; m and d are mean and deviation of the last ones, since
weights of mistake-driven learners grow as long as mistakes are made, those of confident learners shrink, and a bias
may outweigh what differs. (a, b) is the running estimate of a Bayesian logistic regression (``calibration``), learned
from ``calibration.FEWEST`` examples of each class on; until then S is s over its root mean square. Old estimates count
less, by ``HALF_LIFE``.

Sources: J. Platt, "Probabilistic outputs for support vector machines", 1999; W. Penny, S. Roberts 1999.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Bools, Explanation, Floats, Learner
from iscore.learners.naive_bayes import calibration
from iscore.learners.online_classifier import Accepts, OnlineClassifier, as_labels, clone, probabilities
from iscore.learners.preprocessing.standard_scaler import StandardScaled

_FEWEST, _update_line = calibration.FEWEST, calibration.update

SLOPE_VARIANCE = 1.0
"""Of the belief about a before any example; its mean is 1."""
HALF_LIFE = 500.0
"""Examples after which one counts half."""
LEAST = 1e-6
"""Least variance of margins, relative to their mean square."""
KEEP = 2.0 ** (-1.0 / HALF_LIFE)


class Line(NamedTuple):
    """What is learned. Kernels change the arrays."""

    line: Floats
    """The belief about a and b, shape (5, 1), as in ``calibration``."""
    sums: Floats
    """Of the weights of scored examples, of weight·s and of weight·s², of which old ones count less; shape (3,)."""
    seen: Floats
    """The weight of each class, shape (2,)."""


@inner
def _prior(seen: Floats) -> float:
    """Return log P(1)/P(0)."""
    return math.log((seen[1] + 1.0) / (seen[0] + 1.0))


@inner
def _mean_and_deviation(sums: Floats) -> tuple[float, float]:
    """Return m and d, where there are margins that are not 0."""
    mean = sums[1] / sums[0]
    return mean, math.sqrt(max(sums[2] / sums[0] - mean * mean, LEAST * sums[2] / sums[0]))


@inner
def slope_and_shift(belief: tuple[Floats, Floats, Floats]) -> tuple[float, float]:
    """Return what a margin is multiplied by, and what is added; ``belief`` has the fields of ``Line``."""
    line, sums, seen = Line(*belief)
    if not sums[2] > 0.0:
        return 1.0, 0.0
    if min(seen[0], seen[1]) < _FEWEST:
        return math.sqrt(sums[0] / sums[2]), 0.0
    mean, deviation = _mean_and_deviation(sums)
    a, b = line[0, 0], line[1, 0]
    return a / deviation, _prior(seen) + b - a * mean / deviation


@compiled
def learn(
    margins: Floats, interesting: Bools, weights: Floats, belief: tuple[Floats, Floats, Floats], odds: Floats
) -> None:
    """Put the log-odds of margins into ``odds``, each by the line so far, and learn each, but for those of weight 0."""
    line, sums, seen = Line(*belief)
    only, x = np.zeros(1, dtype=np.int64), np.empty(1)
    for row in range(len(margins)):
        margin, weight = margins[row], weights[row]
        slope, shift = slope_and_shift(belief)
        odds[row] = slope * margin + shift
        if not weight > 0.0:
            continue
        # Before both classes are known every margin is 0, and carries no information.
        if seen[0] != 0.0 and seen[1] != 0.0 and math.isfinite(weight * margin * margin):
            if sums[2] > 0.0 and min(seen[0], seen[1]) >= _FEWEST:
                mean, deviation = _mean_and_deviation(sums)
                x[0] = (margin - mean) / deviation
                _update_line(line, x, only, _prior(seen), interesting[row], weight, KEEP)
            sums[0] = KEEP * sums[0] + weight
            sums[1] = KEEP * sums[1] + weight * margin
            sums[2] = KEEP * sums[2] + weight * margin * margin
        seen[1 if interesting[row] else 0] += weight


class Calibrated(OnlineClassifier):
    """A learner for two classes with scores in log-odds, and with ``predict_proba``.

    Parameters
    ----------
    learner
        Any learner; None, the default, is ``StandardScaled()``. It is not changed. Sparse rows are taken where it
        takes them, as linear learners do, and rows of any width where it grows.

    Examples
    --------
    >>> from iscore.learners import Perceptron
    >>> learner = Calibrated(Perceptron())
    >>> X, y = [[1.0, 0.0], [0.0, 1.0]] * 20, [True, False] * 20
    >>> learner.fit(X, y).predict_proba([[1.0, 0.0]]).argmax(axis=1).tolist()
    [1]
    """

    _inner: Learner | None = None
    """None before the first example."""
    _line: tuple[Floats, Floats, Floats]
    """The fields of ``Line``."""

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner

    @property
    def accepts(self) -> Accepts:
        """See ``OnlineClassifier``."""
        theirs: Accepts = getattr(self._given, "accepts", Accepts())
        return theirs._replace(many_classes=False)

    def score_one(self, x: Any) -> float:
        """See ``Learner``: the log-odds S. ``x`` is a vector, or a sparse matrix of one row if the learner takes it."""
        if self._inner is None:
            return clone(self._given).score_one(x)
        slope, shift = slope_and_shift(self._line)
        return slope * self._inner.score_one(x) + shift

    def score_many(self, X: Any) -> Floats:
        """See ``Learner``. ``X`` is a matrix of shape (m, n_features), sparse too if the learner takes it."""
        if self._inner is None:
            return clone(self._given).score_many(X)
        slope, shift = slope_and_shift(self._line)
        scores: Floats = slope * self._inner.score_many(X) + shift
        return scores

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``. ``x`` is a vector, or a sparse matrix of one row if the learner takes it."""
        inner = self._begin() if self._inner is None else self._inner
        margin = np.array((inner.learn_one(x, interesting, weight),), dtype=np.float64)
        label, amount = np.array((bool(interesting),)), np.array((weight,), dtype=np.float64)
        return self._log_odds(margin, label, amount).item()

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``OnlineClassifier``."""
        inner = self._begin() if self._inner is None else self._inner
        liked, amounts = as_labels(interesting, weights)
        return self._log_odds(inner.learn_many(X, liked, amounts), liked, amounts)

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``: of the log-odds."""
        if self._inner is None:
            return clone(self._given).explain_one(x)
        slope, shift = slope_and_shift(self._line)
        why = self._inner.explain_one(x)
        return replace(
            why,
            score=slope * why.score + shift,
            prior=slope * why.prior + shift,
            contributions=slope * why.contributions,
        )

    def predict_proba(self, X: Any) -> Floats:
        """Return the posterior of both classes for each row of ``X``, shape (m, 2)."""
        return probabilities(self.decision_function(X))

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        if self._inner is None:
            return {}
        line, margins, seen = self._line
        return {
            "of": type(self._inner).__name__,
            "learner": self._inner.state(),
            "line": line.copy(),
            "margins": margins.copy(),
            "seen": seen.copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self._forget()
        if state:
            inner = self._begin()
            if state["of"] != type(inner).__name__:
                raise ValueError(f"the state is of {state['of']}, not of {type(inner).__name__}")
            inner.restore(state["learner"])
            line, margins, seen = (np.array(state[name], dtype=np.float64) for name in ("line", "margins", "seen"))
            self._line = line, margins, seen

    @property
    def _given(self) -> Learner:
        return StandardScaled() if self.learner is None else self.learner

    def _forget(self) -> None:
        self._inner = None

    def _begin(self) -> Learner:
        self._inner = clone(self._given)
        line = calibration.unlearned(1, calibrated=True)
        line[0], line[2] = 1.0, SLOPE_VARIANCE
        self._line = line, np.zeros(3), np.zeros(2)
        return self._inner

    def _log_odds(self, margins: Floats, interesting: Bools, weights: Floats) -> Floats:
        """Return the log-odds of margins, each by the line so far, and let the line learn them in order."""
        odds = np.empty(len(margins))
        learn(margins, interesting, weights, self._line, odds)
        return odds
