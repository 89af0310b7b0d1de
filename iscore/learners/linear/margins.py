"""An example's margin under a linear model, the step that moves it, and the mean of all models that there have been.

A row of the table holds a weight w first, then what else its learner keeps, ``columns`` numbers in all; so does the
bias, whose coordinate has the value ``constant`` in every example. An averaged learner (``Voted``) has two more numbers
in each row, and in the bias: ``total``, the sum of w over the examples that were right, up to ``last``, the count of
them when w last changed. The count itself, C, is the last number of the bias. So the mean weight,
(total + (C - last)·w) / C, costs nothing until the weight changes.

Sums run in the order of the coordinates, over finite values (``rows.entries``); a value of 0 changes none of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.linear.rows import Coordinates, Data, Ends, Ints, entries

Floats = npt.NDArray[np.float64]


@compiled
def told(score: float) -> float:
    """Return a score as it is told: 0 when it cannot be computed."""
    return score if np.isfinite(score) else 0.0


@compiled
def sums(
    table: Floats,
    coordinates: Coordinates,
    values: Data,
    columns: int,
    now: float,
    inner: float,
    total: float,
    squares: float,
) -> tuple[float, float, float]:
    """Return ``inner`` + Σ x·w, ``total`` + Σ x·(the sum of w up to ``now``) if sums are kept, ``squares`` + Σ x²."""
    if table.shape[1] == columns:
        for i in range(len(values)):
            x = np.float64(values[i])
            inner += x * table[coordinates[i], 0]
            squares += x * x
        return inner, total, squares
    for i in range(len(values)):
        x, j = np.float64(values[i]), coordinates[i]
        w = table[j, 0]
        inner += x * w
        squares += x * x
        total += x * (table[j, columns] + (now - table[j, columns + 1]) * w)
    return inner, total, squares


@compiled
def margin(
    table: Floats, bias: Floats, coordinates: Coordinates, values: Data, columns: int, constant: float
) -> tuple[float, float, float]:
    """Return ⟨x, w⟩ + b, the score to tell, which is by the mean weights if there are any, and ``constant`` + ‖x‖²."""
    right, total = 0.0, 0.0
    if table.shape[1] > columns:
        right = bias[-1]
        total = bias[columns] + (right - bias[columns + 1]) * bias[0]
    score, total, squares = sums(table, coordinates, values, columns, right, bias[0], total, constant)
    return score, told(total / right if right > 0.0 else score), squares


@compiled
def scores_of(
    table: Floats, bias: Floats, indptr: Ends, indices: Ints, data: Data, shared: bool, scores: Floats, columns: int
) -> None:
    """Put the score of each row into ``scores``."""
    for row in range(len(scores)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        _, scores[row], _ = margin(table, bias, coordinates, values, columns, 0.0)


@compiled
def was_right(table: Floats, bias: Floats, columns: int, weight: float) -> None:
    """Count an example of that weight, which changes nothing, for the mean."""
    if table.shape[1] > columns:
        bias[-1] += weight


@compiled
def settle(table: Floats, j: int, columns: int, now: float, w: float) -> None:
    """Bring the sum of a weight, which is w still, up to ``now``, if sums are kept. Before every change."""
    if table.shape[1] > columns:
        table[j, columns] += (now - table[j, columns + 1]) * w
        table[j, columns + 1] = now


@compiled
def add(table: Floats, coordinates: Coordinates, values: Data, columns: int, now: float, step: float) -> None:
    """Add ``step``·x to the weights."""
    for i in range(len(values)):
        x = np.float64(values[i])
        if x != 0.0:
            j = coordinates[i]
            settle(table, j, columns, now, table[j, 0])
            table[j, 0] += step * x


@compiled
def move(
    table: Floats,
    bias: Floats,
    coordinates: Coordinates,
    values: Data,
    columns: int,
    constant: float,
    step: float,
) -> None:
    """Add ``step``·x to the weights, and to the bias."""
    now = bias[-1]
    add(table, coordinates, values, columns, now, step)
    if constant != 0.0:
        settle(bias.reshape(1, -1), 0, columns, now, bias[0])
        bias[0] += step * constant
