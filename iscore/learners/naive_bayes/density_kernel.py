"""Many steps of plain kernel naive Bayes on the grid, in one compiled call.

It does what ``KernelNaiveBayes`` does part by part, with the same kernels in the same order and so to the same bit.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.naive_bayes import kernel_grid
from iscore.learners.naive_bayes.bandwidth import smooth_again
from iscore.learners.naive_bayes.precision import resolved

Floats = npt.NDArray[np.float64]
Grid = tuple[Floats, Floats, Floats, Floats, Floats, Floats]

_add, _log_ratios = kernel_grid.add, kernel_grid.log_ratios


@compiled
def steps(
    X: Floats,
    interesting: npt.NDArray[np.bool_],
    amounts: Floats,
    grid: Grid,
    n_nodes: int,
    class_weights: Floats,
    prior: float,
    precision: Floats,
    finest: Floats,
    rule: int,
    floor: float,
    scores: Floats,
) -> float:
    """Score and learn the rows of ``X`` (m, n); those of amount 0 are scored only. Return the prior at the end.

    Writes the score that each had before into ``scores`` (m,). Modifies the arrays of ``grid``
    (``GridDensities.arrays``) and ``class_weights``.
    """
    weight, low, high, smooth, rings, spacing = grid
    for row in range(len(X)):
        x = resolved(X[row : row + 1], finest)
        scores[row] = 0.0
        if class_weights[0] > 0.0 and class_weights[1] > 0.0:
            ratios = _log_ratios(x, weight, low, high, smooth, rings, spacing, n_nodes)
            total = 0.0
            for i in range(ratios.shape[1]):
                total += ratios[0, i]
            scores[row] = prior + total
        if amounts[row] > 0.0:
            label = 1 if interesting[row] else 0
            _add(x[0], label, amounts[row], weight, low, high, rings, spacing, n_nodes)
            class_weights[label] += amounts[row]
            smooth_again(smooth, weight, low, high, precision, 1.0, rule, floor)
            prior = math.log((class_weights[1] + 1.0) / (class_weights[0] + 1.0))
    return prior
