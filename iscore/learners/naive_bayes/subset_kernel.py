"""One whole step of naive Bayes with online feature selection on the grid, in one compiled call.

It does what ``SubsetNaiveBayes`` does part by part, with the same kernels in the same order and so to the same bit: a
call into compiled code costs about a microsecond for its arrays, and there would be ten.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.naive_bayes import calibration, correlation, kernel_grid, subsets
from iscore.learners.naive_bayes.bandwidth import smooth_again
from iscore.learners.naive_bayes.precision import resolved

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Grid = tuple[Floats, Floats, Floats, Floats, Floats, Floats]

_add, _log_ratios = kernel_grid.add, kernel_grid.log_ratios
_decide, _rank, _best_size = subsets.decide, subsets.rank, subsets.best_size
FEWEST = calibration.FEWEST
_update_lines, _update_moments, _correlations = calibration.update, correlation.update, correlation.correlations


@compiled
def step(
    X: Floats,
    interesting: bool,
    amount: float,
    grid: Grid,
    n_nodes: int,
    class_weights: Floats,
    order: Ints,
    size: int,
    prior: float,
    counts: Floats,
    lines: Floats,
    moments: Floats,
    precision: Floats,
    finest: Floats,
    rule: int,
    floor: float,
    beta2: float,
    calibrated: bool,
) -> tuple[float, int, float]:
    """Score and learn the row ``X`` (1, n); return its score before, and the new subset size and prior.

    Modifies the arrays of ``grid`` (``GridDensities.arrays``), ``class_weights``, ``order``, ``counts``, ``lines``,
    ``moments``.
    """
    weight, low, high, smooth, rings, spacing = grid
    label = 1 if interesting else 0
    row = resolved(X, finest)
    x = row[0]
    score = 0.0
    if class_weights[0] > 0.0 and class_weights[1] > 0.0:
        ratios = _log_ratios(row, weight, low, high, smooth, rings, spacing, n_nodes)[0]
        total = 0.0
        for place in range(size):
            total += ratios[order[place]]
        score = prior + lines[1, size - 1] + lines[0, size - 1] * total
        _decide(counts, lines, ratios, order, prior, interesting, amount)
        if calibrated and class_weights.min() >= FEWEST:
            _update_lines(lines, ratios, order, prior, interesting, amount, 1.0)
    _add(x, label, amount, weight, low, high, rings, spacing, n_nodes)
    _update_moments(moments, x, float(label), amount)
    class_weights[label] += amount
    smooth_again(smooth, weight, low, high, precision, 1.0, rule, floor)
    _rank(order, _correlations(moments))
    new_prior = math.log((class_weights[1] + 1.0) / (class_weights[0] + 1.0))
    return score, _best_size(counts, beta2), new_prior
