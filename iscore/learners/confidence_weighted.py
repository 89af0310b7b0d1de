"""Confidence-weighted learning: a Gaussian over the weights, moved as little as makes the example probably right.

    w ~ N(μ, Σ), Σ diagonal;   m = y·⟨x, μ⟩,   v = xᵀΣx,   φ = Φ⁻¹(η);   the constraint is P(y·⟨x, w⟩ ≥ 0) ≥ η

    stdev     m ≥ φ·√v:   ψ = 1 + φ²/2,  ξ = 1 + φ²,
              α = max(0, (-mψ + √(m²φ⁴/4 + vφ²ξ)) / (vξ)),   √u = (-αvφ + √(α²v²φ² + 4v)) / 2,
              μ += α·y·Σx,   Σ⁻¹ += (αφ/√u)·diag(x²)

    variance  m ≥ φ·v:    α = max(0, (-(1 + 2φm) + √((1 + 2φm)² - 8φ(m - φv))) / (4φv)),
              μ += α·y·Σx,   Σ⁻¹ += 2αφ·diag(x²)

The closed forms solve the problem for a full Σ, of whose inverse the diagonal is kept. In the code they are rewritten
so that nothing cancels: where b > 0, (-b + √D) is (D - b²)/(b + √D); and (1 + 2φm)² - 8φm is (1 - 2φm)².

Sources: Dredze, Crammer, Pereira 2008, for the variance; Crammer, Dredze, Pereira 2008, equation 10, for the standard
deviation.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from extractors.compiled import compiled
from iscore.learners.linear_model import LinearClassifier
from iscore.learners.rows import Data, Rows

Floats = npt.NDArray[np.float64]
Variant = Literal["stdev", "variance"]

MOST_GAIN = 10_000.0
"""No variance falls below a / (1 + MOST_GAIN). Where the classes overlap, examples that contradict each other drive
Σ⁻¹ up by orders of magnitude each, beyond 1e200 within 200 examples of two features, and nothing is learned any more;
words never come near the bound."""


class ConfidenceWeighted(LinearClassifier):
    """Confidence-weighted learning for two classes.

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
        self._phi = float(ndtri(self.eta))
        return np.zeros(2)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        constant = 1.0 if self.bias else 0.0
        by_stdev = self.variant == "stdev"
        return _learn(table, self._bias, *rows, signs, weights, scores, by_stdev, self._phi, 1.0 / self.a, constant)


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
def _learn(
    table: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
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
    most = MOST_GAIN * start
    for row in range(len(signs)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        score = bias[0]
        v = constant / (start + bias[1])
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                j = indices[k - shift]
                score += x * table[j, 0]
                v += x * x / (start + table[j, 1])
        scores[row] = score if np.isfinite(score) else 0.0
        y = signs[row]
        m = y * score
        part = min(1.0, weights[row])
        if not (part > 0.0 and 0.0 < v < np.inf and np.isfinite(m)):
            continue
        alpha, gain = _by_stdev(m, v, phi, part) if by_stdev else _by_variance(m, v, phi, part)
        if not (0.0 < alpha < np.inf and gain < np.inf):
            continue
        changed += 1
        bias[0] += alpha * y * constant / (start + bias[1])
        bias[1] = min(bias[1] + gain * constant, most)
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                j = indices[k - shift]
                table[j, 0] += alpha * y * x / (start + table[j, 1])
                table[j, 1] = min(table[j, 1] + gain * x * x, most)
    return changed
