"""Voting, also called averaging: judge by the mean of all hypotheses that a mistake-driven learner has had.

    w̄ = Σ w_i·c_i / Σ c_i,   c_i the number of examples that hypothesis i got right before its next mistake

Right is an example that changes nothing, so that of learners with a margin it is one beyond the margin. While all c_i
are 0 the newest hypothesis judges; it always decides what is learned. Winnow's u and v are averaged alike, and with
several classes the weights of each.

The sums are brought up to date only where a weight changes (``margins``), so that an example costs what its own
values cost.

Sources: Freund, Schapire 1999; Carvalho, Cohen 2006, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from iscore.learners.learner import Explanation
from iscore.learners.linear.linear_model import LinearClassifier
from iscore.learners.linear.multiclass import ManyClasses
from iscore.learners.linear.perceptron import Perceptron
from iscore.learners.linear.rows import Data

Floats = npt.NDArray[np.float64]


# scikit-learn publishes no types, so its classes are Any here.
class Voted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The averaged form of a mistake-driven learner: ``Voted(ModifiedBalancedWinnow())``.

    All verbs are those of ``LinearClassifier``, and of ``ManyClasses`` when the learner is one of those. An example of
    weight h that is right counts h.

    Parameters
    ----------
    learner
        Which learner; None, the default, is ``Perceptron()``. It is not changed.
    """

    _inner: LinearClassifier | None = None
    """A learner like the given one that keeps its means; None before anything was asked."""

    def __init__(self, learner: LinearClassifier | None = None) -> None:
        self.learner = learner

    # One example at a time

    def score_one(self, x: Any) -> float:
        """See ``LinearClassifier``: the score by the mean hypothesis."""
        return self._averaging().score_one(x)

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``LinearClassifier``."""
        return self._averaging().learn_one(x, interesting, weight)

    def explain_one(self, x: Any) -> Explanation:
        """See ``LinearClassifier``."""
        return self._averaging().explain_one(x)

    def score_classes(self, x: Any) -> Floats:
        """See ``ManyClasses``."""
        return self._of_many_classes().score_classes(x)

    def learn_class(self, x: Any, number: int, weight: float = 1.0) -> Floats:
        """See ``ManyClasses``."""
        return self._of_many_classes().learn_class(x, number, weight)

    def expect(self, n_classes: int) -> Self:
        """See ``ManyClasses``."""
        self._forget()
        self._of_many_classes().expect(n_classes)
        return self

    # Many

    def score_many(self, X: Any) -> Floats:
        """See ``LinearClassifier``."""
        return self._averaging().score_many(X)

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``LinearClassifier``."""
        return self._averaging().learn_many(X, interesting, weights)

    # Rows of a hashed space

    def score_rows(self, indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], data: Data) -> Floats:
        """See ``LinearClassifier``."""
        return self._averaging().score_rows(indptr, indices, data)

    def learn_row(self, indices: npt.NDArray[np.int32], data: Data, positive: bool, weight: float = 1.0) -> None:
        """See ``LinearClassifier``."""
        self._averaging().learn_row(indices, data, positive, weight)

    # scikit-learn's face

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """See ``OnlineClassifier``."""
        self._forget()
        self._averaging().fit(X, y, sample_weight)
        return self._fitted()

    def partial_fit(
        self, X: Any, y: npt.ArrayLike, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """See ``OnlineClassifier``."""
        self._averaging().partial_fit(X, y, classes, sample_weight)
        return self._fitted()

    def decision_function(self, X: Any) -> Floats:
        """See ``LinearClassifier``."""
        check_is_fitted(self, "classes_")
        return self._averaging().decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """See ``LinearClassifier``."""
        check_is_fitted(self, "classes_")
        return self._averaging().predict(X)

    # What was learned of each coordinate

    def importances(self) -> tuple[npt.NDArray[np.int32], Floats]:
        """See ``LinearClassifier``: the sizes of the mean weights."""
        return self._averaging().importances()

    def keep(self, coordinates: npt.NDArray[np.int32]) -> None:
        """See ``LinearClassifier``."""
        self._averaging().keep(coordinates)

    # State

    def state(self) -> dict[str, Any]:
        """See ``Learner``. Empty before the first example."""
        inner = self._averaging()
        state = inner.state()
        return {"learner": type(inner).__name__, "voted": state} if state else {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self._forget()
        if state:
            inner = self._averaging()
            if state["learner"] != type(inner).__name__:
                raise ValueError(f"the state is of {state['learner']}, not of {type(inner).__name__}")
            inner.restore(state["voted"])

    def _forget(self) -> None:
        self._inner = None

    def _averaging(self) -> LinearClassifier:
        if self._inner is None:
            learner = Perceptron() if self.learner is None else self.learner
            if not isinstance(learner, LinearClassifier) or not learner.CAN_BE_AVERAGED:
                raise ValueError(f"{learner!r} is no mistake-driven learner that could be averaged")
            self._inner = clone(learner)
            self._inner.keep_means()
        return self._inner

    def _of_many_classes(self) -> ManyClasses:
        inner = self._averaging()
        if not isinstance(inner, ManyClasses):
            raise TypeError(f"{type(inner).__name__} tells two classes apart")
        return inner

    def _fitted(self) -> Self:
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self._inner, name):
                setattr(self, name, getattr(self._inner, name))
        return self

    def __sklearn_tags__(self) -> Any:
        """Say what the learner says."""
        learner = Perceptron() if self.learner is None else self.learner
        return learner.__sklearn_tags__()
