"""The base of learners that transform the features before another learner sees them.

Features come in all scales, some are missing, and linear learners add them up as they are. A transformation learns from
the vectors alone, not from the labels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from iscore.learners.learner import Explanation, Floats, Learner, ranks_by_size
from iscore.learners.naive_bayes import correlation
from iscore.learners.online_classifier import OnlineClassifier, check_weight, clone

LARGEST = 1e100
"""Values beyond count as this, so that their squares can be summed."""

ROWS_AT_ONCE = 1024


class Coded(OnlineClassifier):
    """A learner over transformed vectors. A subclass defines ``_open``, ``_coded`` and ``_learn_coded``.

    Its explanations have the features' running correlations with the labels, and rank the features by their size.
    """

    learner: Learner | None
    _moments: Floats | None = None
    """The statistics of ``correlation``, shape (6, n); None before the first example."""
    _inner: Learner

    @abstractmethod
    def _default(self) -> Learner:
        """Return the learner that None means."""

    @abstractmethod
    def _open(self) -> None:
        """Set up the state of the transformation. Raises ``ValueError`` for unusable parameters."""

    @abstractmethod
    def _coded(self, X: Floats) -> Floats:
        """Return the rows of ``X`` (m, n), in which NaN is missing, as the learner is to see them."""

    @abstractmethod
    def _together(self, contributions: Floats) -> Floats:
        """Return what each feature contributes, shape (n,), given what each coded value does."""

    def _learn_coded(self, X: Floats, interesting: bool, weight: float) -> float:
        """Let the learner learn one row (1, n) of positive weight; return the score that it had before."""
        return self._inner.learn_one(self._coded(X)[0], interesting, weight)

    def score_one(self, x: Any) -> float:
        """See ``Learner``."""
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        return 0.0 if self._moments is None else self._inner.score_one(self._coded(X)[0])

    def score_many(self, X: Any) -> Floats:
        """See ``Learner``."""
        X = self._checked(np.asarray(X, dtype=np.float64))
        scores = np.zeros(len(X))
        if self._moments is not None:
            for begin in range(0, len(X), ROWS_AT_ONCE):
                rows = slice(begin, begin + ROWS_AT_ONCE)
                scores[rows] = self._inner.score_many(self._coded(X[rows]))
        return scores

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""
        check_weight(weight)
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        moments = self._begin(X.shape[1]) if self._moments is None else self._moments
        if weight == 0.0:
            return self.score_one(x)
        score = self._learn_coded(X, bool(interesting), weight)
        correlation.update(moments, X[0], float(interesting), weight)
        return score

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``."""
        X = self._checked(np.asarray(x, dtype=np.float64)[np.newaxis])
        n = X.shape[1]
        contributions, correlations, prior, score = np.zeros(n), np.zeros(n), 0.0, 0.0
        if self._moments is not None:
            inner = self._inner.explain_one(self._coded(X)[0])
            contributions, prior, score = self._together(inner.contributions), inner.prior, inner.score
            correlations = correlation.correlations(self._moments)
        ranks = ranks_by_size(correlations)
        return Explanation(score, prior, contributions, np.ones(n, dtype=bool), correlations, ranks, n)

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        if self._moments is None:
            return {}
        return {
            "parameters": self._parameters(),
            "moments": self._moments.copy(),
            "learner": self._inner.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self._forget()
        if state:
            if state["parameters"] != self._parameters():
                raise ValueError(f"the state is of {state['parameters']}, not of {self._parameters()}")
            moments = np.array(state["moments"], dtype=np.float64)
            self._begin(moments.shape[1])[:] = moments
            self._inner.restore(state["learner"])

    def _forget(self) -> None:
        self._moments = None

    def _begin(self, n_features: int) -> Floats:
        self._open()
        self._inner = self._fresh()
        self._moments = np.zeros((correlation.N_MOMENTS, n_features))
        return self._moments

    def _fresh(self) -> Learner:
        """Return a learner that has seen nothing."""
        return clone(self._default() if self.learner is None else self.learner)

    def _checked(self, X: Floats) -> Floats:
        """Return ``X`` as rows of the right length, with NaN for what is missing, clipped to ±``LARGEST``."""
        if X.ndim != 2:
            raise ValueError(f"vectors of features are needed, not an array of shape {X.shape}")
        if self._moments is not None and X.shape[1] != self._moments.shape[1]:
            raise ValueError(f"{self._moments.shape[1]} features were learned, not {X.shape[1]}")
        return np.clip(np.where(np.isfinite(X), X, np.nan), -LARGEST, LARGEST)

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters, which must be equal for a state to mean the same; the learner's has its own."""
        learner = self._default() if self.learner is None else self.learner
        parameters: dict[str, Any] = self.get_params(deep=False)
        return parameters | {"learner": type(learner).__name__}
