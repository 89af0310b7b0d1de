"""What the kernels of linear learners share: the score of an example, the step that moves the weights, and a loop.

A row of the table holds a weight w first, then what else the rule keeps, ``columns`` numbers in all. So does the bias,
a coordinate whose value is ``constant`` in every example. A learner that is averaged (``Voted``) has two more numbers
in each row, and in the bias: ``total``, the sum of w over the examples that were right, up to ``last``, their count
when w last changed. The count itself, C, is the last number of the bias. So the mean weight,
(total + (C - last)·w) / C, costs nothing until the weight changes.

Of K > 2 classes the table has K numbers for each of ``columns``: number c·K + r of a coordinate is of column c and
class r. The bias likewise. When the learner is averaged, K times ``total`` and K times ``last`` follow, and at the end
of the bias the count C. Two classes have one weight vector, and kernels of their own.

Sums run in the order of the coordinates, over finite values (``row_of``); a value of 0 changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.rows import Data, Row, Rows, row_of

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


@inner
def learn_rows(packed: Packed, packed_rows: Packed, packed_batch: Packed, p: Any, step: Callable[..., float]) -> None:
    """Learn rows in order by a rule that adds τ·y·x to the weights, and keeps nothing else.

    ``p`` has the parameters of the rule, ``constant`` among them. ``step(y, score, squares, weight, p)`` returns τ: 0
    for an example that is right, NaN for one that cannot be learned.
    """
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    for i in range(len(labels)):
        x, y, weight = row_of(rows, i), labels[i], weights[i]
        score, scores[i], squares = margin(model, x, 1, p.constant)
        tau = step(y, score, squares, weight, p)
        if tau == 0.0:
            count_right(model, 1, weight)
        elif np.isfinite(tau):
            move(model, x, p.constant, tau * y)


# More than two classes


@inner
def class_scores(model: Model, x: Row, columns: int, newest: Floats, scores: Floats) -> None:
    """Put one row's scores for each class into ``newest``, and into ``scores`` those of the mean weights, if averaged.

    Both of shape (K,). If some cannot be computed, they are not finite in ``newest``, and all 0 in ``scores``.
    """
    table, bias = model
    indices, values = x
    k_classes = len(newest)
    total = columns * k_classes
    last = total + k_classes
    right = bias[-1] if table.shape[1] > total else 0.0
    for r in range(k_classes):
        newest[r] = bias[r]
        scores[r] = bias[total + r] + (right - bias[last + r]) * bias[r] if right > 0.0 else 0.0
    for i in range(len(values)):
        value, j = np.float64(values[i]), indices[i]
        for r in range(k_classes):
            newest[r] += value * table[j, r]
        if right > 0.0:
            for r in range(k_classes):
                scores[r] += value * (table[j, total + r] + (right - table[j, last + r]) * table[j, r])
    finite = True
    for r in range(k_classes):
        scores[r] = scores[r] / right if right > 0.0 else newest[r]
        finite = finite and np.isfinite(scores[r])
    if not finite:
        scores[:] = 0.0


@compiled
def score_classes(packed: Packed, packed_rows: Packed, scores: Floats, columns: int) -> None:
    """Put the scores of each row for each class into ``scores`` (m, K)."""
    model, rows = Model(*packed), Rows(*packed_rows)
    newest = np.empty(scores.shape[1])
    for i in range(len(scores)):
        class_scores(model, row_of(rows, i), columns, newest, scores[i])


@inner
def settle_class(table: Floats, j: int, columns: int, k_classes: int, r: int, now: float) -> None:
    """Bring the sum of one coordinate's weight for class r up to ``now``, if averaged. Call it before every change."""
    total, last = columns * k_classes + r, (columns + 1) * k_classes + r
    if table.shape[1] > columns * k_classes:
        table[j, total] += (now - table[j, last]) * table[j, r]
        table[j, last] = now


@inner
def move_class(model: Model, x: Row, k_classes: int, r: int, constant: float, step: float) -> None:
    """Add ``step``·x to the weights of class r, and to its bias, of a rule that keeps nothing else."""
    table, bias = model
    now = bias[-1]
    for i in range(len(x.values)):
        value = np.float64(x.values[i])
        if value != 0.0:
            settle_class(table, x.indices[i], 1, k_classes, r, now)
            table[x.indices[i], r] += step * value
    settle_class(bias.reshape(1, -1), 0, 1, k_classes, r, now)
    bias[r] += step * constant


@inner
def square_length(values: Data, constant: float) -> float:
    """Return ``constant`` + ‖x‖²."""
    squares = constant
    for i in range(len(values)):
        value = np.float64(values[i])
        squares += value * value
    return squares


@inner
def best_wrong(scores: Floats, label: int) -> int:
    """Return the class with the highest score but for ``label``, the first of equals."""
    best = 0 if label > 0 else 1
    for r in range(len(scores)):
        if r != label and scores[r] > scores[best]:
            best = r
    return best


@inner
def learn_class_rows(
    packed: Packed, packed_rows: Packed, packed_batch: Packed, p: Any, steps: Callable[..., float]
) -> None:
    """Learn rows in order by a rule that adds τ_r·x to the weights of each class r, and keeps nothing else.

    ``steps(scores, label, squares, weight, p, tau)`` puts all τ_r into ``tau`` (K,), and returns 0 for an example that
    is right, NaN for one that cannot be learned, else any number.
    """
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    k = scores.shape[1]
    newest, tau = np.empty(k), np.empty(k)
    for i in range(len(labels)):
        x, weight = row_of(rows, i), weights[i]
        class_scores(model, x, 1, newest, scores[i])
        learned = steps(newest, labels[i], square_length(x.values, p.constant), weight, p, tau)
        if learned == 0.0:
            count_right(model, k, weight)
        elif np.isfinite(learned):
            for r in range(k):
                if tau[r] != 0.0:
                    move_class(model, x, k, r, p.constant, tau[r])
