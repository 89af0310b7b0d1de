"""Scores of a word's presence against the label, to select features before training: information gain and χ².

    IG_j = H(y) - P(j)·H(y|j) - P(¬j)·H(y|¬j)        in bits
    χ²_j = Σ (observed - expected)² / expected       over present or absent and the labels

Both look at whether a value differs from 0, and have the form of scikit-learn's scores:
``SelectKBest(information_gain, k=1000)``. Extremal Feature Selection is compared with them.

Sources: Yang, Pedersen 1997, sections 2.2 and 2.4; Carvalho, Cohen 2006, figure 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Floats


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
