"""scikit-learn's face of a learner that takes sparse matrices too, and rows of any width when its space grows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from iscore.learners.sklearn_adapter import OnlineClassifier

Floats = npt.NDArray[np.float64]


class SparseClassifier(OnlineClassifier):
    """Base of the estimators that learn many rows in one call. ``grow`` says whether rows may be of any width."""

    grow: bool

    @abstractmethod
    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """Learn the rows of ``X`` in order, as ``learn_one`` would; return the scores before, shape (m,)."""

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the rows of ``X``, shape (m,); above 0 means the second class."""
        check_is_fitted(self, "classes_")
        if self.grow:
            return self.score_many(check_array(X, **self._input_options()))
        return self.score_many(validate_data(self, X, reset=False, **self._input_options()))

    def _validated(self, X: Any, y: npt.ArrayLike, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        return super()._validated(X, y, reset=reset or self.grow)

    def _input_options(self) -> dict[str, Any]:
        return super()._input_options() | {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}

    def _check_values(self, X: Any) -> None:
        """Raise ``ValueError`` for values in a matrix that a learner does not take from scikit-learn's face."""

    def _learn_rows(self, X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Self:
        self._check_values(X)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.learn_many(X, y == self.classes_[1], weights)
        return self

    def __sklearn_tags__(self) -> Any:
        """Say that sparse matrices are welcome too."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
