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

from extractors.numba_kernel import compiled
from iscore.learners.linear.linear_model import LinearClassifier
from iscore.learners.linear.margins import margin, move, was_right
from iscore.learners.linear.rows import Data, Ends, Ints, Rows, entries

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
    CAN_BE_AVERAGED: ClassVar[bool] = True

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
        number = get_args(Variant).index(self.variant)
        self._constants = number, float(self.C), float(self.relaxation), 1.0 if self.bias else 0.0
        return np.zeros(1)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(table, self._bias, *rows, signs, weights, scores, *self._constants)


@compiled
def _step(loss: float, room: float, weight: float, variant: int, C: float) -> float:
    """Return τ, where ``room`` is ‖x‖² + γ and the weight is positive."""
    if variant == 0:
        return min(1.0, weight) * loss / room
    if variant == 1:
        return min(C * weight, loss / room)
    return loss / (room + 0.5 / (C * weight))


@compiled
def _learn(
    w: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
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
        coordinates, values = entries(indptr, indices, data, shared, row)
        score, scores[row], squares = margin(w, bias, coordinates, values, 1, constant)
        y, weight = signs[row], weights[row]
        loss = 1.0 - y * score
        if loss <= 0.0:
            was_right(w, bias, 1, weight)
        elif weight > 0.0 and 0.0 < squares < np.inf:
            tau = _step(loss, squares + relaxation, weight, variant, C)
            if 0.0 < tau < np.inf:
                changed += 1
                move(w, bias, coordinates, values, 1, constant, tau * y)
    return changed
