"""Numbers for the terms that were learned: a table as large as these, of the million that there can be."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from extractors.arrays import Int32s, filled
from extractors.hash_table import Places
from extractors.text.terms import N_TERMS

T = TypeVar("T", np.float64, np.float32)


class TermTable(Generic[T]):
    """Term → row of numbers. Row 0 is that of all terms without one, and stays 0: nothing writes to it.

    Memory: up to 36 bytes for each term with a row, and up to twice its numbers.

    >>> table = TermTable(2, np.float64)
    >>> rows = table.claim(np.array([7, 1000, 7], dtype=np.int32))
    >>> table.numbers[rows[0]] = 3.0, 4.0
    >>> table.numbers[table.find(np.array([7, 8], dtype=np.int32))].tolist()
    [[3.0, 4.0], [0.0, 0.0]]
    >>> [each.tolist() for each in table.touched()]
    [[7], [[3.0, 4.0]]]
    """

    def __init__(self, columns: int, dtype: type[T]) -> None:
        self._places = Places(N_TERMS)
        self.numbers: npt.NDArray[T] = np.zeros((1, columns), dtype=dtype)
        """Shape (1 + room for terms, columns)."""

    @classmethod
    def of(cls, terms: Int32s, numbers: npt.NDArray[Any], dtype: type[T]) -> Self:
        """Return a table with these numbers, shape (terms, columns). Each term comes once."""
        table = cls(numbers.shape[1], dtype)
        rows = table.claim(terms)  # gives the table its size
        table.numbers[rows] = numbers
        return table

    def find(self, terms: Int32s) -> Int32s:
        """Return the row of each term, 0 for those without; shape (terms,)."""
        return self._places.find(terms)

    def claim(self, terms: Int32s) -> Int32s:
        """Return the row of each term, after giving one to those that have none."""
        rows = self._places.claim(terms)
        count = self._places.count
        if count >= len(self.numbers):
            longer = np.zeros((1 << count.bit_length(), self.numbers.shape[1]), dtype=self.numbers.dtype)
            longer[: len(self.numbers)] = self.numbers
            self.numbers = longer
        return rows

    def touched(self) -> tuple[Int32s, npt.NDArray[T]]:
        """Return the terms whose numbers are not all 0, ascending, and copies of these."""
        rows = filled(self.numbers)
        terms = self._places.coordinates[rows - 1]
        ascending = np.argsort(terms)
        return terms[ascending], self.numbers[rows[ascending]]
