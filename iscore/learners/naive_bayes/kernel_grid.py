"""Gaussian kernel densities from weights binned on a grid: the cost of a query does not grow with history.

Every value shares its weight among the three nearest cells of a grid whose cells are [k 2^e, (k+1) 2^e), after the
quadratic B-spline. That spreads each value by a variance of exactly a quarter of the squared spacing δ, wherever it
lies between the nodes, so a Gaussian of variance h² - δ²/4 over the cells approximates one of variance h² over the
values; sharing between two cells (linear binning) would do so only on average, which is not good enough for values
that repeat.

Per class and feature there is a pyramid of grids, each twice as coarse as the one before and half as long. A coarser
grid follows from the finer one, by the spline's refinement: 3/4 of a cell goes to the cell that covers it, and 1/4 to
the nearest other. So only the finest grid needs to be saved. A query reads the grid on which the bandwidth is two to
four cells, at most ±5 bandwidths of it, with a recurrence for the Gaussian: two multiplications a cell. Each grid is a
ring (cell k lies at k modulo its length), so that values may wander anywhere; when their range outgrows the finest
ring, the next coarser one takes its place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats

COARSEST = 16
"""Cells of the shortest ring."""

FEWEST = 2.0
"""Cells within a bandwidth, at least, of the grid that a query reads; fewer than twice as many."""

REACH = 5.0
"""Bandwidths beyond which a kernel is 0."""

ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


class Grid(NamedTuple):
    """Values of n features, binned. Kernels change the arrays but ``precision`` and ``finest``."""

    weight: Floats
    """Weight of the values of each class and feature, shape (2, n); so are the next two."""
    low: Floats
    high: Floats
    smooth: Floats
    """Bandwidths and floors, shape (2, 2, n); see ``bandwidth``."""
    precision: Floats
    """Shape (n,); see ``precision``."""
    rule: int
    """Place in ``bandwidth.RULES``."""
    floor: float
    """In examples."""
    rings: Floats
    """The pyramids of each class and feature, shape (2, n, ``pyramid_length``); the finest ring comes first."""
    spacing: Floats
    """Of the finest grid, shape (2, n)."""
    finest: Floats
    """What that starts from, shape (n,): values are rounded to a part of it."""


def pyramid_length(n_nodes: int) -> int:
    """Return the number of cells of all rings together, when the finest has ``n_nodes``."""
    return 2 * n_nodes - COARSEST


@inner
def _finest_size(grid: Grid) -> int:
    """Return how many cells the finest ring has."""
    return int(grid.rings.shape[2] + COARSEST) // 2


@inner
def _refresh(pyramid: Floats, offset: int, size: int, first: int, last: int) -> None:
    """Compute the cells ``first`` to ``last`` of the ring behind the one at ``offset``, which has ``size`` cells."""
    fine, coarse = pyramid[offset : offset + size], pyramid[offset + size : offset + size + size // 2]
    mask = size - 1
    for cell in range(first, last + 1):
        k = 2 * cell
        middle, sides = fine[k & mask] + fine[(k + 1) & mask], fine[(k - 1) & mask] + fine[(k + 2) & mask]
        coarse[cell & (mask >> 1)] = 0.75 * middle + 0.25 * sides


@inner
def _fill(pyramid: Floats, n_nodes: int, low: float, high: float, spacing: float) -> None:
    """Compute all rings of one pyramid from the finest. The values lie in [low, high]."""
    pyramid[n_nodes:] = 0.0
    offset, size = 0, n_nodes
    while size > COARSEST:
        spacing *= 2.0
        _refresh(pyramid, offset, size, math.floor(low / spacing) - 1, math.floor(high / spacing) + 1)
        offset += size
        size //= 2


@compiled
def fill(grid: Grid) -> None:
    """Compute all coarser rings from the finest."""
    n_nodes = _finest_size(grid)
    for label in range(2):
        for i in range(grid.rings.shape[1]):
            low, high = grid.low[label, i], grid.high[label, i]
            if low <= high:
                _fill(grid.rings[label, i], n_nodes, low, high, grid.spacing[label, i])


@inner
def _coarsen(pyramid: Floats, n_nodes: int, low: float, high: float, spacing: float) -> None:
    """Put the second ring of one pyramid into the place of the finest. The values lie in [low, high]."""
    second = pyramid[n_nodes : n_nodes + n_nodes // 2].copy()
    pyramid[:n_nodes] = 0.0
    spacing *= 2.0
    for k in range(math.floor(low / spacing) - 1, math.floor(high / spacing) + 2):
        pyramid[k & (n_nodes - 1)] = second[k & (n_nodes // 2 - 1)]
    _fill(pyramid, n_nodes, low, high, spacing)


@inner
def add(grid: Grid, x: Floats, label: int, amount: float) -> None:
    """Add the values ``x`` (n,) of class ``label`` with weight ``amount``; NaN values are left out."""
    weight, low, high, rings, spacing = grid.weight, grid.low, grid.high, grid.rings, grid.spacing
    n_nodes = _finest_size(grid)
    for i in range(len(x)):
        value = x[i]
        if math.isnan(value):
            continue
        pyramid = rings[label, i]
        step = spacing[label, i]
        new_low = min(low[label, i], value)
        new_high = max(high[label, i], value)
        # Three quarters of the ring: so every grid has room for the neighbours of its outermost cells.
        while math.floor(new_high / step) - math.floor(new_low / step) > n_nodes // 4 * 3:
            if weight[label, i] > 0.0:
                _coarsen(pyramid, n_nodes, low[label, i], high[label, i], step)
            step *= 2.0
        spacing[label, i] = step
        low[label, i] = new_low
        high[label, i] = new_high
        weight[label, i] += amount
        position = value / step
        k = math.floor(position)
        s = position - k - 0.5
        mask = n_nodes - 1
        pyramid[(k - 1) & mask] += amount * (0.5 * (0.5 - s) * (0.5 - s))
        pyramid[k & mask] += amount * (0.75 - s * s)
        pyramid[(k + 1) & mask] += amount * (0.5 * (0.5 + s) * (0.5 + s))
        offset, size = 0, n_nodes
        while size > COARSEST:
            k >>= 1  # three cells of each ring follow from the three of the one before
            _refresh(pyramid, offset, size, k - 1, k + 1)
            offset += size
            size //= 2


@inner
def _density(
    x: float, h: float, weight: float, low: float, high: float, pyramid: Floats, step: float, n_nodes: int
) -> float:
    """Return the density at ``x`` of the values binned in one pyramid, smoothed with bandwidth ``h``."""
    offset = 0
    size = n_nodes
    while h >= 2.0 * FEWEST * step and size > COARSEST:
        offset += size
        size //= 2
        step *= 2.0
    # Where the finest grid is too coarse for h, the spread of the binning itself is the smallest bandwidth.
    sd = math.sqrt(max(h * h - 0.25 * step * step, 0.25 * step * step))
    first = max(math.floor(low / step) - 1.0, math.ceil((x - REACH * sd) / step - 0.5))
    last = min(math.floor(high / step) + 1.0, math.floor((x + REACH * sd) / step - 0.5))
    if first > last:
        return 0.0
    start = int(min(max(math.floor(x / step), first), last))
    d = step / sd
    u = ((start + 0.5) * step - x) / sd
    flat = math.exp(-0.5 * d * d)
    tilt = math.exp(-d * u)
    upward = flat * tilt
    downward = flat / tilt
    q = flat * flat
    above = math.exp(-0.5 * u * u)
    below = above
    mask = size - 1
    total = pyramid[offset + (start & mask)] * above
    n_above = int(last) - start
    n_below = start - int(first)
    # Both directions at once as far as they go together: two independent chains of products keep the CPU busy.
    for i in range(1, min(n_above, n_below) + 1):
        above *= upward
        below *= downward
        upward *= q
        downward *= q
        total += pyramid[offset + ((start + i) & mask)] * above + pyramid[offset + ((start - i) & mask)] * below
    for i in range(n_below + 1, n_above + 1):
        above *= upward
        upward *= q
        total += pyramid[offset + ((start + i) & mask)] * above
    for i in range(n_above + 1, n_below + 1):
        below *= downward
        downward *= q
        total += pyramid[offset + ((start - i) & mask)] * below
    return float(total / (weight * sd * ROOT_TWO_PI))


@compiled
def log_ratios(grid: Grid, X: Floats) -> Floats:
    """Return log p(f|1) - log p(f|0) for the rows of ``X`` (m, n), shape (m, n).

    0 where the value is missing or a class has never had one.
    """
    # Each in a variable of its own: reading a field in the loop counts references.
    weight, low, high, smooth = grid.weight, grid.low, grid.high, grid.smooth
    rings, spacing = grid.rings, grid.spacing
    n_nodes = _finest_size(grid)
    ratios = np.zeros(X.shape)
    for row in range(X.shape[0]):
        for i in range(X.shape[1]):
            x = X[row, i]
            if math.isnan(x) or weight[0, i] <= 0.0 or weight[1, i] <= 0.0:
                continue
            ratio = 1.0
            for c in range(2):
                h, step = smooth[0, c, i], spacing[c, i]
                density = _density(x, h, weight[c, i], low[c, i], high[c, i], rings[c, i], step, n_nodes)
                ratio = max(density, smooth[1, c, i]) / ratio
            ratios[row, i] = math.log(ratio)
    return ratios
