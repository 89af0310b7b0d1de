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
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, NamedTuple, get_args

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import (
    FIRST,
    Batch,
    Model,
    Packed,
    best_wrong,
    class_scores,
    count_right,
    margin,
    settle,
    settle_class,
)
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.rows import Row, Rows, row_of
from iscore.learners.linear.update_rule import UpdateRule

Variant = Literal["stdev", "variance"]

MOST_GAIN = 10_000.0
"""No variance falls below a / (1 + MOST_GAIN). Where the classes overlap, examples that contradict each other drive
Σ⁻¹ up by orders of magnitude each, beyond 1e200 within 200 examples of two features, and nothing is learned any more;
words never come near the bound."""


ETA = 0.8
"""The default of η."""
_QUANTILE_OF_ETA = 0.8416212335729143
"""Φ⁻¹(η), a constant for the default: SciPy takes 0.3 s to load."""


class Parameters(NamedTuple):
    """What the kernels need."""

    by_stdev: bool
    phi: float
    start: float
    """1/a: what Σ⁻¹ starts from."""
    constant: float


@inner
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


@inner
def _by_variance(m: float, v: float, phi: float, part: float) -> tuple[float, float]:
    """Return that part of α, and what Σ⁻¹ gains per x²; v is positive."""
    if m >= phi * v:
        return 0.0, 0.0
    b = 1.0 + 2.0 * phi * m
    root = math.sqrt((1.0 - 2.0 * phi * m) ** 2 + 8.0 * phi * phi * v)
    above = 2.0 * (phi * v - m) / (root + b) if b > 0.0 else (root - b) / (4.0 * phi)
    alpha = part * above / v
    return alpha, 2.0 * alpha * phi


@inner
def _step(m: float, v: float, weight: float, p: Parameters) -> tuple[float, float]:
    """Return α, or part of it for a weight below 1, and what Σ⁻¹ gains per x²; α is -1 if nothing is learned."""
    part = min(1.0, weight)
    if not (part > 0.0 and 0.0 < v < np.inf and np.isfinite(m)):
        return -1.0, 0.0
    alpha, gain = _by_stdev(m, v, p.phi, part) if p.by_stdev else _by_variance(m, v, p.phi, part)
    return (alpha, gain) if alpha < np.inf and gain < np.inf else (-1.0, 0.0)


@inner
def _variance(model: Model, x: Row, column: int, p: Parameters) -> float:
    """Return xᵀΣx, of the gains in that column."""
    v = p.constant / (p.start + model.bias[column])
    for i in range(len(x.values)):
        value = np.float64(x.values[i])
        v += value * value / (p.start + model.table[x.indices[i], column])
    return float(v)


@inner
def _move(numbers: Floats, j: int, mean: int, gains: int, step: float, gain: float, start: float) -> None:
    """Move μ and Σ⁻¹ of one coordinate, which are in those columns: by ``step``·Σ, and by ``gain``."""
    numbers[j, mean] += step / (start + numbers[j, gains])
    numbers[j, gains] = min(numbers[j, gains] + gain, MOST_GAIN * start)


@compiled
def _learn(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    p = Parameters(*parameters)
    table, bias = model
    whole = bias.reshape(1, -1)
    for i in range(len(labels)):
        x, y = row_of(rows, i), labels[i]
        score, scores[i], _ = margin(model, x, 2, p.constant)
        alpha, gain = _step(y * score, _variance(model, x, 1, p), weights[i], p)
        if alpha == 0.0:
            count_right(model, 2, weights[i])
        if not alpha > 0.0:
            continue
        now = bias[-1]
        for k in range(len(x.values)):
            value, j = np.float64(x.values[k]), x.indices[k]
            if value != 0.0:
                settle(table, j, 2, now, table[j, 0])
                _move(table, j, 0, 1, alpha * y * value, gain * value * value, p.start)
        if p.constant != 0.0:
            settle(whole, FIRST, 2, now, bias[0])
            _move(whole, FIRST, 0, 1, alpha * y * p.constant, gain * p.constant * p.constant, p.start)


@compiled
def _learn_classes(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    p = Parameters(*parameters)
    table, bias = model
    k = scores.shape[1]
    newest = np.empty(k)
    whole = bias.reshape(1, -1)
    for i in range(len(labels)):
        x, y = row_of(rows, i), labels[i]
        class_scores(model, x, 2, newest, scores[i])
        wrong = best_wrong(newest, y)
        v = _variance(model, x, k + y, p)
        v += _variance(model, x, k + wrong, p)
        alpha, gain = _step(newest[y] - newest[wrong], v, weights[i], p)
        if alpha == 0.0:
            count_right(model, 2 * k, weights[i])
        if not alpha > 0.0:
            continue
        now = bias[-1]
        for r, sign in ((y, 1.0), (wrong, -1.0)):
            for n in range(len(x.values)):
                value, j = np.float64(x.values[n]), x.indices[n]
                if value != 0.0:
                    settle_class(table, j, 2, k, r, now)
                    _move(table, j, r, k + r, sign * alpha * value, gain * value * value, p.start)
            if p.constant != 0.0:
                settle_class(whole, 0, 2, k, r, now)
                _move(whole, 0, r, k + r, sign * alpha * p.constant, gain * p.constant * p.constant, p.start)


@dataclass(kw_only=True, eq=False, repr=False)
class ConfidenceWeighted(LinearClassifier):
    """Confidence-weighted learning, for two classes or more.

    An example of weight below 1 takes that part of the step α; a weight above 1 counts as 1, since the constraint is
    met anyway.

    Examples
    --------
    >>> learner = ConfidenceWeighted()
    >>> learner.learn_many([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [True, False, True]).round(2).tolist()
    [0.0, 0.0, 0.46]
    >>> learner.score_one([1.0, 0.0]) > 0.0 > learner.score_one([0.0, 1.0])
    True
    """

    variant: Variant = "stdev"
    """"stdev" or "variance": how confidence enters the constraint."""
    eta: float = ETA
    """η, the probability with which an example is to be right afterwards, in (½, 1). Larger values tolerate wrong
    labels better, and use right ones less well."""
    a: float = 1.0
    """The variance that every weight starts from, positive."""
    bias: bool = False
    """Whether a feature that is 1 in every example is added. The papers add none."""

    MANY_CLASSES = True

    def _update_rule(self) -> UpdateRule:
        if self.variant not in get_args(Variant):
            raise ValueError(f"variant must be one of {get_args(Variant)}, not {self.variant!r}")
        if not 0.5 < self.eta < 1.0:
            raise ValueError(f"eta must be between 0.5 and 1, not {self.eta}")
        if not 0.0 < self.a < math.inf:
            raise ValueError(f"a must be positive and finite, not {self.a}")
        parameters = self.variant == "stdev", _quantile(self.eta), 1.0 / float(self.a), 1.0 if self.bias else 0.0
        # The columns are μ and what Σ⁻¹ has gained since the start.
        return UpdateRule(_learn, parameters, columns=2, learn_classes=_learn_classes)


def _quantile(eta: float) -> float:
    """Return Φ⁻¹(η)."""
    if eta == ETA:
        return _QUANTILE_OF_ETA
    return NormalDist().inv_cdf(eta)
