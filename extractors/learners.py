"""The interfaces of the learners that extractors receive through their ``Context``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from extractors.arrays import Bools, Float32s, Floats, Int32s, Int64s

AnyFloats = Float32s | Floats


class SparseLearner(Protocol):
    """A binary classifier over sparse rows that learns one row at a time.

    ``indices`` are terms in [0, N_TERMS), or coordinates in a space of an agreed size, ascending within a row; ``data``
    are their weights.
    """

    def score_rows(self, indptr: Int64s, indices: Int32s, data: AnyFloats) -> Floats:
        """Return the margin of each row of a compressed sparse row matrix, neutral 0; shape (rows,)."""

    def score_words(
        self,
        vocabulary: Int32s,
        indptr: Int64s,
        places: Int32s,
        data: AnyFloats,
    ) -> Floats:
        """Return what ``score_rows`` returns, bit for bit, for rows whose indices are ``vocabulary[places]``."""

    def learn_row(self, indices: Int32s, data: AnyFloats, positive: bool, weight: float) -> None:
        """Learn one row of positive weight."""

    def learn_rows(
        self,
        indptr: Int64s,
        indices: Int32s,
        data: AnyFloats,
        positive: Bools,
        weights: Floats,
    ) -> Floats:
        """Learn rows in order like ``learn_row``; return the margin of each row just before, shape (rows,)."""

    def learn_parts(
        self,
        indptr: Int64s,
        indices: Int32s,
        data: AnyFloats,
        positive: Bools,
        weights: Floats,
    ) -> Floats:
        """Learn rows that consist of consecutive parts; return the margins of the single parts.

        For n rows of k parts ``indptr`` has n · k + 1 ends. Column j < k is the margin of part j alone just before its
        row was learned, the last column that of an empty row; shape (n, k + 1).
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned; its size is bounded by the number of terms."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that returned ``state``."""


class DenseLearner(Protocol):
    """A binary classifier over vectors of numbers, some missing (NaN), that learns one vector at a time."""

    def score_one(self, x: Floats) -> float:
        """Return the log-odds of a vector, neutral 0."""

    def score_many(self, X: Floats) -> Floats:
        """Return the log-odds of each row, equal to ``score_one`` row by row."""

    def learn_one(self, x: Floats, interesting: bool, weight: float = 1.0) -> float:
        """Learn one vector of positive weight; return the score that it had before."""

    def learn_many(self, X: Floats, interesting: Bools, weights: Floats) -> Floats:
        """Learn the rows in order like ``learn_one``; return the score of each row just before.

        A row of weight 0 is only scored.
        """

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned, of bounded size."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the learner that returned ``state``."""
