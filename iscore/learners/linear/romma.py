"""ROMMA, the relaxed online maximum margin algorithm: the shortest w within two half-spaces.

    score = ⟨x, w⟩;   at a mistake, w′ is the shortest vector with y·⟨w′, x⟩ ≥ 1 and ⟨w′, w⟩ ≥ ‖w‖²:

    w ← c·w + d·x,   c = (‖x‖²‖w‖² - y⟨w, x⟩) / (‖x‖²‖w‖² - ⟨w, x⟩²),   d = ‖w‖²(y - ⟨w, x⟩) / (the same)

The second half-space stands for all examples before. The first mistake gives w = y·x/‖x‖². A mistake is y·score ≤ 0;
the aggressive form takes y·score < 1 for one, and where y·⟨w, x⟩ ≥ ‖x‖²‖w‖² then, w ← y·x/‖x‖².

w is kept as s·z, so that c·w is one multiplication; sums over hypotheses are those of s, up to when z_j changed last.
‖w‖² follows from the two constraints, ‖w′‖² = c‖w‖² + d·y, since both are met exactly; where x all but contradicts w,
an error of it grows, so that a bound of the error is kept too, and ‖w‖² computed anew when that is large.

Source: Li, Long 2002, "The relaxed online maximum margin algorithm", Machine Learning 46, figures 1 and 2.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.linear.linear_model import LinearClassifier
from iscore.learners.linear.margins import add, sums, told
from iscore.learners.linear.rows import Coordinates, Data, Ends, Ints, Rows, entries

Floats = npt.NDArray[np.float64]

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

# What stands in the bias, after z of the bias itself: s, ‖w‖², its relative error, and S, the sum of s over the
# examples that were right.
SCALE, SQUARES, ERROR, SUM = 1, 2, 3, 4
# What averaging adds there.
TOTAL, LAST, RIGHT = 5, 6, 7


class Romma(LinearClassifier):
    """ROMMA for two classes.

    An example of weight below 1 goes that part of the way from w to w′; a weight above 1 counts as 1, since the
    example is right afterwards anyway.

    Parameters
    ----------
    aggressive
        Whether an example within the margin, y·score < 1, is learned too. False is the default, as in Carvalho,
        Cohen 2006.
    bias
        Whether a feature that is 1 in every example is added. The papers add none.
    n_features, grow
        See ``LinearClassifier``.
    """

    COLUMNS: ClassVar[int] = 1
    CAN_BE_AVERAGED: ClassVar[bool] = True

    def __init__(
        self,
        *,
        aggressive: bool = False,
        bias: bool = False,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.aggressive = aggressive
        self.bias = bias
        self.n_features = n_features
        self.grow = grow

    def _start(self) -> Floats:
        self._constant = 1.0 if self.bias else 0.0
        self._margin = 1.0 if self.aggressive else 0.0
        return np.array((0.0, 1.0, 0.0, 0.0, 0.0))

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        _scores(table, self._bias, *rows, scores)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(table, self._bias, *rows, signs, weights, scores, self._margin, self._constant)

    def _weights(self, numbers: Floats) -> Floats:
        if self._averaged and self._bias[RIGHT] > 0.0:
            weights = (numbers[:, 1] + (self._bias[SUM] - numbers[:, 2]) * numbers[:, 0]) / self._bias[RIGHT]
        else:
            weights = self._bias[SCALE] * numbers[:, 0]
        return np.asarray(weights, dtype=np.float64)

    def _bias_weight(self) -> float:
        kept = self._bias
        return float(self._weights(kept[np.newaxis, [0, TOTAL, LAST] if self._averaged else [0]])[0])


@compiled
def _margin(z: Floats, bias: Floats, coordinates: Coordinates, values: Data) -> tuple[float, float, float]:
    """Return ⟨x, w⟩, the score that is told, and ‖x‖² without the bias."""
    averaged = z.shape[1] > 1
    total = bias[TOTAL] + (bias[SUM] - bias[LAST]) * bias[0] if averaged else 0.0
    inner, total, squares = sums(z, coordinates, values, 1, bias[SUM], bias[0], total, 0.0)
    inner *= bias[SCALE]
    return inner, told(total / bias[RIGHT] if averaged and bias[RIGHT] > 0.0 else inner), squares


@compiled
def _scores(z: Floats, bias: Floats, indptr: Ends, indices: Ints, data: Data, shared: bool, scores: Floats) -> None:
    for row in range(len(scores)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        _, scores[row], _ = _margin(z, bias, coordinates, values)


@compiled
def _square_length(z: Floats, bias: Floats) -> float:
    """Return ‖w‖², by a sum so exact that it does not depend on the order of the rows."""
    total, rest = bias[0] * bias[0], 0.0
    for j in range(len(z)):
        square = z[j, 0] * z[j, 0]
        before = total
        total = before + square
        added = total - before
        rest += (before - (total - added)) + (square - added)
    return float((total + rest) * bias[SCALE] * bias[SCALE])


@compiled
def _factors(y: float, inner: float, squares: float, w_squares: float) -> tuple[float, float]:
    """Return c and d; d is 0 where nothing can be learned."""
    if w_squares == 0.0 or y * inner >= squares * w_squares:
        return 0.0, y / squares
    both = squares * w_squares
    rest = both - inner * inner
    if not rest > LEAST_ANGLE * both:
        return 1.0, 0.0
    return (both - y * inner) / rest, w_squares * (y - inner) / rest


@compiled
def _multiplied(z: Floats, bias: Floats, factor: float, shrink: float) -> None:
    """Multiply all z by a factor, after bringing all sums up to date; s and S begin again. Shrink z and the sums."""
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


@compiled
def _scaled(z: Floats, bias: Floats, scale: float, w_squares: float) -> float:
    """Let s be ``scale`` and ‖w‖² ``w_squares``, or more bearable numbers; return a step of z over one of w."""
    bias[SQUARES] = w_squares
    if w_squares > MOST_SQUARES:
        _multiplied(z, bias, scale, SHRINK)
        bias[SQUARES] *= SHRINK * SHRINK
        return SHRINK
    if LEAST_SCALE < scale < MOST_SCALE:
        bias[SCALE] = scale
    else:
        _multiplied(z, bias, scale, 1.0)
    return float(1.0 / bias[SCALE])


@compiled
def _learn(
    z: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    margin: float,
    constant: float,
) -> int:
    changed = 0
    averaged = z.shape[1] > 1
    for row in range(len(signs)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        inner, scores[row], squares = _margin(z, bias, coordinates, values)
        squares += constant
        y, weight = signs[row], weights[row]
        if y * inner >= margin and y * inner > 0.0:
            if averaged:
                bias[SUM] += weight * bias[SCALE]
                bias[RIGHT] += weight
            continue
        if not (weight > 0.0 and 0.0 < squares < np.inf and np.isfinite(inner)):
            continue
        part = min(1.0, weight)
        if bias[ERROR] > MOST_ERROR:
            bias[SQUARES], bias[ERROR] = _square_length(z, bias), 0.0
        before = bias[SQUARES]
        c, d = _factors(y, inner, squares, before)
        between = before if c != 0.0 else d * inner
        w_squares = part * part * (c * before + d * y)
        w_squares += (1.0 - part) * ((1.0 - part) * before + 2.0 * part * between)
        c, d = 1.0 + part * (c - 1.0), part * d
        if not (d != 0.0 and 0.0 < w_squares < np.inf):
            continue
        changed += 1
        scale = c * bias[SCALE] if before > 0.0 else 1.0
        bias[ERROR] = EPSILON + (bias[ERROR] + EPSILON) * c * c * before / w_squares
        step = d * _scaled(z, bias, scale, w_squares)
        add(z, coordinates, values, 1, bias[SUM], step)
        if averaged:
            bias[TOTAL] += (bias[SUM] - bias[LAST]) * bias[0]
            bias[LAST] = bias[SUM]
        bias[0] += step * constant
    return changed
