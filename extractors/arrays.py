"""Names for the types of arrays, and the states of extractors, which can be stored without code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Float32s = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt16s = npt.NDArray[np.uint16]
UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]


State = Mapping[str, "npt.NDArray[Any] | int | float | str | bool | Sequence[str] | State"]
"""Values by name, possibly nested. Equal behaviour means equal state; the order of names does not matter."""

T = TypeVar("T", bound=np.generic)


def array(state: State, name: str, dtype: type[T]) -> npt.NDArray[T]:
    """Return a copy of an array of the state. Raises ``KeyError`` when the state has no such name."""
    return np.array(state[name], dtype=dtype)


def number(state: State, name: str) -> float:
    """Return a number of the state. Raises ``KeyError`` or ``TypeError`` when there is none of that name."""
    value = state[name]
    if not isinstance(value, int | float):
        raise TypeError(f"{name} is not a number")
    return float(value)


def names(state: State, name: str) -> list[str]:
    """Return a list of names of the state. Raises ``KeyError`` or ``TypeError`` when there is none."""
    value = state[name]
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"{name} is not a list")
    return [str(item) for item in value]


def nested(state: State, name: str) -> State:
    """Return a state within the state. Raises ``KeyError`` or ``TypeError`` when there is none of that name."""
    value = state[name]
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is not a state")
    return value


def filled(table: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the rows of a table that are not all 0, ascending.

    Column by column, since ``any`` along the short rows of a million terms takes ten times as long.
    """
    return np.flatnonzero(reduce(np.logical_or, table.T, np.zeros(len(table), dtype=np.bool_)))
