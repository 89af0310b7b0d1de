"""Many steps of naive Bayes on the grid in one compiled call: one loop, which is given how log-ratios are combined.

A step scores a row, and then learns it. One call with its arrays costs a few microseconds, as much as one kernel of the
ten that a step runs. Each learner has a kernel of its own, which calls ``learn_rows`` with two functions:

    score(combination, ratios, size, prior) -> float             of one row of log-ratios (1, n)
    learn(combination, ratios, x, class_weights, size, e) -> int  the new subset size; ``ratios`` and ``x`` (n,)

The functions are arguments, not variables of a closure: numba would keep the machine code of all closures in one file,
whose stamp does not know them. The other arguments of kernels are plain tuples: numba takes those faster than named
ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import kernel_grid
from iscore.learners.naive_bayes.bandwidth import resolved, smooth
from iscore.learners.naive_bayes.kernel_grid import Grid

Packed = tuple[Any, ...]
"""The fields of a named tuple, or of several."""

_add, _log_ratios = kernel_grid.add, kernel_grid.log_ratios


class Example(NamedTuple):
    """What is known of an example besides its values."""

    interesting: bool
    amount: float
    """The weight times ``scale``, positive."""
    scale: float
    """What a weight of 1 counts as now: weights grow instead of old ones shrinking."""
    keep: float
    """The part of what was known that is still believed, in (0, 1]; 1 forgets nothing."""
    prior: float
    """log P(1)/P(0) before the example."""


@inner
def log_prior(class_weights: Floats, scale: float) -> float:
    """Return log P(1)/P(0)."""
    return math.log((class_weights[1] / scale + 1.0) / (class_weights[0] / scale + 1.0))


@compiled
def log_ratios(packed: Packed, X: Floats) -> Floats:
    """Return the log-ratios of the rows of ``X`` (m, n), shape (m, n); ``packed`` has the fields of ``Grid``."""
    grid = Grid(*packed)
    return _log_ratios(grid, resolved(X, grid.finest))


@inner
def learn_rows(
    packed: Packed,
    combination: Any,
    class_weights: Floats,
    batch: Packed,
    known: Packed,
    score: Callable[..., float],
    learn: Callable[..., int],
) -> tuple[float, int]:
    """Score rows and learn them in order; return the new prior and subset size.

    ``packed`` has the fields of ``Grid``, ``combination`` is what ``score`` and ``learn`` know. ``batch`` has the rows
    (m, n), whether each is interesting (m,), their weights (m,), of which 0 is scored only, and room for the scores
    (m,), which are 0 at first. ``known`` has prior, subset size, and ``scale`` and ``keep`` of ``Example``.
    """
    grid = Grid(*packed)
    X, interesting, weights, scores = batch
    prior, size, scale, keep = known
    for row in range(len(X)):
        x = resolved(X[row : row + 1], grid.finest)
        knows_both = class_weights[0] > 0.0 and class_weights[1] > 0.0
        ratios = _log_ratios(grid, x) if knows_both else np.zeros(x.shape)
        if knows_both:
            scores[row] = score(combination, ratios, size, prior)
        if weights[row] > 0.0:
            e = Example(interesting[row], weights[row] * scale, scale, keep, prior)
            size = learn(combination, ratios[0], x[0], class_weights, size, e)
            label = 1 if e.interesting else 0
            _add(grid, x[0], label, e.amount)
            class_weights[label] += e.amount
            smooth(grid, e.scale)
            prior = log_prior(class_weights, e.scale)
    return prior, size
