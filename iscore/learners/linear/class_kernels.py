"""What the kernels for more than two classes share: scores for each class, and the step of one class' weights.

Of K classes the table has K numbers for each of ``columns``: number c·K + r of a coordinate is of column c and class
r. The bias likewise. When the learner is averaged, K times ``total`` and K times ``last`` follow, and at the end of the
bias the count C (see ``kernels``). Two classes have one weight vector, and kernels of their own.
"""

from __future__ import annotations

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Model, Packed
from iscore.learners.linear.rows import Data, Row, Rows, row_of


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
def score(packed: Packed, packed_rows: Packed, scores: Floats, columns: int) -> None:
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
