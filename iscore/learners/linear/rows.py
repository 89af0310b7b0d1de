"""Rows of examples for the kernels of linear learners: dense and sparse matrices in one form, without copies.

Row ``i`` has the values ``data[k]`` for k from ``indptr[i]`` to ``indptr[i + 1]``. Their coordinates are ``indices``
when all rows share them, as those of a dense matrix do, else ``indices[k]``. Kernels read both with ``row_of``, and so
give the same bits for a dense matrix, a sparse one and a single row.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import inner

Data = npt.NDArray[np.float64] | npt.NDArray[np.float32]
Ends = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Coordinates = npt.NDArray[np.uint32]
"""Unsigned, so that no index needs the check for counting from the end."""


class Row(NamedTuple):
    """One example, within a kernel."""

    indices: Coordinates
    values: Data


class Rows(NamedTuple):
    """m rows."""

    indptr: Ends
    """Shape (m + 1,): where each row begins in ``data``."""

    indices: Ints
    """Coordinates, all different within a row; ascending when they come from a matrix."""

    data: Data
    """Values. What is not finite is missing."""

    shared: bool
    """Whether ``indices`` are the coordinates of every row, rather than one for each value."""

    @property
    def size(self) -> int:
        """m."""
        return len(self[0]) - 1

    def at(self, indices: Ints) -> Rows:
        """Return the same values at other coordinates."""
        # The constructor takes half a microsecond of the few that a single row takes.
        return tuple.__new__(Rows, (self[0], indices, self[2], self[3]))


def issparse(X: Any) -> bool:
    """Whether ``X`` is a sparse matrix of SciPy, which is not loaded for the answer: without it there are none."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def of_matrix(X: Any) -> Rows:
    """Return the rows of a dense or sparse matrix, of any numbers; float64 and float32 in C or CSR order uncopied.

    Raises ``ValueError`` when ``X`` has not two dimensions.
    """
    if issparse(X):
        X = _canonical(X)
        return Rows(X.indptr.astype(np.int64), _coordinates(X.indices), _values(X.data), False)
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
        x = _canonical(x)
        if x.shape[0] != 1:
            raise ValueError(f"one row is needed, not {x.shape[0]}")
        # A matrix may have room to spare.
        end = x.indptr.item(1)
        return of_entries(x.indices[:end], x.data[:end])
    data = _values(x)
    if data.ndim != 1:
        raise ValueError(f"a vector of features is needed, not an array of shape {data.shape}")
    n = len(data)
    return tuple.__new__(Rows, (_span(n), _ordinals(n), data, True))


def of_entries(indices: Ints, data: Data) -> Rows:
    """Return one row from its k coordinates, all different, and their k values.

    Raises ``ValueError`` when the lengths differ.
    """
    n = len(data)
    if len(indices) != n:
        raise ValueError(f"there are {len(indices)} coordinates and {n} values")
    return tuple.__new__(Rows, (_span(n), _coordinates(indices), _values(data), False))


def of_csr(indptr: Ends, indices: Ints, data: Data) -> Rows:
    """Return m rows from the three arrays of a CSR matrix.

    Raises ``ValueError`` when they do not belong together.
    """
    indptr = np.ascontiguousarray(indptr, np.int64)
    if len(indptr) == 2 and indptr.tolist() == [0, len(indices)]:
        return of_entries(indices, data)
    if len(indptr) < 1 or indptr[0] != 0 or indptr[-1] != len(data) or len(indices) != len(data):
        raise ValueError("indptr, indices and data do not belong together")
    if len(indptr) > 2 and (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must not fall")
    return Rows(indptr, _coordinates(indices), _values(data), False)


@inner
def raw_row(rows: Rows, i: int) -> Row:
    """Return row ``i`` with its values as they are."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    first = 0 if rows.shared else begin
    return Row(rows.indices[first : first + end - begin].view(np.uint32), rows.data[begin:end])


@inner
def row_of(rows: Rows, i: int) -> Row:
    """Return row ``i`` with finite values: 0 for what is missing."""
    indices, values = raw_row(rows, i)
    # Counted rather than searched: the loop without a branch is vectorised.
    finite = 0
    for k in range(len(values)):
        finite += abs(values[k]) < np.inf
    if finite < len(values):
        values = values.copy()
        for k in range(len(values)):
            if not np.isfinite(values[k]):
                values[k] = 0.0
    return Row(indices, values)


def _canonical(X: Any) -> Any:
    """Return a sparse matrix in CSR form with ascending coordinates, each once in a row."""
    X = X.tocsr()
    if X.ndim != 2:
        raise ValueError(f"a matrix is needed, not an array of shape {X.shape}")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


@lru_cache(maxsize=4096)
def _span(length: int) -> Ends:
    """Return where the only row begins and ends. Nobody writes to it."""
    return np.array((0, length), dtype=np.int64)


@lru_cache(maxsize=16)
def _ordinals(length: int) -> Ints:
    """Return 0, 1, … Nobody writes to it."""
    return np.arange(length, dtype=np.int32)


def _values(data: Any) -> Data:
    """Return values as the kernels take them: float32 stays as it is, all else becomes float64."""
    if isinstance(data, np.ndarray) and data.dtype.char in "df" and data.flags.carray:
        return data
    data = np.asarray(data)
    kind = np.float32 if data.dtype == np.float32 else np.float64
    return _writable(np.ascontiguousarray(data, kind))


def _coordinates(indices: npt.NDArray[Any]) -> Ints:
    if indices.dtype.char == "i" and indices.flags.carray:
        return indices
    return _writable(np.ascontiguousarray(indices, np.int32))


def _writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a short read-only array as a copy: to numba it is of another type, and compiling costs more."""
    return array if array.flags.writeable or array.size > 100_000 else array.copy()
