"""Rows of examples in the one form that the kernels of linear learners read: dense and sparse alike, without copies.

A kernel visits row ``i`` as the places ``k`` from ``indptr[i]`` to ``indptr[i + 1]``: the value is ``data[k]``, and its
coordinate is ``indices[k - indptr[i]]`` when all rows share one row of coordinates, as those of a dense matrix do, else
``indices[k]``. So a kernel gives the same bits for a dense matrix, a sparse one and a single row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from extractors.compiled import compiled

Data = npt.NDArray[np.float64] | npt.NDArray[np.float32]


class Rows(NamedTuple):
    """m rows. The fields, in this order, are arguments of every kernel."""

    indptr: npt.NDArray[np.int64]
    """Shape (m + 1,): where each row begins in ``data``."""

    indices: npt.NDArray[np.int32]
    """Coordinates, different ones within a row, ascending when they come from a matrix."""

    data: Data
    """Values. A kernel takes what is not finite as missing, which is 0."""

    shared: bool
    """Whether ``indices`` holds the coordinates of every row, rather than one for each value."""

    @property
    def size(self) -> int:
        """m."""
        return len(self.indptr) - 1

    def at(self, indices: npt.NDArray[np.int32]) -> Rows:
        """Return the same values at other coordinates."""
        # Not by the constructor: of a single row's few microseconds that would be half a one.
        return tuple.__new__(Rows, (self[0], indices, self[2], self[3]))


def of_matrix(X: Any) -> Rows:
    """Return the rows of a dense or sparse matrix, of any numbers; float64 and float32 in C or CSR order uncopied.

    Raises ``ValueError`` when ``X`` has not two dimensions.
    """
    if issparse(X):
        return _of_sparse(X)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"a matrix is needed, not an array of shape {X.shape}")
    m, n = X.shape
    return Rows(np.arange(m + 1, dtype=np.int64) * n, np.arange(n, dtype=np.int32), _values(X).reshape(-1), True)


def of_vector(x: Any) -> Rows:
    """Return one row: a dense vector of n values, or a sparse matrix of one row.

    Raises ``ValueError`` when ``x`` is anything else.
    """
    if not isinstance(x, np.ndarray) and issparse(x):
        rows = _of_sparse(x)
        if rows.size != 1:
            raise ValueError(f"one row is needed, not {rows.size}")
        return rows
    data = _values(x)
    if data.ndim != 1:
        raise ValueError(f"a vector of features is needed, not an array of shape {data.shape}")
    return tuple.__new__(Rows, (_span(len(data)), _ordinals(len(data)), data, True))


def of_entries(indices: npt.NDArray[np.int32], data: Data) -> Rows:
    """Return one row from its k coordinates, all different, and their k values.

    Raises ``ValueError`` when the lengths differ.
    """
    if len(indices) != len(data):
        raise ValueError(f"there are {len(indices)} coordinates and {len(data)} values")
    return tuple.__new__(Rows, (_span(len(data)), _coordinates(indices), _values(data), False))


def of_csr(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], data: Data) -> Rows:
    """Return m rows from the three arrays of a CSR matrix.

    Raises ``ValueError`` when they do not belong together.
    """
    indptr = np.ascontiguousarray(indptr, np.int64)
    if len(indptr) == 2 and indptr.tolist() == [0, len(data)] and len(data) == len(indices):
        return of_entries(indices, data)
    if len(indptr) < 1 or indptr[0] != 0 or indptr[-1] != len(data) or len(indices) != len(data):
        raise ValueError("indptr, indices and data do not belong together")
    if len(indptr) > 2 and (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must not fall")
    return Rows(indptr, _coordinates(indices), _values(data), False)


@compiled
def extent(indices: npt.NDArray[np.int32]) -> tuple[int, int]:
    """Return the smallest coordinate, or 0 if all are above it, and the largest, or -1 if there is none."""
    low, high = 0, -1
    for j in indices:
        low = min(low, j)
        high = max(high, j)
    return low, high


def _of_sparse(X: Any) -> Rows:
    X = X.tocsr()
    if X.ndim != 2:
        raise ValueError(f"a matrix is needed, not an array of shape {X.shape}")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows(X.indptr.astype(np.int64), np.ascontiguousarray(X.indices, np.int32), _values(X.data), False)


@lru_cache(maxsize=4096)
def _span(length: int) -> npt.NDArray[np.int64]:
    """Return where the only row begins and ends. Nobody writes to it."""
    return np.array((0, length), dtype=np.int64)


@lru_cache(maxsize=16)
def _ordinals(length: int) -> npt.NDArray[np.int32]:
    """Return 0, 1, … Nobody writes to it."""
    return np.arange(length, dtype=np.int32)


def _values(data: Any) -> Data:
    """Return values as the kernels take them: float32 stays as it is, all else becomes float64."""
    if isinstance(data, np.ndarray) and data.dtype.char in "df" and data.flags.carray:
        return data
    data = np.asarray(data)
    kind = np.float32 if data.dtype == np.float32 else np.float64
    return _writable(np.ascontiguousarray(data, kind))


def _coordinates(indices: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    if indices.dtype.char == "i" and indices.flags.carray:
        return indices
    return _writable(np.ascontiguousarray(indices, np.int32))


def _writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a short read-only array as a copy: to numba it is of another type, and compiling costs more."""
    return array if array.flags.writeable or array.size > 100_000 else array.copy()
