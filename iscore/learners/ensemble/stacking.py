"""Stacking: the weighted sum of two scores, of a learner over all features and of a margin that is among them.

    S = w₁·A + w₂·B + b

A is the log-odds of the learner; B is the margin of a linear learner, one feature or the sum of some (``FixedMargin``),
as log-odds (``Calibrated``). (w₁, w₂, b) is the running estimate of a Bayesian logistic regression of the label on A
and B, by the update of ``weighted_naive_bayes``, which starts from their plain mean. The learner's density over
margins, which are among its features too, loses what a line preserves: how much further on the liked side one article
is than another. And two scores that err on different articles err less together.

Where all of the margin is missing, or no feature is given as margin, S is A. The learner may be a stacking itself: the
default classifier has three scores.

Sources: D. Wolpert, "Stacked generalization", Neural Networks 1992; W. Penny, S. Roberts,
"Dynamic logistic regression", IJCNN 1999, for the update.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.ensemble.calibrated import Calibrated
from iscore.learners.learner import Bools, Explanation, Floats, Learner
from iscore.learners.naive_bayes import weighted_naive_bayes
from iscore.learners.naive_bayes.subset_naive_bayes import SubsetNaiveBayes
from iscore.learners.online_classifier import OnlineClassifier, as_labels, clone, probabilities

_FEWEST, _update = weighted_naive_bayes.FEWEST, weighted_naive_bayes.update

SHARE_VARIANCE = 0.05
"""Of the belief about w₁ and w₂, at first: a fifth up or down is likely."""
INTERCEPT_VARIANCE = 0.01
"""Both scores contain the prior."""


@compiled
def _mix(
    scores: Floats, odds: Floats, interesting: Bools, weights: Floats, belief: tuple[Floats, Floats, Floats]
) -> Floats:
    """Return the stacked scores of examples, each before it is learned; those of weight 0 are not.

    Modifies ``belief``: mean, covariance and the weight of each class.
    """
    mean, covariance, seen = belief
    mixed, x = np.empty(len(scores)), np.empty(2)
    for row in range(len(scores)):
        x[0], x[1] = scores[row], odds[row]
        known = seen[0] != 0.0 and seen[1] != 0.0
        mixed[row] = mean[0] * scores[row] + mean[1] * odds[row] + mean[2] if known else scores[row]
        if weights[row] > 0.0:
            if min(seen[0], seen[1]) >= _FEWEST:
                _update(mean, covariance, x, 0.0, interesting[row], weights[row], 1.0)
            seen[1 if interesting[row] else 0] += weights[row]
    return mixed


class Stacking(OnlineClassifier):
    """A learner and a margin; scores are log-odds.

    Parameters
    ----------
    learner
        Any learner with scores in log-odds; None, the default, is ``SubsetNaiveBayes()``. It is not changed.
    margin
        Which features add up to the margin, from 0; none is the default.

    Examples
    --------
    >>> learner = Stacking(margin=(1,))
    >>> for row in range(30):
    ...     before = learner.learn_one([float(row % 5), row % 3 - 1.0], row % 3 == 2)
    >>> learner.score_one([2.0, 1.0]) > 0.0 > learner.score_one([2.0, -1.0])
    True
    """

    _inner: Learner | None = None
    """None before the first example."""
    _line: Calibrated
    _mean: Floats
    """Of the belief about (w₁, w₂, b)."""
    _covariance: Floats
    _seen: Floats
    """Weight of the examples of each class that had a margin, shape (2,)."""

    def __init__(self, learner: Learner | None = None, margin: Sequence[int] = ()) -> None:
        self.learner = learner
        self.margin = margin

    def score_one(self, x: Floats) -> float:
        """See ``Learner``."""
        return float(self.score_many(np.asarray(x, dtype=np.float64)[np.newaxis])[0])

    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``."""
        if self._inner is None:
            return self._fresh().score_many(X)
        scores = self._inner.score_many(X)
        if not self.margin or not self._seen.all():
            return scores
        both = np.isfinite(X[:, list(self.margin)]).any(axis=1)
        if both.any():
            first, second, shift = self._mean.tolist()
            scores = scores.copy()
            scores[both] = first * scores[both] + second * self._line.score_many(X[both]) + shift
        return scores

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""
        row = np.asarray(x, dtype=np.float64)[np.newaxis]
        return float(self.learn_many(row, np.array((bool(interesting),)), np.array((weight,), dtype=np.float64))[0])

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``OnlineClassifier``."""
        X = np.asarray(X, dtype=np.float64)
        liked, amounts = as_labels(interesting, weights)
        inner = self._begin() if self._inner is None else self._inner
        scores = inner.learn_many(X, liked, amounts)
        both = np.isfinite(X[:, list(self.margin)]).any(axis=1)
        if both.any():
            examples = liked[both], amounts[both]
            odds = self._line.learn_many(X[both], *examples)
            scores[both] = _mix(scores[both], odds, *examples, (self._mean, self._covariance, self._seen))
        return scores

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``. A feature of the margin has one contribution, of the learner and the margin together."""
        if self._inner is None:
            return self._fresh().explain_one(x)
        why = self._inner.explain_one(x)
        if not self._seen.all() or not self._has_margin(x):
            return why
        first, second, shift = self._mean.tolist()
        line = self._line.explain_one(x)
        contributions = first * np.where(why.chosen, why.contributions, 0.0) + second * line.contributions
        chosen = why.chosen | line.chosen
        ranks = np.empty_like(why.ranks)
        ranks[np.lexsort((why.ranks, ~chosen))] = np.arange(len(ranks))
        return Explanation(
            score=self.score_one(x),
            prior=first * why.prior + second * line.prior + shift,
            contributions=contributions,
            chosen=chosen,
            correlations=why.correlations,
            ranks=ranks,
            subset_size=int(chosen.sum()),
        )

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the posterior of both classes for each row of ``X``, shape (m, 2)."""
        return probabilities(self.decision_function(X))

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        if self._inner is None:
            return {}
        return {
            "margin": list(self.margin),
            "learner": self._inner.state(),
            "line": self._line.state(),
            "mean": self._mean.copy(),
            "covariance": self._covariance.copy(),
            "seen": self._seen.copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self._forget()
        if not state:
            return
        if list(state["margin"]) != list(self.margin):
            raise ValueError(f"the state is of the margin in columns {state['margin']}, not {list(self.margin)}")
        inner = self._begin()
        inner.restore(state["learner"])
        self._line.restore(state["line"])
        self._mean, self._covariance, self._seen = (
            np.array(state[name], dtype=np.float64) for name in ("mean", "covariance", "seen")
        )

    def _has_margin(self, x: Floats) -> bool:
        return any(math.isfinite(x[column]) for column in self.margin)

    def _forget(self) -> None:
        self._inner = None

    def _begin(self) -> Learner:
        self._inner = self._fresh()
        self._line = Calibrated(FixedMargin(self.margin))
        self._mean = np.array((0.5, 0.5, 0.0))
        self._covariance = np.diag((SHARE_VARIANCE, SHARE_VARIANCE, INTERCEPT_VARIANCE))
        self._seen = np.zeros(2)
        return self._inner

    def _fresh(self) -> Learner:
        return clone(SubsetNaiveBayes() if self.learner is None else self.learner)


class FixedMargin(OnlineClassifier):
    """The sum of some features as the score, of which what is missing is 0. Learns nothing.

    Parameters
    ----------
    columns
        The positions of the features in the vector, from 0; all different.

    Examples
    --------
    >>> FixedMargin(columns=(0, 2)).score_one([1.5, 7.0, -0.5])
    1.0
    """

    def __init__(self, columns: Sequence[int] = (0,)) -> None:
        self.columns = columns

    def score_one(self, x: Floats) -> float:
        """See ``Learner``."""
        total = 0.0
        for column in self.columns:
            value = float(x[column])
            total += value if math.isfinite(value) else 0.0
        return total

    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``."""
        X = np.asarray(X, dtype=np.float64)
        total = np.zeros(len(X))
        for column in self.columns:
            total += np.where(np.isfinite(X[:, column]), X[:, column], 0.0)
        return total

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:  # noqa: ARG002 -- the base class's parameters
        """See ``Learner``."""
        return self.score_one(x)

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:  # noqa: ARG002 -- the base class's parameters
        """See ``OnlineClassifier``."""
        return self.score_many(X)

    def explain_one(self, x: Floats) -> Explanation:
        """See ``Learner``."""
        n = len(x)
        chosen = np.isin(np.arange(n), self.columns)
        return Explanation(
            score=self.score_one(x),
            prior=0.0,
            contributions=np.where(chosen & np.isfinite(x), x, 0.0),
            chosen=chosen,
            correlations=np.zeros(n),
            ranks=np.argsort(np.argsort(~chosen, kind="stable"), kind="stable"),
            subset_size=len(self.columns),
        )

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""

    def _forget(self) -> None:
        pass
