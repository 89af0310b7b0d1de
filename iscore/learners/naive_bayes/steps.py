"""Many steps of naive Bayes on the grid in one compiled call, for each way to combine the features' log-ratios.

A step scores a row, and then learns it. One call with its arrays costs a few microseconds, as much as one kernel of the
ten that a step runs. Arguments come as plain tuples, since numba takes those faster than named ones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Bools, Floats
from iscore.learners.naive_bayes import kernel_grid, subsets, weighting
from iscore.learners.naive_bayes.bandwidth import smooth
from iscore.learners.naive_bayes.example import Example
from iscore.learners.naive_bayes.kernel_grid import Grid
from iscore.learners.naive_bayes.precision import resolved
from iscore.learners.naive_bayes.subsets import Selection
from iscore.learners.naive_bayes.weighting import Weighting

Packed = tuple[Any, ...]
"""The fields of a named tuple, or of several."""

_add, _log_ratios = kernel_grid.add, kernel_grid.log_ratios
_subset_scores, _learn_subsets = subsets.scores, subsets.learn
_weighted_scores, _learn_weights = weighting.scores, weighting.learn


@inner
def log_prior(class_weights: Floats, scale: float) -> float:
    """Return log P(1)/P(0)."""
    return math.log((class_weights[1] / scale + 1.0) / (class_weights[0] / scale + 1.0))


@compiled
def log_ratios(packed: Packed, X: Floats) -> Floats:
    """Return the log-ratios of the rows of ``X`` (m, n), shape (m, n); ``packed`` has the fields of ``Grid``."""
    grid = Grid(*packed)
    return _log_ratios(grid, resolved(X, grid.finest))


@compiled
def sums(ratios: Floats, prior: float) -> Floats:
    """Return the scores of the rows of ``ratios`` (m, n), shape (m,)."""
    scores = np.empty(ratios.shape[0])
    for row in range(ratios.shape[0]):
        total = 0.0
        for i in range(ratios.shape[1]):
            total += ratios[row, i]
        scores[row] = prior + total
    return scores


@inner
def _learn_values(grid: Grid, class_weights: Floats, x: Floats, e: Example) -> float:
    """Learn the values of one row; return the new prior."""
    label = 1 if e.interesting else 0
    _add(grid, x, label, e.amount)
    class_weights[label] += e.amount
    smooth(grid, e.scale)
    return log_prior(class_weights, e.scale)


@compiled
def sum_steps(
    packed: Packed,
    combination: Packed,  # noqa: ARG001 -- the three functions have the same parameters
    class_weights: Floats,
    X: Floats,
    interesting: Bools,
    weights: Floats,
    scores: Floats,
    prior: float,
    size: int,
    scale: float,
    keep: float,
) -> tuple[float, int]:
    """Score rows by the sum of all log-ratios, and learn them in order; return the new prior and subset size.

    ``packed`` has the fields of ``Grid``; ``combination`` is empty; ``scale`` and ``keep`` as in ``Example``. Of the
    rows ``X`` (m, n) those of weight 0 are scored only. ``scores`` (m,), 0 at first, takes the score of each before it
    is learned.
    """
    grid = Grid(*packed)
    for row in range(len(X)):
        x = resolved(X[row : row + 1], grid.finest)
        known = class_weights[0] > 0.0 and class_weights[1] > 0.0
        ratios = _log_ratios(grid, x) if known else np.zeros(x.shape)
        if known:
            scores[row] = sums(ratios, prior)[0]
        if weights[row] > 0.0:
            e = Example(interesting[row], weights[row] * scale, scale, keep, prior)
            prior = _learn_values(grid, class_weights, x[0], e)
    return prior, size


@compiled
def subset_steps(
    packed: Packed,
    combination: Packed,
    class_weights: Floats,
    X: Floats,
    interesting: Bools,
    weights: Floats,
    scores: Floats,
    prior: float,
    size: int,
    scale: float,
    keep: float,
) -> tuple[float, int]:
    """Do as ``sum_steps`` with the score of the best subset; ``combination`` has the fields of ``Selection``."""
    grid = Grid(*packed)
    selection = Selection(*combination)
    for row in range(len(X)):
        x = resolved(X[row : row + 1], grid.finest)
        known = class_weights[0] > 0.0 and class_weights[1] > 0.0
        ratios = _log_ratios(grid, x) if known else np.zeros(x.shape)
        if known:
            scores[row] = _subset_scores(selection.order, selection.lines, ratios, size, prior)[0]
        if weights[row] > 0.0:
            e = Example(interesting[row], weights[row] * scale, scale, keep, prior)
            size = _learn_subsets(selection, ratios[0], x[0], class_weights, e)
            prior = _learn_values(grid, class_weights, x[0], e)
    return prior, size


@compiled
def weighted_steps(
    packed: Packed,
    combination: Packed,
    class_weights: Floats,
    X: Floats,
    interesting: Bools,
    weights: Floats,
    scores: Floats,
    prior: float,
    size: int,
    scale: float,
    keep: float,
) -> tuple[float, int]:
    """Do as ``sum_steps`` with weighted log-ratios; ``combination`` has the fields of ``Weighting``."""
    grid = Grid(*packed)
    weighting = Weighting(*combination)
    for row in range(len(X)):
        x = resolved(X[row : row + 1], grid.finest)
        known = class_weights[0] > 0.0 and class_weights[1] > 0.0
        ratios = _log_ratios(grid, x) if known else np.zeros(x.shape)
        if known:
            scores[row] = _weighted_scores(ratios, weighting.mean, prior)[0]
        if weights[row] > 0.0:
            e = Example(interesting[row], weights[row] * scale, scale, keep, prior)
            _learn_weights(weighting, ratios[0], x[0], class_weights, e)
            prior = _learn_values(grid, class_weights, x[0], e)
    return prior, size
