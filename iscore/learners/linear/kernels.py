"""What the kernels of linear learners share: the score of an example, and the step that moves the weights.

A row of the table holds a weight w first, then what else the rule keeps, ``columns`` numbers in all. So does the bias,
a coordinate whose value is ``constant`` in every example. A learner that is averaged (``Voted``) has two more numbers
in each row, and in the bias: ``total``, the sum of w over the examples that were right, up to ``last``, their count
when w last changed. The count itself, C, is the last number of the bias. So the mean weight,
(total + (C - last)·w) / C, costs nothing until the weight changes.

Sums run in the order of the coordinates, over finite values (``row_of``); a value of 0 changes none of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.rows import Row, Rows, row_of

Packed = tuple[Any, ...]
"""The fields of a named tuple, as they come from Python (see ``update_rule``)."""


FIRST: Any = np.uint32(0)
"""The coordinate of the bias as a matrix of one row. Of another type, all that takes it would be compiled twice."""


class Model(NamedTuple):
    """What is learned. Kernels change both arrays."""

    table: Floats
    """The numbers of each coordinate, a row each."""
    bias: Floats
    """The same of the bias, then numbers of the model as a whole, then what averaging adds."""


class Batch(NamedTuple):
    """The labels and weights of m rows, and room for their scores."""

    y: npt.NDArray[Any]
    """1 or -1, floats, shape (m,). Of more than two classes their numbers, integers."""
    weights: Floats
    """Shape (m,): finite and not negative."""
    scores: Floats
    """Shape (m,), or (m, K)."""


class Constant(NamedTuple):
    """The parameters of a rule that has no others."""

    constant: float
    """1 with a bias, 0 without."""


@inner
def finite_or_zero(score: float) -> float:
    """Return the score, or 0 if it cannot be computed."""
    return score if np.isfinite(score) else 0.0


@inner
def sums(
    table: Floats, x: Row, columns: int, now: float, inner: float, total: float, squares: float
) -> tuple[float, float, float]:
    """Return ``inner`` + Σ x·w, ``total`` + Σ x·(the sum of w up to ``now``) if averaged, ``squares`` + Σ x²."""
    indices, values = x
    if table.shape[1] == columns:
        for i in range(len(values)):
            value = np.float64(values[i])
            inner += value * table[indices[i], 0]
            squares += value * value
        return inner, total, squares
    for i in range(len(values)):
        value, j = np.float64(values[i]), indices[i]
        w = table[j, 0]
        inner += value * w
        squares += value * value
        total += value * (table[j, columns] + (now - table[j, columns + 1]) * w)
    return inner, total, squares


@inner
def margin(model: Model, x: Row, columns: int, constant: float) -> tuple[float, float, float]:
    """Return ⟨x, w⟩ + b, the score, which is by the mean weights if there are any, and ``constant`` + ‖x‖²."""
    table, bias = model
    right, total = 0.0, 0.0
    if table.shape[1] > columns:
        right = bias[-1]
        total = bias[columns] + (right - bias[columns + 1]) * bias[0]
    inner, total, squares = sums(table, x, columns, right, bias[0], total, constant)
    return inner, finite_or_zero(total / right if right > 0.0 else inner), squares


@compiled
def score(packed: Packed, packed_rows: Packed, scores: Floats, columns: int) -> None:
    """Put the score of each row into ``scores``."""
    model, rows = Model(*packed), Rows(*packed_rows)
    for i in range(len(scores)):
        _, scores[i], _ = margin(model, row_of(rows, i), columns, 0.0)


@inner
def count_right(model: Model, columns: int, weight: float) -> None:
    """Count an example of that weight, which changes nothing, for the mean."""
    if model.table.shape[1] > columns:
        model.bias[-1] += weight


@inner
def settle(table: Floats, j: int, columns: int, now: float, w: float) -> None:
    """Bring the sum of a weight, which is still w, up to ``now``, if averaged. Call it before every change."""
    if table.shape[1] > columns:
        table[j, columns] += (now - table[j, columns + 1]) * w
        table[j, columns + 1] = now


@inner
def add(table: Floats, x: Row, columns: int, now: float, step: float) -> None:
    """Add ``step``·x to the weights."""
    for i in range(len(x.values)):
        value = np.float64(x.values[i])
        if value != 0.0:
            j = x.indices[i]
            settle(table, j, columns, now, table[j, 0])
            table[j, 0] += step * value


@inner
def move(model: Model, x: Row, constant: float, step: float) -> None:
    """Add ``step``·x to the weights, and to the bias, of a rule that keeps nothing else."""
    table, bias = model
    now = bias[-1]
    add(table, x, 1, now, step)
    if constant != 0.0:
        settle(bias.reshape(1, -1), FIRST, 1, now, bias[0])
        bias[0] += step * constant
