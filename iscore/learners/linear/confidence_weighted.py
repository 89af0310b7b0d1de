"""Confidence-weighted learning: a Gaussian over the weights, moved as little as makes the example probably right.

    w ~ N(μ, Σ), Σ diagonal;   m = y·⟨x, μ⟩,   v = xᵀΣx,   φ = Φ⁻¹(η);   the constraint is P(y·⟨x, w⟩ ≥ 0) ≥ η

    stdev     m ≥ φ·√v:   ψ = 1 + φ²/2,  ξ = 1 + φ²,
              α = max(0, (-mψ + √(m²φ⁴/4 + vφ²ξ)) / (vξ)),   √u = (-αvφ + √(α²v²φ² + 4v)) / 2,
              μ += α·y·Σx,   Σ⁻¹ += (αφ/√u)·diag(x²)

    variance  m ≥ φ·v:    α = max(0, (-(1 + 2φm) + √((1 + 2φm)² - 8φ(m - φv))) / (4φv)),
              μ += α·y·Σx,   Σ⁻¹ += 2αφ·diag(x²)

Of K classes only the best wrong one counts (top-1): with x in the place of the right class and -x in that of the wrong,
m = ⟨x, μ_y⟩ - ⟨x, μ_r⟩, v = xᵀΣ_y·x + xᵀΣ_r·x, and both classes are updated.

The closed forms solve the problem for a full Σ, of whose inverse the diagonal is kept. In the code they are rewritten
so that nothing cancels: where b > 0, (-b + √D) is (D - b²)/(b + √D); and (1 + 2φm)² - 8φm is (1 - 2φm)².

Sources: Dredze, Crammer, Pereira 2008, for the variance; Crammer, Dredze, Pereira 2008, equation 10, for the standard
deviation; Crammer, Dredze, Kulesza 2009, "Multi-class confidence weighted algorithms", for top-1.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from extractors.numba_kernel import compiled
from iscore.learners.linear.margins import margin, scores_of, settle, was_right
from iscore.learners.linear.multiclass import Labels, ManyClasses, best_wrong, judge, settle_class
from iscore.learners.linear.rows import Coordinates, Data, Ends, Ints, Rows, entries

Floats = npt.NDArray[np.float64]
Variant = Literal["stdev", "variance"]

MOST_GAIN = 10_000.0
"""No variance falls below a / (1 + MOST_GAIN). Where the classes overlap, examples that contradict each other drive
Σ⁻¹ up by orders of magnitude each, beyond 1e200 within 200 examples of two features, and nothing is learned any more;
words never come near the bound."""


class ConfidenceWeighted(ManyClasses):
    """Confidence-weighted learning, for two classes or more.

    An example of weight below 1 takes that part of the step α; a weight above 1 counts as 1, since the constraint is
    met anyway.

    Parameters
    ----------
    variant
        "stdev", the default, or "variance": how confidence enters the constraint.
    eta
        η, the probability with which an example shall be right afterwards, in (½, 1). The nearer to 1, the better
        labels that are sometimes wrong are borne, and the worse those that are always right are used.
    a
        The variance that every weight starts from, positive.
    bias
        Whether a feature that is 1 in every example is added. The papers add none.
    n_features, grow
        See ``LinearClassifier``.
    """

    # μ and what Σ⁻¹ has gained since the start, 1/a.
    COLUMNS: ClassVar[int] = 2
    CAN_BE_AVERAGED: ClassVar[bool] = True

    def __init__(
        self,
        *,
        variant: Variant = "stdev",
        eta: float = 0.8,
        a: float = 1.0,
        bias: bool = False,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.variant = variant
        self.eta = eta
        self.a = a
        self.bias = bias
        self.n_features = n_features
        self.grow = grow

    def _start(self) -> Floats:
        if self.variant not in get_args(Variant):
            raise ValueError(f"variant must be one of {get_args(Variant)}, not {self.variant!r}")
        if not 0.5 < self.eta < 1.0:
            raise ValueError(f"eta must be between 0.5 and 1, not {self.eta}")
        if not 0.0 < self.a < math.inf:
            raise ValueError(f"a must be positive and finite, not {self.a}")
        phi = float(ndtri(self.eta))
        self._constants = self.variant == "stdev", phi, 1.0 / float(self.a), 1.0 if self.bias else 0.0
        return np.zeros(2)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(table, self._bias, *rows, signs, weights, scores, *self._constants)

    def _learn_divided(self, table: Floats, parts: Rows, signs: Floats, weights: Floats, scores: Floats) -> None:
        _learn_divided(table, self._bias, *parts, signs, weights, scores, *self._constants)

    def _learn_classes(self, table: Floats, rows: Rows, labels: Labels, weights: Floats, scores: Floats) -> int:
        return _learn_classes(table, self._bias, *rows, labels, weights, scores, *self._constants)


@compiled
def _by_stdev(m: float, v: float, phi: float, part: float) -> tuple[float, float]:
    """Return that part of α, and what Σ⁻¹ gains per x²; v is positive."""
    if m >= phi * math.sqrt(v):
        return 0.0, 0.0
    psi, xi = 1.0 + phi * phi / 2.0, 1.0 + phi * phi
    root = math.sqrt(m * m * phi**4 / 4.0 + v * phi * phi * xi)
    above = (v * phi * phi - m * m) / (root + m * psi) if m > 0.0 else (root - m * psi) / xi
    alpha = part * above / v
    step = alpha * v * phi
    root_u = 2.0 * v / (step + math.sqrt(step * step + 4.0 * v))
    return alpha, alpha * phi / root_u


@compiled
def _by_variance(m: float, v: float, phi: float, part: float) -> tuple[float, float]:
    """Return that part of α, and what Σ⁻¹ gains per x²; v is positive."""
    if m >= phi * v:
        return 0.0, 0.0
    b = 1.0 + 2.0 * phi * m
    root = math.sqrt((1.0 - 2.0 * phi * m) ** 2 + 8.0 * phi * phi * v)
    above = 2.0 * (phi * v - m) / (root + b) if b > 0.0 else (root - b) / (4.0 * phi)
    alpha = part * above / v
    return alpha, 2.0 * alpha * phi


@compiled
def _variance(
    table: Floats, bias: Floats, coordinates: Coordinates, values: Data, column: int, start: float, constant: float
) -> float:
    """Return xᵀΣx, of gains that stand in that column."""
    v = constant / (start + bias[column])
    for i in range(len(values)):
        x = np.float64(values[i])
        v += x * x / (start + table[coordinates[i], column])
    return float(v)


@compiled
def _move(numbers: Floats, j: int, mean: int, gains: int, step: float, gain: float, start: float) -> None:
    """Move μ and Σ⁻¹ of one coordinate, which stand in those columns: by ``step``·Σ, and by ``gain``."""
    numbers[j, mean] += step / (start + numbers[j, gains])
    numbers[j, gains] = min(numbers[j, gains] + gain, MOST_GAIN * start)


@compiled
def _learn(
    table: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    by_stdev: bool,
    phi: float,
    start: float,
    constant: float,
) -> int:
    changed = 0
    whole = bias.reshape(1, -1)
    for row in range(len(signs)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        score, scores[row], _ = margin(table, bias, coordinates, values, 2, constant)
        v = _variance(table, bias, coordinates, values, 1, start, constant)
        y = signs[row]
        m, part = y * score, min(1.0, weights[row])
        if not (part > 0.0 and 0.0 < v < np.inf and np.isfinite(m)):
            continue
        alpha, gain = _by_stdev(m, v, phi, part) if by_stdev else _by_variance(m, v, phi, part)
        if alpha == 0.0:
            was_right(table, bias, 2, weights[row])
        if not (0.0 < alpha < np.inf and gain < np.inf):
            continue
        changed += 1
        now = bias[-1]
        for i in range(len(values)):
            x, j = np.float64(values[i]), coordinates[i]
            if x != 0.0:
                settle(table, j, 2, now, table[j, 0])
                _move(table, j, 0, 1, alpha * y * x, gain * x * x, start)
        if constant != 0.0:
            settle(whole, 0, 2, now, bias[0])
            _move(whole, 0, 0, 1, alpha * y * constant, gain * constant * constant, start)
    return changed


@compiled
def _learn_divided(
    table: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    by_stdev: bool,
    phi: float,
    start: float,
    constant: float,
) -> None:
    parts = scores.shape[1] - 1
    whole, ends = np.empty(1), np.empty(2, dtype=np.int64)
    for row in range(len(signs)):
        first = row * parts
        scores_of(table, bias, indptr[first : first + parts + 1], indices, data, shared, scores[row, :parts], 2)
        ends[0] = ends[1] = indptr[first]
        scores_of(table, bias, ends, indices, data, shared, scores[row, parts:], 2)
        ends[1] = indptr[first + parts]
        sign, weight = signs[row : row + 1], weights[row : row + 1]
        _learn(table, bias, ends, indices, data, shared, sign, weight, whole, by_stdev, phi, start, constant)


@compiled
def _learn_classes(
    table: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    labels: Labels,
    weights: Floats,
    scores: Floats,
    by_stdev: bool,
    phi: float,
    start: float,
    constant: float,
) -> int:
    changed = 0
    k = scores.shape[1]
    newest = np.empty(k)
    whole = bias.reshape(1, -1)
    for row in range(len(labels)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        judge(table, bias, coordinates, values, 2, newest, scores[row])
        y = labels[row]
        wrong = best_wrong(newest, y)
        m, part = newest[y] - newest[wrong], min(1.0, weights[row])
        v = _variance(table, bias, coordinates, values, k + y, start, constant)
        v += _variance(table, bias, coordinates, values, k + wrong, start, constant)
        if not (part > 0.0 and 0.0 < v < np.inf and np.isfinite(m)):
            continue
        alpha, gain = _by_stdev(m, v, phi, part) if by_stdev else _by_variance(m, v, phi, part)
        if alpha == 0.0:
            was_right(table, bias, 2 * k, weights[row])
        if not (0.0 < alpha < np.inf and gain < np.inf):
            continue
        changed += 1
        now = bias[-1]
        for r, sign in ((y, 1.0), (wrong, -1.0)):
            for i in range(len(values)):
                x, j = np.float64(values[i]), coordinates[i]
                if x != 0.0:
                    settle_class(table, j, 2, k, r, now)
                    _move(table, j, r, k + r, sign * alpha * x, gain * x * x, start)
            if constant != 0.0:
                settle_class(whole, 0, 2, k, r, now)
                _move(whole, 0, r, k + r, sign * alpha * constant, gain * constant * constant, start)
    return changed
