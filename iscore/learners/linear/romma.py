"""ROMMA, the relaxed online maximum margin algorithm: the shortest w within two half-spaces.

    score = ⟨x, w⟩;   at a mistake, w′ is the shortest vector with y·⟨w′, x⟩ ≥ 1 and ⟨w′, w⟩ ≥ ‖w‖²:

    w ← c·w + d·x,   c = (‖x‖²‖w‖² - y⟨w, x⟩) / (‖x‖²‖w‖² - ⟨w, x⟩²),   d = ‖w‖²(y - ⟨w, x⟩) / (the same)

The second half-space approximates all examples before. The first mistake gives w = y·x/‖x‖². A mistake is y·score ≤ 0;
the aggressive form takes y·score < 1 for one, and where y·⟨w, x⟩ ≥ ‖x‖²‖w‖² then, w ← y·x/‖x‖².

w is kept as s·z, so that c·w is one multiplication; sums over hypotheses are those of s, up to when z_j changed last.
‖w‖² follows from the two constraints, ‖w′‖² = c‖w‖² + d·y, since both are met exactly; where x all but contradicts w,
an error of it grows, so that a bound of the error is kept too, and ‖w‖² computed anew when that is large.

Source: Li, Long 2002, "The relaxed online maximum margin algorithm", Machine Learning 46, figures 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Batch, Model, Packed, add, finite_or_zero, sums
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.rows import Row, Rows, row_of
from iscore.learners.linear.update_rule import UpdateRule

LEAST_ANGLE = 1e-12
"""Least sin² of the angle between x and w: below, the two half-spaces all but exclude each other, as when a text comes
again with the other label, and the example is not learned."""

LEAST_SCALE, MOST_SCALE = 1e-50, 1e50
"""An s beyond is multiplied into z, and begins at 1 again."""

MOST_SQUARES, SHRINK = 2.0**600, 2.0**-300
"""Where classes overlap, ‖w‖ grows by a part of itself with each mistake. Long before it overflows, y is nothing beside
⟨w, x⟩ and only the direction matters: from the first number of ‖w‖² on, w is multiplied by the second."""

EPSILON = 2.0**-52

MOST_ERROR = 1e-11
"""Relative error of ‖w‖² from which on it is computed anew."""

# Numbers of the bias after its own z: s, ‖w‖², its relative error, and S, the sum of s over the examples that were
# right.
SCALE, SQUARES, ERROR, SUM = 1, 2, 3, 4
# What averaging adds.
TOTAL, LAST, RIGHT = 5, 6, 7


class Parameters(NamedTuple):
    """What the kernel needs."""

    margin: float
    """Least y·score of an example that is right."""
    constant: float


@inner
def _factors(y: float, inner: float, squares: float, w_squares: float) -> tuple[float, float]:
    """Return c and d; d is 0 where nothing can be learned."""
    if w_squares == 0.0 or y * inner >= squares * w_squares:
        return 0.0, y / squares
    both = squares * w_squares
    rest = both - inner * inner
    if not rest > LEAST_ANGLE * both:
        return 1.0, 0.0
    return (both - y * inner) / rest, w_squares * (y - inner) / rest


@inner
def _margin(model: Model, x: Row) -> tuple[float, float, float]:
    """Return ⟨x, w⟩, the score, and ‖x‖² without the bias."""
    z, bias = model
    averaged = z.shape[1] > 1
    total = bias[TOTAL] + (bias[SUM] - bias[LAST]) * bias[0] if averaged else 0.0
    inner, total, squares = sums(z, x, 1, bias[SUM], bias[0], total, 0.0)
    inner *= bias[SCALE]
    return inner, finite_or_zero(total / bias[RIGHT] if averaged and bias[RIGHT] > 0.0 else inner), squares


@compiled
def _score(packed: Packed, packed_rows: Packed, scores: Floats) -> None:
    model, rows = Model(*packed), Rows(*packed_rows)
    for i in range(len(scores)):
        _, scores[i], _ = _margin(model, row_of(rows, i))


@inner
def _square_length(model: Model) -> float:
    """Return ‖w‖², by a sum so exact that it does not depend on the order of the rows."""
    z, bias = model
    total, rest = bias[0] * bias[0], 0.0
    for j in range(len(z)):
        square = z[j, 0] * z[j, 0]
        before = total
        total = before + square
        added = total - before
        rest += (before - (total - added)) + (square - added)
    return float((total + rest) * bias[SCALE] * bias[SCALE])


@inner
def _multiplied(model: Model, factor: float, shrink: float) -> None:
    """Multiply all z by a factor, after bringing all sums up to date; s and S begin again. Shrink z and the sums."""
    z, bias = model
    averaged = z.shape[1] > 1
    for j in range(len(z)):
        if averaged:
            z[j, 1] = (z[j, 1] + (bias[SUM] - z[j, 2]) * z[j, 0]) * shrink
            z[j, 2] = 0.0
        z[j, 0] *= factor * shrink
    if averaged:
        bias[TOTAL] = (bias[TOTAL] + (bias[SUM] - bias[LAST]) * bias[0]) * shrink
        bias[LAST] = 0.0
    bias[0] *= factor * shrink
    bias[SCALE], bias[SUM] = 1.0, 0.0


@inner
def _scaled(model: Model, scale: float, w_squares: float) -> float:
    """Let s be ``scale`` and ‖w‖² ``w_squares``, or numbers that do not overflow; return a step of z over one of w."""
    bias = model.bias
    bias[SQUARES] = w_squares
    if w_squares > MOST_SQUARES:
        _multiplied(model, scale, SHRINK)
        bias[SQUARES] *= SHRINK * SHRINK
        return SHRINK
    if LEAST_SCALE < scale < MOST_SCALE:
        bias[SCALE] = scale
    else:
        _multiplied(model, scale, 1.0)
    return float(1.0 / bias[SCALE])


@compiled
def _learn(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    p = Parameters(*parameters)
    z, bias = model
    averaged = z.shape[1] > 1
    for i in range(len(labels)):
        x, y, weight = row_of(rows, i), labels[i], weights[i]
        inner, scores[i], squares = _margin(model, x)
        squares += p.constant
        if y * inner >= p.margin and y * inner > 0.0:
            if averaged:
                bias[SUM] += weight * bias[SCALE]
                bias[RIGHT] += weight
            continue
        if not (weight > 0.0 and 0.0 < squares < np.inf and np.isfinite(inner)):
            continue
        part = min(1.0, weight)
        if bias[ERROR] > MOST_ERROR:
            bias[SQUARES], bias[ERROR] = _square_length(model), 0.0
        before = bias[SQUARES]
        c, d = _factors(y, inner, squares, before)
        between = before if c != 0.0 else d * inner
        w_squares = part * part * (c * before + d * y)
        w_squares += (1.0 - part) * ((1.0 - part) * before + 2.0 * part * between)
        c, d = 1.0 + part * (c - 1.0), part * d
        if not (d != 0.0 and 0.0 < w_squares < np.inf):
            continue
        scale = c * bias[SCALE] if before > 0.0 else 1.0
        bias[ERROR] = EPSILON + (bias[ERROR] + EPSILON) * c * c * before / w_squares
        step = d * _scaled(model, scale, w_squares)
        add(z, x, 1, bias[SUM], step)
        if averaged:
            bias[TOTAL] += (bias[SUM] - bias[LAST]) * bias[0]
            bias[LAST] = bias[SUM]
        bias[0] += step * p.constant


class _RommaRule(UpdateRule):
    """w is s·z here."""

    def score(self, model: Packed, rows: Rows, scores: Floats) -> None:
        _score(model, tuple(rows), scores)

    def weights(self, model: Packed, numbers: Floats) -> Floats:
        table, bias = model
        if table.shape[1] > 1 and bias[RIGHT] > 0.0:
            weights = (numbers[:, 1] + (bias[SUM] - numbers[:, 2]) * numbers[:, 0]) / bias[RIGHT]
        else:
            weights = bias[SCALE] * numbers[:, 0]
        return np.asarray(weights, dtype=np.float64)

    def bias(self, model: Packed) -> float:
        table, bias = model
        numbers = bias[np.newaxis, [0, TOTAL, LAST] if table.shape[1] > 1 else [0]]
        return float(self.weights(model, numbers)[0])


@dataclass(kw_only=True, eq=False, repr=False)
class Romma(LinearClassifier):
    """ROMMA, for two classes.

    An example of weight below 1 goes that part of the way from w to w′; a weight above 1 counts as 1, since the
    example is right afterwards anyway.

    Examples
    --------
    >>> learner = Romma()
    >>> learner.learn_one([2.0, 0.0], True)
    0.0
    >>> learner.learn_one([0.0, 1.0], False)
    0.0
    >>> learner.score_one([2.0, 1.0])
    0.0
    """

    aggressive: bool = False
    """Whether an example within the margin, y·score < 1, is learned too. Carvalho, Cohen 2006 do not."""
    bias: bool = False
    """Whether a feature that is 1 in every example is added. The papers add none."""

    def _update_rule(self) -> UpdateRule:
        return _RommaRule(
            _learn,
            (1.0 if self.aggressive else 0.0, 1.0 if self.bias else 0.0),
            start=np.array((0.0, 1.0, 0.0, 0.0, 0.0)),
        )
