"""One whole step of weighted naive Bayes on the grid, in one compiled call.

It does what ``WeightedNaiveBayes`` does part by part, with the same kernels in the same order and so to the same bit: a
call into compiled code costs about a microsecond for its arrays, and there would be nine.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.naive_bayes import correlation, kernel_grid, weighting
from iscore.learners.naive_bayes.bandwidth import smooth_again
from iscore.learners.naive_bayes.precision import resolved

Floats = npt.NDArray[np.float64]
Grid = tuple[Floats, Floats, Floats, Floats, Floats, Floats]

_add, _log_ratios = kernel_grid.add, kernel_grid.log_ratios
_scores, _update_weights, _update_moments = weighting.scores, weighting.update, correlation.update
FEWEST = weighting.FEWEST


@compiled
def step(
    X: Floats,
    interesting: bool,
    amount: float,
    grid: Grid,
    n_nodes: int,
    class_weights: Floats,
    prior: float,
    mean: Floats,
    covariance: Floats,
    moments: Floats,
    precision: Floats,
    finest: Floats,
    rule: int,
    floor: float,
) -> tuple[float, float]:
    """Score and learn the row ``X`` (1, n), but score only for an amount of 0; return its score before, and the new
    prior.

    Modifies the arrays of ``grid`` (``GridDensities.arrays``), ``class_weights``, ``mean``, ``covariance``,
    ``moments``.
    """
    weight, low, high, smooth, rings, spacing = grid
    label = 1 if interesting else 0
    row = resolved(X, finest)
    x = row[0]
    score = 0.0
    if class_weights[0] > 0.0 and class_weights[1] > 0.0:
        ratios = _log_ratios(row, weight, low, high, smooth, rings, spacing, n_nodes)
        score = _scores(ratios, mean, prior)[0]
        if amount > 0.0 and class_weights.min() >= FEWEST:
            _update_weights(mean, covariance, ratios[0], prior, interesting, amount, 1.0)
    if amount == 0.0:
        return score, prior
    _add(x, label, amount, weight, low, high, rings, spacing, n_nodes)
    _update_moments(moments, x, float(label), amount)
    class_weights[label] += amount
    smooth_again(smooth, weight, low, high, precision, 1.0, rule, floor)
    return score, math.log((class_weights[1] + 1.0) / (class_weights[0] + 1.0))


@compiled
def steps(
    X: Floats,
    interesting: npt.NDArray[np.bool_],
    amounts: Floats,
    grid: Grid,
    n_nodes: int,
    class_weights: Floats,
    prior: float,
    mean: Floats,
    covariance: Floats,
    moments: Floats,
    precision: Floats,
    finest: Floats,
    rule: int,
    floor: float,
    scores: Floats,
) -> float:
    """Do as ``step`` with each row of ``X`` (m, n), and write their scores before; return the prior at the end."""
    for row in range(len(X)):
        scores[row], prior = step(
            X[row : row + 1],
            interesting[row],
            amounts[row],
            grid,
            n_nodes,
            class_weights,
            prior,
            mean,
            covariance,
            moments,
            precision,
            finest,
            rule,
            floor,
        )
    return prior
