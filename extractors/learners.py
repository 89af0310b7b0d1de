"""What a learner has to offer to become a feature; whoever puts the program together hands them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32] | npt.NDArray[np.float64]


class SparseLearner(Protocol):
    """A binary classifier over sparse rows that learns one row at a time.

    ``indices`` are terms in [0, N_TERMS), or coordinates in a space as large as was agreed on, ascending within a row;
    ``data`` their weights.
    """

    def score_rows(
        self, indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], data: Floats
    ) -> npt.NDArray[np.float64]:
        """Return the margin of each row of a compressed sparse row matrix, neutral 0; shape (rows,)."""

    def score_words(
        self,
        vocabulary: npt.NDArray[np.int32],
        indptr: npt.NDArray[np.int64],
        places: npt.NDArray[np.int32],
        data: Floats,
    ) -> npt.NDArray[np.float64]:
        """Do as ``score_rows``, bit for bit, with rows whose indices are ``vocabulary[places]``."""

    def learn_row(self, indices: npt.NDArray[np.int32], data: Floats, positive: bool, weight: float) -> None:
        """Learn one row of positive weight."""

    def learn_rows(
        self,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        data: Floats,
        positive: npt.NDArray[np.bool_],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Learn rows in order, as ``learn_row`` does each; return the margin of each just before, shape (rows,)."""

    def learn_parts(
        self,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        data: Floats,
        positive: npt.NDArray[np.bool_],
        weights: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Learn rows that are made of parts, one behind the other; return margins of the parts by themselves.

        Of n rows with k parts ``indptr`` has n · k + 1 ends. What each part scored alone just before its row was
        learned, and in the last column what a row of nothing did; shape (n, k + 1).
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned; its size is bounded by the number of terms."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that returned ``state``."""


class DenseLearner(Protocol):
    """A binary classifier over vectors of numbers, some missing (NaN), that learns one vector at a time."""

    def score_one(self, x: npt.NDArray[np.float64]) -> float:
        """Return the log-odds of a vector, neutral 0."""

    def score_many(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the log-odds of each row, equal to ``score_one`` row by row."""

    def learn_one(self, x: npt.NDArray[np.float64], interesting: bool, weight: float = 1.0) -> float:
        """Learn one vector of positive weight; return the score that it had before."""

    def learn_many(
        self, X: npt.NDArray[np.float64], interesting: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Learn the rows in order, as ``learn_one`` does each; return the score that each had just before.

        A row of weight 0 is scored only.
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned, of bounded size."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that returned ``state``."""
