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
from typing import Literal, NamedTuple, get_args

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.linear.kernels import Batch, Model, Packed, count_right, margin, move
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.rows import Rows, row_of
from iscore.learners.linear.update_rule import UpdateRule

Variant = Literal["PA", "PA-I", "PA-II"]


class Parameters(NamedTuple):
    """What the kernel needs."""

    variant: int
    C: float
    gamma: float
    constant: float


class PassiveAggressive(LinearClassifier):
    """Passive-Aggressive, for two classes.

    Parameters
    ----------
    variant
        "PA" takes the whole step for every example, "PA-I", the default, at most C, "PA-II" a softened one.
    C
        Aggressiveness, positive. An example of weight h has aggressiveness h·C. "PA" has none: there a weight below
        1 takes that part of the step, and one above 1 counts as 1, since the margin is reached anyway.
    relaxation
        γ, not negative; 0.1 in Carvalho, Cohen 2006, with variant "PA".
    bias
        Whether a feature that is 1 in every example is added. The papers add none.
    n_features, grow
        See ``LinearClassifier``.

    Examples
    --------
    >>> learner = PassiveAggressive(variant="PA")
    >>> learner.learn_one([1.0, 0.0], True)
    0.0
    >>> learner.learn_one([1.0, 1.0], False)
    0.0
    >>> learner.score_one([1.0, 1.0])
    -1.0
    """

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

    def _update_rule(self) -> UpdateRule:
        if self.variant not in get_args(Variant):
            raise ValueError(f"variant must be one of {get_args(Variant)}, not {self.variant!r}")
        if not 0.0 < self.C < math.inf:
            raise ValueError(f"C must be positive and finite, not {self.C}")
        if not 0.0 <= self.relaxation < math.inf:
            raise ValueError(f"relaxation must be finite and not negative, not {self.relaxation}")
        number = get_args(Variant).index(self.variant)
        return UpdateRule(_learn, (number, float(self.C), float(self.relaxation), 1.0 if self.bias else 0.0))


@inner
def _tau(loss: float, squares: float, weight: float, p: Parameters) -> float:
    """Return τ, where ``squares`` is ‖x‖² and the weight is positive."""
    room = squares + p.gamma
    if p.variant == 0:
        return min(1.0, weight) * loss / room
    if p.variant == 1:
        return min(p.C * weight, loss / room)
    return loss / (room + 0.5 / (p.C * weight))


@compiled
def _learn(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    p = Parameters(*parameters)
    for i in range(len(labels)):
        x, y, weight = row_of(rows, i), labels[i], weights[i]
        score, scores[i], squares = margin(model, x, 1, p.constant)
        loss = 1.0 - y * score
        if loss <= 0.0:
            count_right(model, 1, weight)
        elif weight > 0.0 and 0.0 < squares < np.inf:
            tau = _tau(loss, squares, weight, p)
            if 0.0 < tau < np.inf:
                move(model, x, p.constant, tau * y)
