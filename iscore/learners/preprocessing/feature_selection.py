"""Select features: the scores of a word's presence before training, and Extremal Feature Selection after it.

*Before training* a feature is scored by its presence against the label, by information gain and χ².

    IG_j = H(y) - P(j)·H(y|j) - P(¬j)·H(y|¬j)        in bits
    χ²_j = Σ (observed - expected)² / expected       over present or absent and the labels

Both look at whether a value differs from 0, and have the form of scikit-learn's scores:
``SelectKBest(information_gain, k=1000)``. Extremal Feature Selection is compared with them.

Sources: Yang, Pedersen 1997, sections 2.2 and 2.4; Carvalho, Cohen 2006, figure 2.

*Extremal Feature Selection* keeps, of the features of a linear model, the most important ones and a few of the least.

    importance I_j = |u_j - v_j| or |w_j|;   of K features P·K with the largest I and (1 - P)·K with the smallest

The rest is dropped from the model. Why the least: they are common words, whose number an example is divided by in the
normalisation of Modified Balanced Winnow (section 5 of the paper); P = 1 leaves them out.

Source: Carvalho, Cohen 2006, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Explanation, Floats
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.rows import Data, Ends, Ints
from iscore.learners.online_classifier import Accepts, OnlineClassifier, clone, probabilities


def information_gain(X: Any, y: npt.ArrayLike) -> Floats:
    """Return the gain of each feature of ``X`` (m, n), dense or sparse, about the labels ``y`` (m,); shape (n,).

    From 0 to the entropy of y, which is 1 for two labels that are as frequent. Raises ``ValueError`` for missing
    values.

    >>> information_gain([[1, 1], [1, 0], [0, 1], [0, 0]], [True, True, False, False]).tolist()
    [1.0, 0.0]
    """
    present, absent = _counts(X, y)
    total = present + absent
    m = total[0].sum()
    conditional = sum(counts.sum(axis=1) * _entropy(counts) for counts in (present, absent)) / m
    gains: Floats = np.maximum(_entropy(total) - conditional, 0.0)
    return gains


def chi_square(X: Any, y: npt.ArrayLike) -> Floats:
    """Return χ² of each feature of ``X`` (m, n) and the labels ``y`` (m,), shape (n,); 0 where it never varies.

    Raises ``ValueError`` as ``information_gain`` does.

    >>> chi_square([[1, 1], [1, 0], [0, 1], [0, 0]], [True, True, False, False]).tolist()
    [4.0, 0.0]
    """
    present, absent = _counts(X, y)
    total = present + absent
    statistic = np.zeros(len(total))
    for observed in (present, absent):
        expected = observed.sum(axis=1, keepdims=True) * total / total.sum(axis=1, keepdims=True)
        statistic += _quotient((observed - expected) ** 2, expected).sum(axis=1)
    return statistic


def _counts(X: Any, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return how many rows of each label have a feature, and how many have it not; both of shape (n, labels)."""
    X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    if X.shape[0] != len(np.asarray(y)) or not np.isfinite(X.data if hasattr(X, "tocsr") else X).all():
        raise ValueError("each row needs one label, and no value may be missing")
    labels, numbers = np.unique(y, return_inverse=True)
    rows, columns = X.nonzero()
    places = columns.astype(np.int64) * len(labels) + numbers[rows]
    present = np.bincount(places, minlength=X.shape[1] * len(labels)).reshape(-1, len(labels)).astype(np.float64)
    return present, np.bincount(numbers) - present


def _entropy(counts: Floats) -> Floats:
    """Return the entropy of each row of counts, in bits; 0 for a row of zeros."""
    shares = _quotient(counts, counts.sum(axis=1, keepdims=True))
    entropies: Floats = -(shares * np.log2(np.where(shares > 0.0, shares, 1.0))).sum(axis=1)
    return entropies


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0.0)


class ExtremalFeatureSelection(OnlineClassifier):
    """A linear learner whose model is reduced to K features.

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

    Examples
    --------
    >>> from iscore.learners import Perceptron
    >>> learner = ExtremalFeatureSelection(Perceptron(), n_features=2, top_fraction=1.0)
    >>> learner.fit([[1, 0, 2, 0], [0, 3, 1, 0]], [True, False]).select().tolist()
    [0, 1]
    """

    _inner: LinearClassifier | None = None

    def __init__(self, learner: LinearClassifier, n_features: int = 1000, top_fraction: float = 0.9) -> None:
        self.learner = learner
        self.n_features = n_features
        self.top_fraction = top_fraction

    def select(self) -> Ints:
        """Drop all but K features from the model; return the coordinates of those that stay, ascending.

        Of equally important features the first ones count as the more important.
        """
        coordinates, importances = self.learner_.importances()
        if len(coordinates) > self.n_features:
            top = math.ceil(self.top_fraction * self.n_features - 1e-9)
            ranked = coordinates[np.argsort(-importances, kind="stable")]
            coordinates = np.sort(np.concatenate([ranked[:top], ranked[len(ranked) - (self.n_features - top) :]]))
            self.learner_.keep(coordinates)
        return coordinates

    @property
    def learner_(self) -> LinearClassifier:
        """The copy that learns. Raises ``ValueError`` for unusable parameters."""
        if self._inner is None:
            if not self.n_features > 0:
                raise ValueError(f"n_features must be positive, not {self.n_features}")
            if not 0.0 <= self.top_fraction <= 1.0:
                raise ValueError(f"top_fraction must be from 0 to 1, not {self.top_fraction}")
            self._inner = clone(self.learner)
        return self._inner

    @property
    def accepts(self) -> Accepts:
        """See ``OnlineClassifier``."""
        return self.learner.accepts._replace(many_classes=False)

    # The learner's methods

    def score_one(self, x: Any) -> float:
        """See ``LinearClassifier``."""
        return self.learner_.score_one(x)

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``LinearClassifier``."""
        return self.learner_.learn_one(x, interesting, weight)

    def explain_one(self, x: Any) -> Explanation:
        """See ``LinearClassifier``."""
        return self.learner_.explain_one(x)

    def score_many(self, X: Any) -> Floats:
        """See ``LinearClassifier``."""
        return self.learner_.score_many(X)

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``LinearClassifier``."""
        return self.learner_.learn_many(X, interesting, weights)

    def score_rows(self, indptr: Ends, indices: Ints, data: Data) -> Floats:
        """See ``LinearClassifier``."""
        return self.learner_.score_rows(indptr, indices, data)

    def learn_row(self, indices: Ints, data: Data, positive: bool, weight: float = 1.0) -> None:
        """See ``LinearClassifier``."""
        self.learner_.learn_row(indices, data, positive, weight)

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        return self.learner_.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        self.learner_.restore(state)

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """See ``OnlineClassifier``; then select."""
        super().fit(X, y, sample_weight)
        self.select()
        return self

    @property
    def predict_proba(self) -> Callable[[Any], Floats]:
        """The method of the learner: probabilities of each class, shape (m, 2). Absent where it has none."""
        if not hasattr(self.learner, "predict_proba"):
            raise AttributeError(f"{type(self.learner).__name__} has no predict_proba")
        return lambda X: probabilities(self.decision_function(X))

    def _forget(self) -> None:
        self._inner = None
