"""Passive-Aggressive: after each example the nearest weights that give it a margin of 1.

    score = ⟨x, w⟩,   ℓ = max(0, 1 - y·score),   w += τ·y·x,   y ∈ {-1, 1}

    PA     τ = ℓ / (‖x‖² + γ)
    PA-I   τ = min(C, ℓ / (‖x‖² + γ))
    PA-II  τ = ℓ / (‖x‖² + γ + 1/(2C))

Sources: Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006, figure 1; Carvalho, Cohen 2006, section 2.2, for the
relaxation γ.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from extractors.compiled import compiled
from iscore.learners.linear_model import LinearClassifier
from iscore.learners.rows import Data, Rows

Floats = npt.NDArray[np.float64]
Variant = Literal["PA", "PA-I", "PA-II"]


class PassiveAggressive(LinearClassifier):
    """Passive-Aggressive for two classes.

    Parameters
    ----------
    variant
        "PA" follows every example all the way; "PA-I", the default, at most by C; "PA-II" softly.
    C
        Aggressiveness, positive. An example of weight h has aggressiveness h·C. "PA" has none: there a weight below
        1 takes that part of the step, and one above 1 counts as 1, since the margin is reached anyway.
    relaxation
        γ, not negative; 0.1 in Carvalho, Cohen 2006, with variant "PA".
    bias
        Whether a feature that is 1 in every example is added. The papers add none.
    n_features, grow
        See ``LinearClassifier``.
    """

    COLUMNS: ClassVar[int] = 1

    def __init__(
        self,
        *,
        variant: Variant = "PA-I",
        C: float = 1.0,
        relaxation: float = 0.0,
        bias: bool = False,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.variant = variant
        self.C = C
        self.relaxation = relaxation
        self.bias = bias
        self.n_features = n_features
        self.grow = grow

    def _start(self) -> Floats:
        if self.variant not in get_args(Variant):
            raise ValueError(f"variant must be one of {get_args(Variant)}, not {self.variant!r}")
        if not 0.0 < self.C < math.inf:
            raise ValueError(f"C must be positive and finite, not {self.C}")
        if not 0.0 <= self.relaxation < math.inf:
            raise ValueError(f"relaxation must be finite and not negative, not {self.relaxation}")
        self._number = get_args(Variant).index(self.variant)
        return np.zeros(1)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        constant = 1.0 if self.bias else 0.0
        return _learn(
            table,
            self._bias,
            *rows,
            signs,
            weights,
            scores,
            self._number,
            float(self.C),
            float(self.relaxation),
            constant,
        )


@compiled
def _learn(
    w: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    variant: int,
    C: float,
    relaxation: float,
    constant: float,
) -> int:
    changed = 0
    for row in range(len(signs)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        score = bias[0]
        squares = constant
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                score += x * w[indices[k - shift], 0]
                squares += x * x
        scores[row] = score if np.isfinite(score) else 0.0
        y, weight = signs[row], weights[row]
        loss = 1.0 - y * score
        room = squares + relaxation
        if not (loss > 0.0 and weight > 0.0 and squares > 0.0):
            continue
        if variant == 0:
            tau = min(1.0, weight) * loss / room
        elif variant == 1:
            tau = min(C * weight, loss / room)
        else:
            tau = loss / (room + 0.5 / (C * weight))
        if not (np.isfinite(tau) and np.isfinite(squares)):
            continue
        changed += 1
        bias[0] += tau * y * constant
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                w[indices[k - shift], 0] += tau * y * x
    return changed
