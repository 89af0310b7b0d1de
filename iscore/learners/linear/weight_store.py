"""What a linear learner has learned: a row of numbers for each coordinate of the feature space, and the bias.

All numbers of a coordinate are 0 until an example has changed it, whatever the paper starts from. A small space has a
row for each coordinate. A large one, and one that grows, has rows only for those that were learned (``hash_table``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from extractors.arrays import filled
from extractors.hash_table import LARGEST, Places, within
from iscore.learners.learner import Floats
from iscore.learners.linear import rows as rows_
from iscore.learners.linear.rows import Ints, Rows

SMALL = 2**16
"""Up to this size there is a row for each coordinate: half a megabyte for each column, and no search."""


class WeightStore:
    """Coordinate → numbers, and the numbers of the bias.

    ``width`` is how many features an example must have, None for any number; ``columns`` is the number of numbers.
    ``dense`` means that every coordinate gets a row however many there are, as for a matrix of that width.
    """

    def __init__(self, width: int | None, columns: int, bias: Floats, *, dense: bool) -> None:
        self.width = width
        self._places = None if width is not None and (dense or width <= SMALL) else Places(width or LARGEST)
        rows = 1 if self._places is not None else width or 0
        self.table = np.zeros((rows, columns))
        """Shape (width, columns), or with places at least (1 + places, columns); row 0 then stays 0."""
        self.bias = bias
        """The bias' numbers, then those of the model as a whole, if there are any, then what averaging adds."""

    @property
    def model(self) -> tuple[Floats, Floats]:
        """The fields of ``Model``, for kernels."""
        return self.table, self.bias

    def check_width(self, X: Any) -> None:
        """Raise ``ValueError`` when ``X``, a matrix or a vector, has not as many features as the space."""
        if self.width is None:
            return
        shape = getattr(X, "shape", None) or np.shape(X)
        if not shape or shape[-1] != self.width:
            raise ValueError(f"there are {self.width} features, and an array of shape {shape} was given")

    def claimed(self, rows: Rows) -> Rows:
        """Return the rows with the places of their coordinates in the table, which gets room for them.

        Raises ``ValueError`` for coordinates outside of the space.
        """
        if self._places is None:
            return self.found(rows)
        places = self._places.claim(rows.indices)
        count = self._places.count
        if count >= len(self.table):
            wider = np.zeros((1 << count.bit_length(), self.table.shape[1]))
            wider[: len(self.table)] = self.table
            self.table = wider
        return rows.at(places)

    def found(self, rows: Rows) -> Rows:
        """Return the rows with the places of their coordinates in the table: 0 for those that were never learned.

        Raises ``ValueError`` as ``claimed``.
        """
        if self._places is not None:
            return rows.at(self._places.find(rows[1]))
        # Dense rows have as many coordinates as the width, which has been checked.
        if not rows[3] and not within(rows[1], len(self.table)):
            raise ValueError(f"there are coordinates outside of the {len(self.table)} features")
        return rows

    def numbers(self, coordinates: Ints) -> Floats:
        """Return the numbers of k coordinates, 0 of those that were never learned; shape (k, columns).

        Raises ``ValueError`` as ``claimed``.
        """
        numbers: Floats = self.table[self.found(rows_.of_entries(coordinates, np.empty(len(coordinates)))).indices]
        return numbers

    def touched(self) -> tuple[Ints, Floats]:
        """Return the k coordinates with numbers other than 0, ascending, and copies of those; (k,), (k, columns)."""
        touched = filled(self.table)
        coordinates = touched if self._places is None else self._places.coordinates[touched - 1]
        ascending = np.argsort(coordinates)
        return coordinates[ascending].astype(np.int32), self.table[touched[ascending]]

    def state(self) -> dict[str, Any]:
        """Return a copy of everything: the touched coordinates only."""
        coordinates, numbers = self.touched()
        return {
            "width": self.width or 0,
            "coordinates": coordinates,
            "numbers": numbers,
            "bias": self.bias.copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the store that returned ``state``, from an empty one of the same width."""
        self.put(np.array(state["coordinates"], dtype=np.int32), state["numbers"])
        self.bias = np.array(state["bias"], dtype=np.float64)

    def put(self, coordinates: Ints, numbers: Floats) -> None:
        """Set the numbers of k coordinates, shapes (k,) and (k, columns). Raises ``ValueError`` as ``claimed``."""
        rows = self.claimed(rows_.of_entries(coordinates, np.empty(len(coordinates))))
        self.table[rows.indices] = numbers
