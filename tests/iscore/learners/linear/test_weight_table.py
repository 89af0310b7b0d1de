"""Space: the same numbers for a coordinate, whatever the table has rows for."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners.linear.hash_table import LARGEST
from iscore.learners.linear.rows import of_entries, of_matrix
from iscore.learners.linear.weight_table import SMALL, Space

SPACES = {
    "small": lambda: Space(SMALL, 2, dense=False),
    "a row for each": lambda: Space(SMALL + 1, 2, dense=True),
    "places": lambda: Space(2**20, 2, dense=False),
    "growing": lambda: Space(None, 2, dense=False),
}


def row(coordinates):
    indices = np.array(coordinates, dtype=np.int32)
    return of_entries(indices, np.ones(len(indices)))


@pytest.fixture(params=sorted(SPACES))
def space(request):
    return SPACES[request.param]()


def test_every_coordinate_keeps_its_numbers(space):
    """Against a dict, in so many steps that tables have to grow."""
    random = np.random.default_rng(0)
    known = {}
    for _ in range(300):
        coordinates = random.choice(SMALL, 40, replace=False)
        rows = space.claimed(row(coordinates))
        space.table[rows.indices, 0] += 1.0
        space.table[rows.indices, 1] = coordinates
        for j in coordinates.tolist():
            known[j] = (known.get(j, (0.0,))[0] + 1.0, float(j))
    assert len(known) > 10_000
    coordinates, numbers = space.touched()
    assert coordinates.tolist() == [j for j in sorted(known) if known[j] != (0.0, 0.0)]
    assert numbers.tolist() == [list(known[j]) for j in coordinates.tolist()]
    asked = np.array(sorted(known))
    assert space.table[space.found(row(asked)).indices].tolist() == [list(known[j]) for j in asked.tolist()]


def test_what_was_never_learned_has_zeros_and_stays_unlearned(space):
    space.put(np.array([3, 70], dtype=np.int32), np.ones((2, 2)))
    size = len(space.table)
    found = space.table[space.found(row([5, 70, 6])).indices]
    assert found.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    assert len(space.table) == size
    assert space.touched()[0].tolist() == [3, 70]


def test_what_was_touched_is_a_copy(space):
    space.put(np.array([3], dtype=np.int32), np.ones((1, 2)))
    space.touched()[1][:] = 7.0
    assert space.touched()[1].tolist() == [[1.0, 1.0]]


def test_only_what_was_learned_has_rows_in_a_large_space():
    for name in ("places", "growing"):
        space = SPACES[name]()
        space.claimed(row(np.arange(0, 60_000, 60)))
        assert len(space.table) == 1024
    assert len(SPACES["growing"]().table) == 1


def test_coordinates_outside_are_refused(space):
    last = LARGEST if space.width is None else space.width
    space.claimed(row([0, last - 1]))
    outside = [[-1], [0, -5, 3]] + ([] if space.width is None else [[1, last]])
    for coordinates in outside:
        for verb in (space.claimed, space.found):
            with pytest.raises(ValueError, match="outside"):
                verb(row(coordinates))


def test_a_width_is_held_to_unless_the_space_grows(space):
    wrong = np.zeros((2, 7))
    if space.width is None:
        space.check_width(wrong)
    else:
        with pytest.raises(ValueError, match="features"):
            space.check_width(wrong)


def test_dense_rows_are_where_their_coordinates_are():
    for make in (lambda: Space(5, 1, dense=True), lambda: Space(None, 1, dense=False)):
        space = make()
        rows = space.claimed(of_matrix(np.zeros((3, 5))))
        space.table[rows.indices, 0] = np.arange(1.0, 6.0)
        assert space.touched()[0].tolist() == [0, 1, 2, 3, 4]
        assert space.touched()[1][:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
