"""Densities on grids: what is saved gives all coarser grids back, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import kernel_grid
from iscore.learners.naive_bayes.bandwidth import resolved
from iscore.learners.naive_bayes.densities import GridDensities

NODES = 64


def learned(values: Floats, weights: Floats) -> GridDensities:
    """Learn a row of values after the other, in two classes by turns."""
    found = GridDensities(np.full(values.shape[1], 0.12), "shared", 1.0, NODES)
    for number, row in enumerate(resolved(values, found.grid.finest)):
        kernel_grid.add(found.grid, row, number % 2, weights[number])
    return found


@pytest.mark.parametrize("reach", [0.1, 0.47, 3.0, 1e5])
def test_coarser_grids_follow_from_the_finest(reach: float) -> None:
    """With weights that are no whole numbers, too, and while the range outgrows the rings on both sides."""
    random = np.random.default_rng(5)
    values = random.uniform(-reach, reach, size=(200, 3)) * np.linspace(0.01, 1.0, 200)[:, np.newaxis]
    values[:, 2] -= 7.0
    one = learned(values, random.uniform(0.1, 2.0, size=200))
    other = GridDensities(np.full(3, 0.12), "shared", 1.0, NODES)
    other.restore(one.state())
    assert other.grid.rings.tobytes() == one.grid.rings.tobytes()
    assert np.count_nonzero(one.grid.rings[:, :, NODES:]) > 0
    one.rescale(1e-3)
    other.rescale(1e-3)
    assert other.grid.rings.tobytes() == one.grid.rings.tobytes()


def test_every_grid_has_all_the_weight() -> None:
    random = np.random.default_rng(6)
    one = learned(random.normal(size=(300, 2)), np.ones(300))
    offset, size = 0, NODES
    while size >= kernel_grid.COARSEST:
        assert one.grid.rings[:, :, offset : offset + size].sum(axis=2) == pytest.approx(one.grid.weight)
        offset += size
        size //= 2
