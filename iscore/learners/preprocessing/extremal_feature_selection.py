"""Extremal Feature Selection: of the features of a linear model the most important ones, and a few of the least.

    importance I_j = |u_j - v_j| or |w_j|;   of K features P·K with the largest I and (1 - P)·K with the smallest

The rest is dropped from the model. Why the least: they are common words, whose number an example is divided by in the
normalisation of Modified Balanced Winnow (section 5 of the paper); P = 1 leaves them out.

Source: Carvalho, Cohen 2006, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from iscore.learners.learner import Explanation
from iscore.learners.linear.linear_model import LinearClassifier
from iscore.learners.linear.rows import Data
from iscore.learners.linear.voted import Voted

Floats = npt.NDArray[np.float64]
Coordinates = npt.NDArray[np.int32]


def _has(verb: str) -> Any:
    return available_if(lambda selection: hasattr(selection.learner, verb))


# scikit-learn publishes no types, so its classes are Any here.
class ExtremalFeatureSelection(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear learner whose model is cut down to K features.

    ``fit`` selects when all rows are learned; in a stream ``select`` does it at any moment. A feature that was dropped
    is learned anew when it comes again, and may be selected the next time.

    Parameters
    ----------
    learner
        Any linear learner, voted or not, of two classes. It is not changed: a copy of it learns, ``learner_``.
    n_features
        K, positive. A model that has fewer features stays whole.
    top_fraction
        P, in [0, 1]; P·K is rounded up.
    """

    def __init__(self, learner: LinearClassifier | Voted, n_features: int = 1000, top_fraction: float = 0.9) -> None:
        self.learner = learner
        self.n_features = n_features
        self.top_fraction = top_fraction

    def select(self) -> Coordinates:
        """Drop all but K features from the model; return the coordinates of those that stay, ascending.

        Of equally important features the first ones count as the more important.
        """
        self._ready()
        coordinates, importances = self.learner_.importances()
        if len(coordinates) > self.n_features:
            top = math.ceil(self.top_fraction * self.n_features - 1e-9)
            ranked = coordinates[np.argsort(-importances, kind="stable")]
            coordinates = np.sort(np.concatenate([ranked[:top], ranked[len(ranked) - (self.n_features - top) :]]))
            self.learner_.keep(coordinates)
        return coordinates

    # The learner's verbs

    def score_one(self, x: Any) -> float:
        """See ``LinearClassifier``."""
        self._ready()
        return self.learner_.score_one(x)

    def score_many(self, X: Any) -> Floats:
        """See ``LinearClassifier``."""
        self._ready()
        return self.learner_.score_many(X)

    def score_rows(self, indptr: npt.NDArray[np.int64], indices: Coordinates, data: Data) -> Floats:
        """See ``LinearClassifier``."""
        self._ready()
        return self.learner_.score_rows(indptr, indices, data)

    def explain_one(self, x: Any) -> Explanation:
        """See ``LinearClassifier``."""
        self._ready()
        return self.learner_.explain_one(x)

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``LinearClassifier``."""
        self._ready()
        return self.learner_.learn_one(x, interesting, weight)

    def learn_row(self, indices: Coordinates, data: Data, positive: bool, weight: float = 1.0) -> None:
        """See ``LinearClassifier``."""
        self._ready()
        self.learner_.learn_row(indices, data, positive, weight)

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``LinearClassifier``."""
        self._ready()
        return self.learner_.learn_many(X, interesting, weights)

    # scikit-learn's face

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Forget everything, learn the rows of ``X`` (m, n) in order, and select. See the learner for the rest."""
        self._forget()
        self.learner_.fit(X, y, sample_weight)
        self.select()
        return self

    def partial_fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn further rows in order, without selecting. See the learner for the rest."""
        self._ready()
        self.learner_.partial_fit(X, y, classes, sample_weight)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the rows of ``X``, shape (m,); above 0 means the second class."""
        check_is_fitted(self)
        return self.learner_.decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row of ``X``, shape (m,)."""
        check_is_fitted(self)
        return self.learner_.predict(X)

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for the rows of ``X``, shape (m, 2), as the learner gives it."""
        check_is_fitted(self)
        probabilities: Floats = self.learner_.predict_proba(X)
        return probabilities

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Both labels, sorted."""
        return self.learner_.classes_

    @property
    def n_features_in_(self) -> int:
        """How many features the rows had."""
        width: int = self.learner_.n_features_in_
        return width

    def __sklearn_tags__(self) -> Any:
        """Say of inputs what the learner says."""
        tags, theirs = super().__sklearn_tags__(), get_tags(self.learner)
        tags.input_tags, tags.classifier_tags = theirs.input_tags, theirs.classifier_tags
        return tags

    # State

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        self._ready()
        return self.learner_.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self._ready()
        self.learner_.restore(state)

    def _ready(self) -> None:
        if not hasattr(self, "learner_"):
            self._forget()

    def _forget(self) -> None:
        if not self.n_features > 0:
            raise ValueError(f"n_features must be positive, not {self.n_features}")
        if not 0.0 <= self.top_fraction <= 1.0:
            raise ValueError(f"top_fraction must be from 0 to 1, not {self.top_fraction}")
        self.learner_: LinearClassifier | Voted = clone(self.learner)
