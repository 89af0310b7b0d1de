"""The base of every learner: parameters by name, and ``fit``, ``predict`` and their kin on top of the online verbs.

A subclass gives ``score_many``, ``learn_one`` and ``_forget``. Of the two labels in ``classes_``, sorted, the second
is the interesting one. In a matrix NaN is missing, and an infinite value is an error. ``score_one`` and ``learn_one``
get whatever an extractor returned, and take both as missing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from functools import cache
from inspect import signature
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Bools, Floats, Learner

L = TypeVar("L", bound=Learner)


class Accepts(NamedTuple):
    """Which examples a learner takes besides dense rows of any numbers, with two labels."""

    sparse: bool = False
    """Sparse matrices."""
    negative: bool = True
    """Values below 0."""
    any_width: bool = False
    """Rows with more or fewer features than before."""
    many_classes: bool = False
    """More than two labels."""


def clone(learner: L) -> L:
    """Return a learner with the same parameters that has learned nothing.

    Raises ``TypeError`` for a learner without ``get_params``.
    """
    if not hasattr(learner, "get_params"):
        raise TypeError(f"{learner!r} has no get_params: it cannot be copied")
    given = learner.get_params(deep=False)
    return type(learner)(**{name: clone(v) if hasattr(v, "get_params") else deepcopy(v) for name, v in given.items()})


class OnlineClassifier(ABC):
    """Base of the learners."""

    classes_: npt.NDArray[Any]
    """The labels, sorted; set by ``fit`` and ``partial_fit``."""
    n_features_in_: int
    """The width of the first matrix; set by ``fit`` and ``partial_fit``."""

    # Parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with ``deep`` also those of a learner within, as ``learner__name``."""
        found: dict[str, Any] = {}
        for name in _parameter_names(type(self)):
            found[name] = value = getattr(self, name)
            if deep and hasattr(value, "get_params"):
                found |= {f"{name}__{inner}": v for inner, v in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by the names of ``get_params``. Raises ``ValueError`` for any other name.

        What was learned stays as it is; ``fit`` starts anew.
        """
        for path, value in parameters.items():
            name, _, inner = path.partition("__")
            if name not in _parameter_names(type(self)):
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            if inner:
                getattr(self, name).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the call that makes this learner, without parameters that have their default."""
        default = signature(type(self)).parameters
        given = self.get_params(deep=False).items()
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given if v is not default[k].default)})"

    @property
    def accepts(self) -> Accepts:
        """Which examples the learner takes."""
        return Accepts()

    # One by one and many at once

    @abstractmethod
    def score_many(self, X: Any) -> Floats:
        """See ``Learner``."""

    @abstractmethod
    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``."""

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """Learn the rows of ``X`` (m, n) in order; return the score that each had just before, shape (m,).

        Equal bit for bit to ``learn_one`` of each. ``interesting`` (m,) is of booleans, ``weights`` (m,) is 1 by
        default. Raises ``ValueError`` as ``learn_one`` does.
        """
        liked, amounts = checked_labels(len(X), interesting, weights)
        rows = zip(X, liked.tolist(), amounts.tolist(), strict=True)
        return np.array([self.learn_one(*row) for row in rows], dtype=np.float64)

    @abstractmethod
    def _forget(self) -> None:
        """Become as if nothing had been learned."""

    # Whole data sets

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Forget everything and learn the rows of ``X`` (m, n) in order, as ``learn_one`` would.

        ``y`` (m,) holds the labels; ``sample_weight`` (m,) is not negative. NaN is missing. Raises ``ValueError`` for
        anything else, and unless there are two labels, or more where the learner takes them.
        """
        self._forget()
        rows = self._matrix(X, learned=True)
        self._take_classes(np.unique(np.asarray(y)))
        self.n_features_in_ = rows.shape[1]
        return self._fit_rows(rows, np.asarray(y), sample_weight)

    def partial_fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn further rows in order, as ``learn_one`` would; prequential statistics go on from row to row.

        ``classes`` names all labels; it may be left out when ``y`` of the first call holds them all, and later.
        Otherwise as ``fit``.
        """
        rows, labels = self._matrix(X, learned=True), np.asarray(y)
        if not hasattr(self, "classes_"):
            self._take_classes(np.unique(labels if classes is None else np.asarray(classes)))
            self.n_features_in_ = rows.shape[1]
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ValueError(f"classes are {self.classes_} since the first call, not {classes}")
        if not np.isin(labels, self.classes_).all():
            raise ValueError(f"y holds labels other than the classes {self.classes_}")
        return self._fit_rows(rows, labels, sample_weight)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the rows of ``X``, shape (m,); above 0 means the second class.

        Of K > 2 classes those of each, shape (m, K). Raises ``ValueError`` before ``fit`` or ``partial_fit``.
        """
        if not hasattr(self, "classes_"):
            raise ValueError("the labels are not known yet: call fit or partial_fit first")
        return self.score_many(self._matrix(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row of ``X``, shape (m,); of equal scores the first class' one."""
        scores = self.decision_function(X)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.0).astype(np.intp)
        labels: npt.NDArray[Any] = self.classes_[best]
        return labels

    def score(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the accuracy of ``predict``: the share, by weight, of rows that get their label ``y`` (m,)."""
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.predict(X) == np.asarray(y), weights=weights))

    def _take_classes(self, classes: npt.NDArray[Any]) -> None:
        if len(classes) < 2:
            raise ValueError("two classes are needed; y holds only one class")
        if classes.dtype.kind == "f" and not (classes == np.trunc(classes)).all():
            raise ValueError("Unknown label type: labels are names or whole numbers")
        if len(classes) > 2 and not self.accepts.many_classes:
            raise ValueError(f"Only binary classification is supported. There are {len(classes)} classes.")
        self.classes_ = classes

    def _fit_rows(self, X: Any, y: npt.NDArray[Any], weights: npt.ArrayLike | None) -> Self:
        """Learn rows whose labels are among ``classes_``."""
        self.learn_many(X, np.searchsorted(self.classes_, y), weights)
        return self

    def _matrix(self, X: Any, *, learned: bool = False) -> Any:
        """Return ``X`` as a matrix of floats, in CSR form if it is sparse. Raises ``ValueError`` for any other."""
        name, accepts = type(self).__name__, self.accepts
        sparse = hasattr(X, "tocsr")
        if sparse and not accepts.sparse:
            raise ValueError(f"{name} takes no sparse matrices: use X.toarray()")
        rows = X.tocsr() if sparse else np.asarray(X)
        if rows.dtype.kind != "f":
            rows = rows.astype(np.float64)
        if rows.ndim != 2 or 0 in rows.shape:
            raise ValueError(f"a matrix of rows and features is needed, not an array of shape {rows.shape}")
        values: Floats = rows.data if sparse else rows  # type: ignore[assignment]
        if np.isinf(values).any():
            raise ValueError("X contains infinity or a value too large")
        if learned and not accepts.negative and (values < 0.0).any():
            raise ValueError(f"Negative values in data passed to {name}")
        return rows


def check_weight(weight: float) -> None:
    """Raise ``ValueError`` for the weight of an example that is negative or not finite."""
    if not 0.0 <= weight < np.inf:
        raise ValueError(f"weight must be finite and not negative, not {weight}")


def as_labels(interesting: npt.ArrayLike, weights: npt.ArrayLike | None) -> tuple[Bools, Floats]:
    """Return the labels and weights of rows as arrays, for a learner within that checks them."""
    liked = np.asarray(interesting, dtype=bool)
    return liked, np.ones(len(liked)) if weights is None else np.asarray(weights, dtype=np.float64)


def checked_labels(m: int, interesting: npt.ArrayLike, weights: npt.ArrayLike | None) -> tuple[Bools, Floats]:
    """Return the m labels and weights of rows as arrays; weights are 1 by default.

    Raises ``ValueError`` unless there are m of each, with weights that are finite and not negative.
    """
    return np.asarray(interesting, dtype=bool), checked_weights(m, np.shape(interesting), weights)


def checked_weights(m: int, shape: tuple[int, ...], weights: npt.ArrayLike | None) -> Floats:
    """Return the m weights of rows whose labels have that shape; raises as ``checked_labels``."""
    amounts = np.ones(m) if weights is None else np.array(weights, dtype=np.float64)
    if not shape == amounts.shape == (m,):
        raise ValueError(f"each of the {m} rows needs one label and one weight")
    if not ((amounts >= 0.0) & (amounts < np.inf)).all():
        raise ValueError("weights must be finite and not negative")
    return amounts


def probabilities(scores: Floats) -> Floats:
    """Return the probability of each of two classes, shape (m, 2), given scores in log-odds."""
    odds = np.exp(-np.abs(scores))
    likely, unlikely = 1.0 / (1.0 + odds), odds / (1.0 + odds)
    return np.column_stack([np.where(scores > 0.0, unlikely, likely), np.where(scores > 0.0, likely, unlikely)])


@cache
def _parameter_names(kind: type) -> tuple[str, ...]:
    return tuple(signature(kind).parameters)
