"""scikit-learn's face of a learner with two verbs: estimators for two classes that learn row by row.

A subclass gives ``score_one``, ``score_many``, ``learn_one`` and ``_forget``; this gives ``fit``, ``partial_fit``,
``decision_function`` and ``predict`` with scikit-learn's validation. Here NaN is missing and an infinite value is an
error, as scikit-learn has it; the verbs, which meet whatever an extractor returned, take both as missing. Of the two
classes in ``classes_``, sorted, the second is the interesting one.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

Floats = npt.NDArray[np.float64]


# scikit-learn publishes no types, so its classes are Any here.
class OnlineClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators."""

    @abstractmethod
    def score_many(self, X: Floats) -> Floats:
        """See ``Learner``."""

    @abstractmethod
    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """Learn the rows of ``X`` (m, n) in order; return the score that each had just before, shape (m,).

        Equal bit for bit to ``learn_one`` of each. ``interesting`` (m,) is of booleans. Raises ``ValueError`` as that
        does.
        """
        liked = np.asarray(interesting, dtype=bool)
        amounts = np.ones(len(liked)) if weights is None else np.asarray(weights, dtype=np.float64)
        rows = zip(X, liked.tolist(), amounts.tolist(), strict=True)
        return np.array([self.learn_one(*row) for row in rows], dtype=np.float64)

    @abstractmethod
    def _forget(self) -> None:
        """Become as if nothing had been learned."""

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Forget everything and learn the rows of ``X`` (m, n) in order, as ``learn_one`` would.

        ``y`` (m,) holds two distinct labels, the second in sorted order meaning interesting; ``sample_weight`` (m,)
        is not negative. NaN is missing. Raises ``ValueError`` for anything else.
        """
        self._forget()
        rows, labels = self._validated(X, y, reset=True)
        self._take_classes(unique_labels(labels))
        return self._learn_rows(rows, labels, sample_weight)

    def partial_fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn further rows in order, as ``learn_one`` would; prequential statistics go on from row to row.

        ``classes`` names both labels; it may be left out when the first call's ``y`` holds both, and later.
        Otherwise as ``fit``.
        """
        first = not hasattr(self, "classes_")
        rows, labels = self._validated(X, y, reset=first)
        if first:
            self._take_classes(unique_labels(labels) if classes is None else np.unique(np.asarray(classes)))
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ValueError(f"classes are {self.classes_} since the first call, not {classes}")
        if not np.isin(labels, self.classes_).all():
            raise ValueError(f"y holds labels other than the classes {self.classes_}")
        return self._learn_rows(rows, labels, sample_weight)

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """Return the scores of the rows of ``X``, shape (m,); above 0 means the second class."""
        check_is_fitted(self, "classes_")
        return self.score_many(validate_data(self, X, reset=False, **self._input_options()))

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the label of each row of ``X``, shape (m,)."""
        scores = self.decision_function(X)
        labels: npt.NDArray[Any] = self.classes_[(scores > 0.0).astype(np.intp)]
        return labels

    def _input_options(self) -> dict[str, Any]:
        """Return what scikit-learn's validation shall let pass."""
        return {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}

    def _validated(self, X: npt.ArrayLike, y: npt.ArrayLike, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        rows, labels = validate_data(self, X, y, reset=reset, **self._input_options())
        check_classification_targets(labels)
        return rows, labels

    def _take_classes(self, classes: npt.NDArray[Any]) -> None:
        kind = type_of_target(classes)
        if len(classes) > 2 or kind.startswith("multi"):
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(classes) < 2:
            raise ValueError("two classes are needed; y holds only one class")
        self.classes_ = classes

    def _learn_rows(self, X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Self:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        for x, interesting, weight in zip(X, y == self.classes_[1], weights, strict=True):
            self._learn_row(x, bool(interesting), float(weight))
        return self

    def _learn_row(self, x: Floats, interesting: bool, weight: float) -> None:
        """Learn as ``learn_one`` does; a learner whose scores cost extra leaves them out."""
        self.learn_one(x, interesting, weight)

    def __sklearn_tags__(self) -> Any:
        """Say what scikit-learn may expect: two classes only, missing values welcome."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags
