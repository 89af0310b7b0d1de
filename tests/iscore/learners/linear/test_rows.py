"""Rows: one form for dense matrices, sparse ones and single rows, without copies where numbers allow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix

from extractors.hash_table import within
from iscore.learners.linear.rows import Rows, of_csr, of_entries, of_matrix, of_vector, raw_row, row_of

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


def test_unused_room_is_not_read():
    spacious = csr_matrix(X[:1])
    spacious.indices = np.append(spacious.indices, 1).astype(np.int32)
    spacious.data = np.append(spacious.data, 9.0)
    for rows in (of_vector(spacious), of_matrix(spacious)):
        assert (dense(rows, 3) == X[:1]).all()


def test_coordinates_outside_of_the_space_are_found():
    assert within(np.array([3, 0, 7], dtype=np.int32), 8)
    assert not within(np.array([3, 0, 7], dtype=np.int32), 7)
    assert not within(np.array([3, -2], dtype=np.int32), 4)
    assert within(np.empty(0, dtype=np.int32), 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_missing_is_read_as_zero_and_stays(dtype):
    given = np.array([[1.0, np.nan, 2.0], [-np.inf, 3.0, np.inf]], dtype=dtype)
    rows = of_matrix(given)
    for row, expected in enumerate(([1.0, 0.0, 2.0], [0.0, 3.0, 0.0])):
        coordinates, values = row_of(rows, row)
        assert coordinates.tolist() == [0, 1, 2]
        assert values.tolist() == expected
        assert values.dtype == dtype
        assert raw_row(rows, row).values.tobytes() == given[row].tobytes()
