"""One-hot coded bins for a learner that only uses which features are present: each value becomes its bin.

A feature has up to ``n_bins`` bins, with edges at the quantiles of its first values, and each bin is a feature of its
own: 1 for the bin of the value, 0 for the others and for all bins of a missing value. Plain Winnow multiplies the
weights of all present features alike, so it cannot learn from dense vectors of numbers.

The edges are frozen after the first ``n_first`` examples. Until then they are found anew from all examples so far,
whenever those have doubled, and a new learner learns all of these again in their order. So it scores after
``FEWEST`` examples, and learns each a handful of times at most.

Source: Carvalho, Cohen 2006, section 4, which does not say how numbers were coded; the bins are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats, Learner
from iscore.learners.linear.winnow import ModifiedBalancedWinnow
from iscore.learners.preprocessing.base import Coded

FEWEST = 10
"""Examples from which edges are found for the first time: with 5 of each class a filter starts to decide."""


class QuantileBins(Coded):
    """A learner for two classes over vectors of numbers that are coded one-hot into bins.

    Parameters
    ----------
    learner
        Any learner; None, the default, is ``ModifiedBalancedWinnow()``. It is not changed.
    n_bins
        Bins of each feature, at least 2. Features that take few values have fewer.
    n_first
        Examples after which the edges are frozen, at least 1.

    Examples
    --------
    >>> learner = QuantileBins(n_bins=2)
    >>> for row in range(40):
    ...     before = learner.learn_one([float(row % 4)], row % 4 > 1)
    >>> learner.score_one([3.0]) > 0.0 > learner.score_one([0.0])
    True
    """

    _edges: Floats | None
    """Shape (n, n_bins - 1), ascending, inf where a feature has fewer; None before there are enough examples."""
    _first: list[tuple[Floats, bool, float]]
    """The examples so far, while the edges are not frozen."""
    _found_from: int
    """How many examples the edges were found from."""

    def __init__(self, learner: Learner | None = None, n_bins: int = 10, n_first: int = 200) -> None:
        self.learner = learner
        self.n_bins = n_bins
        self.n_first = n_first

    def state(self) -> dict[str, Any]:
        """See ``Learner``."""
        state = super().state()
        if state:
            n = state["moments"].shape[1]
            rows, labels, weights = zip(*self._first, strict=True) if self._first else ((), (), ())
            state["edges"] = np.empty((0, 0)) if self._edges is None else self._edges.copy()
            state["rows"] = np.array(rows, dtype=np.float64).reshape(-1, n)
            state["labels"] = np.array(labels, dtype=np.bool_)
            state["weights"] = np.array(weights, dtype=np.float64)
            state["found_from"] = self._found_from
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        super().restore(state)
        if state:
            self._edges = np.array(state["edges"], dtype=np.float64) if len(state["edges"]) else None
            examples = zip(state["rows"].copy(), state["labels"].tolist(), state["weights"].tolist(), strict=True)
            self._first = list(examples)
            self._found_from = int(state["found_from"])

    def _default(self) -> Learner:
        return ModifiedBalancedWinnow()

    def _open(self) -> None:
        if self.n_bins < 2 or self.n_first < 1:
            raise ValueError(f"n_bins must be at least 2 and n_first at least 1, not {self.n_bins} and {self.n_first}")
        self._edges = None
        self._first = []
        self._found_from = 0

    def _learn_coded(self, X: Floats, interesting: bool, weight: float) -> float:
        if self._found_from >= self.n_first:
            return super()._learn_coded(X, interesting, weight)
        self._first.append((X[0].copy(), interesting, weight))
        score = self._inner.score_one(self._coded(X)[0])
        count = len(self._first)
        if count >= self.n_first or count >= max(FEWEST, 2 * self._found_from):
            self._found_from = count
            self._edges = _edges_of(np.array([row for row, _, _ in self._first]), self.n_bins)
            self._inner = self._fresh()
            for row, label, amount in self._first:
                super()._learn_coded(row[np.newaxis], label, amount)
            if count >= self.n_first:
                self._first = []
        elif self._edges is not None:
            super()._learn_coded(X, interesting, weight)
        return score

    def _coded(self, X: Floats) -> Floats:
        if self._edges is None:
            return np.zeros((len(X), X.shape[1] * self.n_bins))
        return _one_hot(X, self._edges)

    def _together(self, contributions: Floats) -> Floats:
        sums: Floats = contributions.reshape(-1, self.n_bins).sum(axis=1)
        return sums


def _edges_of(X: Floats, n_bins: int) -> Floats:
    """Return the edges (n, n_bins - 1) between bins of about as many rows of ``X`` (m, n) each: values of the rows."""
    edges = np.full((X.shape[1], n_bins - 1), np.inf)
    for i, column in enumerate(X.T):
        values = np.sort(column[~np.isnan(column)])
        if len(values):
            at = np.ceil(np.arange(1, n_bins) / n_bins * len(values)).astype(np.int64) - 1
            different = np.unique(values[at])
            edges[i, : len(different)] = different
    return edges


@compiled
def _one_hot(X: Floats, edges: Floats) -> Floats:
    """Return a 1 for the bin of each value, shape (m, n·n_bins): bin b of values above b edges."""
    n_bins = edges.shape[1] + 1
    Z = np.zeros((X.shape[0], X.shape[1] * n_bins))
    for row in range(X.shape[0]):
        for i in range(X.shape[1]):
            x = X[row, i]
            if np.isnan(x):
                continue
            below = 0
            while below < n_bins - 1 and edges[i, below] < x:
                below += 1
            Z[row, i * n_bins + below] = 1.0
    return Z
