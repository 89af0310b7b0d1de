"""Rows: one form for dense matrices, sparse ones and single rows, without copies where numbers allow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix

from iscore.learners.rows import Rows, extent, of_csr, of_entries, of_matrix, of_vector

X = np.array([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]])


def dense(rows: Rows, n: int) -> np.ndarray:
    """Return the rows as a kernel visits them."""
    found = np.zeros((rows.size, n))
    for row in range(rows.size):
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        shift = begin if rows.shared else 0
        for k in range(begin, end):
            found[row, rows.indices[k - shift]] += rows.data[k]
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.array, csr_matrix])
def test_matrices_are_read_without_a_copy(kind, dtype):
    given = kind(X.astype(dtype))
    rows = of_matrix(given)
    assert (dense(rows, 3) == X).all()
    assert np.shares_memory(rows.data, given if kind is np.array else given.data)
    if kind is csr_matrix:
        assert np.shares_memory(rows.indices, given.indices)


@pytest.mark.parametrize("given", [X.astype(int), np.asfortranarray(X), coo_matrix(X), X.tolist(), X[:, ::-1]])
def test_other_numbers_and_orders_are_converted(given):
    expected = given.toarray() if hasattr(given, "toarray") else np.asarray(given)
    rows = of_matrix(given)
    assert (dense(rows, 3) == expected).all()
    assert rows.data.dtype == np.float64
    assert rows.indices.dtype == np.int32


def test_single_rows():
    for rows in (
        of_vector(X[0]),
        of_vector([0.5, 0.0, 2.0]),
        of_vector(csr_matrix(X[:1])),
        of_entries(np.array([2, 0]), np.array([2.0, 0.5], dtype=np.float32)),
        of_csr(np.array([0, 2]), np.array([0, 2], dtype=np.int32), np.array([0.5, 2.0])),
    ):
        assert rows.size == 1
        assert (dense(rows, 3) == X[:1]).all()


def test_what_is_read_only_becomes_writable_without_touching_it():
    indices, data = np.array([0, 2], dtype=np.int32), np.array([0.5, 2.0])
    indices.flags.writeable = data.flags.writeable = False
    rows = of_entries(indices, data)
    assert rows.indices.flags.writeable
    assert rows.data.flags.writeable
    assert not data.flags.writeable


def test_the_extent_of_coordinates():
    assert extent(np.array([3, 1, 7], dtype=np.int32)) == (0, 7)
    assert extent(np.array([3, -2], dtype=np.int32)) == (-2, 3)
    assert extent(np.empty(0, dtype=np.int32)) == (0, -1)
