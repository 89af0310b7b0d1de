"""WeightStore: the same numbers for a coordinate, whatever the table has rows for."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.hash_table import LARGEST
from iscore.learners.linear.rows import of_entries, of_matrix
from iscore.learners.linear.weight_store import SMALL, WeightStore

STORES = {
    "small": lambda: WeightStore(SMALL, 2, np.zeros(2), dense=False),
    "a row for each": lambda: WeightStore(SMALL + 1, 2, np.zeros(2), dense=True),
    "places": lambda: WeightStore(2**20, 2, np.zeros(2), dense=False),
    "growing": lambda: WeightStore(None, 2, np.zeros(2), dense=False),
}


def row(coordinates):
    indices = np.array(coordinates, dtype=np.int32)
    return of_entries(indices, np.ones(len(indices)))


@pytest.fixture(params=sorted(STORES))
def store(request):
    return STORES[request.param]()


def test_every_coordinate_keeps_its_numbers(store):
    """Against a dict, in enough steps that tables have to grow."""
    random = np.random.default_rng(0)
    known = {}
    for _ in range(300):
        coordinates = random.choice(SMALL, 40, replace=False)
        rows = store.claimed(row(coordinates))
        store.table[rows.indices, 0] += 1.0
        store.table[rows.indices, 1] = coordinates
        for j in coordinates.tolist():
            known[j] = (known.get(j, (0.0,))[0] + 1.0, float(j))
    assert len(known) > 10_000
    coordinates, numbers = store.touched()
    assert coordinates.tolist() == [j for j in sorted(known) if known[j] != (0.0, 0.0)]
    assert numbers.tolist() == [list(known[j]) for j in coordinates.tolist()]
    asked = np.array(sorted(known))
    assert store.table[store.found(row(asked)).indices].tolist() == [list(known[j]) for j in asked.tolist()]


def test_what_was_never_learned_has_zeros_and_stays_unlearned(store):
    store.put(np.array([3, 70], dtype=np.int32), np.ones((2, 2)))
    size = len(store.table)
    found = store.table[store.found(row([5, 70, 6])).indices]
    assert found.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    assert len(store.table) == size
    assert store.touched()[0].tolist() == [3, 70]


def test_what_was_touched_is_a_copy(store):
    store.put(np.array([3], dtype=np.int32), np.ones((1, 2)))
    store.touched()[1][:] = 7.0
    assert store.touched()[1].tolist() == [[1.0, 1.0]]


def test_only_what_was_learned_has_rows_in_a_large_store():
    for name in ("places", "growing"):
        store = STORES[name]()
        store.claimed(row(np.arange(0, 60_000, 60)))
        assert len(store.table) == 1024
    assert len(STORES["growing"]().table) == 1


def test_coordinates_outside_are_refused(store):
    last = LARGEST if store.width is None else store.width
    store.claimed(row([0, last - 1]))
    outside = [[-1], [0, -5, 3]] + ([] if store.width is None else [[1, last]])
    for coordinates in outside:
        for verb in (store.claimed, store.found):
            with pytest.raises(ValueError, match="outside"):
                verb(row(coordinates))


def test_another_width_is_refused_unless_the_store_grows(store):
    wrong = np.zeros((2, 7))
    if store.width is None:
        store.check_width(wrong)
    else:
        with pytest.raises(ValueError, match="features"):
            store.check_width(wrong)


def test_dense_rows_are_where_their_coordinates_are():
    for make in (
        lambda: WeightStore(5, 1, np.zeros(1), dense=True),
        lambda: WeightStore(None, 1, np.zeros(1), dense=False),
    ):
        store = make()
        rows = store.claimed(of_matrix(np.zeros((3, 5))))
        store.table[rows.indices, 0] = np.arange(1.0, 6.0)
        assert store.touched()[0].tolist() == [0, 1, 2, 3, 4]
        assert store.touched()[1][:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
