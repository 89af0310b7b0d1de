"""A learner as a scikit-learn estimator, for ``Pipeline``, ``cross_val_score``, ``GridSearchCV`` and the like.

The learners themselves do not import scikit-learn: it takes longer to load than a verdict may take.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from iscore.learners.learner import Floats
from iscore.learners.naive_bayes.weighted_naive_bayes import WeightedNaiveBayes
from iscore.learners.online_classifier import Accepts, OnlineClassifier, clone


def as_estimator(learner: OnlineClassifier) -> LearnerEstimator:
    """Return an estimator that fits copies of ``learner``, which stays as it is.

    >>> from iscore.learners import Perceptron
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = [[0.0, 1.0], [1.0, 0.0]] * 10, ["no", "yes"] * 10
    >>> cross_val_score(as_estimator(Perceptron()), X, y, cv=2).tolist()
    [1.0, 1.0]
    """
    return LearnerEstimator(learner)


# scikit-learn publishes no types, so its classes are Any here.
class LearnerEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The estimator around a learner.

    Parameters
    ----------
    learner
        A learner of ``iscore.learners``; None, the default, is ``WeightedNaiveBayes()``. Its own parameters are
        ``learner__name``.

    Attributes
    ----------
    learner_
        The copy that was fitted.
    """

    def __init__(self, learner: OnlineClassifier | None = None) -> None:
        self.learner = learner

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """See ``OnlineClassifier``."""
        rows, labels = self._checked(X, y, reset=True)
        self.learner_ = clone(self._given()).fit(rows, labels, _weights(sample_weight, len(labels)))
        self.classes_ = self.learner_.classes_
        return self

    def partial_fit(
        self, X: Any, y: npt.ArrayLike, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """See ``OnlineClassifier``."""
        first = not hasattr(self, "learner_")
        rows, labels = self._checked(X, y, reset=first)
        if first:
            self.learner_ = clone(self._given())
        self.learner_.partial_fit(rows, labels, classes, _weights(sample_weight, len(labels)))
        self.classes_ = self.learner_.classes_
        return self

    def decision_function(self, X: Any) -> Floats:
        """See ``OnlineClassifier``."""
        rows = self._scorable(X)
        scores: Floats = self.learner_.decision_function(rows)
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """See ``OnlineClassifier``."""
        rows = self._scorable(X)
        labels: npt.NDArray[Any] = self.learner_.predict(rows)
        return labels

    @available_if(lambda estimator: hasattr(estimator._given(), "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for the rows of ``X``, shape (m, 2)."""
        rows = self._scorable(X)
        probabilities: Floats = self.learner_.predict_proba(rows)
        return probabilities

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn may expect of the learner."""
        tags, accepts = super().__sklearn_tags__(), self._given().accepts
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = accepts.sparse
        tags.input_tags.positive_only = not accepts.negative
        tags.classifier_tags.multi_class = accepts.many_classes
        # Winnow learns little from the few dense features of scikit-learn's checks.
        tags.classifier_tags.poor_score = not accepts.negative
        return tags

    def _given(self) -> Any:
        return WeightedNaiveBayes() if self.learner is None else self.learner

    def _checked(self, X: Any, y: npt.ArrayLike, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        accepts: Accepts = self._given().accepts
        rows, labels = validate_data(self, X, y, reset=reset or accepts.any_width, **_options(accepts))
        check_classification_targets(labels)
        kind = type_of_target(labels)
        if kind != "binary" and not accepts.many_classes:
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        return rows, labels

    def _scorable(self, X: Any) -> Any:
        check_is_fitted(self, "classes_")
        accepts: Accepts = self._given().accepts
        if accepts.any_width:
            return check_array(X, **_options(accepts))
        return validate_data(self, X, reset=False, **_options(accepts))


def _options(accepts: Accepts) -> dict[str, Any]:
    """Return what scikit-learn's validation has to let pass."""
    # Values of single precision are converted, and those that cannot be written are copied: kernels for them would
    # have to be compiled as well.
    kinds = {"accept_sparse": "csr"} if accepts.sparse else {}
    return kinds | {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan", "force_writeable": True}


def _weights(weights: npt.ArrayLike | None, m: int) -> Floats | None:
    if weights is None:
        return None
    amounts = np.asarray(weights, dtype=np.float64)
    if not amounts.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return np.full(m, amounts) if amounts.ndim == 0 else amounts


_ORDER = (
    "a mistake-driven learner depends on the order of the examples, which the check shuffles, and the update of an "
    "example depends on what was learned before: its second copy is no longer a mistake"
)
_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": _ORDER,
    "check_sample_weight_equivalence_on_sparse_data": _ORDER,
}
_TWO_FEATURES = {
    "check_classifiers_train": (
        "the paper's learner has no bias and follows every example all the way, so that in one pass over two dense "
        "features, of classes that overlap, the last examples decide; bias=True or voting helps"
    )
}
_RATES = dict.fromkeys(
    _WEIGHTS,
    "the learning rate falls from example to example, and the update of an example depends on those before: "
    "the check shuffles the examples, and takes a weight of 2 for two examples at two rates",
)

_PREPROCESSED = {
    "check_sample_weight_equivalence_on_dense_data": (
        "an example is scaled or binned by the examples before it: the second copy of a row is coded unlike the "
        "first, and the check shuffles the rows besides"
    )
}
_SUBSETS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "the subset is chosen by decisions on examples before they are learned: of a row that comes twice the "
        "second copy is decided by a learner that knows the first, and the check shuffles the rows besides"
    )
}

EXPECTED_FAILED_CHECKS: dict[str, dict[str, str]] = {
    "Calibrated": {
        "check_sample_weight_equivalence_on_dense_data": (
            "the calibration is learned from scores of examples before they are learned: the second copy of a row has "
            "another score than the first, and the check shuffles the rows besides"
        )
    },
    "ConfidenceWeighted": _WEIGHTS,
    "ExtremalFeatureSelection": _WEIGHTS,
    "Mira": _WEIGHTS | _TWO_FEATURES,
    "ModifiedBalancedWinnow": _WEIGHTS,
    "OnlineLogisticRegression": _RATES,
    "PassiveAggressive": _WEIGHTS,
    "Perceptron": _WEIGHTS,
    "QuantileBins": _PREPROCESSED,
    "Romma": _WEIGHTS | _TWO_FEATURES,
    "StandardScaled": _PREPROCESSED,
    "Stacking": _SUBSETS,
    "SubsetNaiveBayes": _SUBSETS,
    "Voted": _WEIGHTS,
}
"""Checks of scikit-learn that cannot hold: name of the learner's class → name of the check → reason.

Passed to ``check_estimator(as_estimator(learner), expected_failed_checks=EXPECTED_FAILED_CHECKS[...])``.
"""
