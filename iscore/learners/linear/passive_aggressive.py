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
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.linear.kernels import Packed, learn_rows
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.update_rule import UpdateRule

Variant = Literal["PA", "PA-I", "PA-II"]


class Parameters(NamedTuple):
    """What the kernel needs."""

    variant: int
    C: float
    gamma: float
    constant: float


@inner
def step(y: float, score: float, squares: float, weight: float, p: Parameters) -> float:
    """Return τ as ``learn_rows`` wants it; ``squares`` is ‖x‖²."""
    loss = 1.0 - y * score
    if loss <= 0.0:
        return 0.0
    if not (weight > 0.0 and 0.0 < squares < np.inf):
        return np.nan
    room = squares + p.gamma
    if p.variant == 0:
        tau = min(1.0, weight) * loss / room
    elif p.variant == 1:
        tau = min(p.C * weight, loss / room)
    else:
        tau = loss / (room + 0.5 / (p.C * weight))
    return tau if tau > 0.0 else np.nan


@compiled
def _learn(model: Packed, rows: Packed, batch: Packed, parameters: Packed) -> None:
    learn_rows(model, rows, batch, Parameters(*parameters), step)


@dataclass(kw_only=True, eq=False, repr=False)
class PassiveAggressive(LinearClassifier):
    """Passive-Aggressive, for two classes.

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

    variant: Variant = "PA-I"
    """"PA" takes the whole step for every example, "PA-I" at most C, "PA-II" a softened one."""
    C: float = 1.0
    """Aggressiveness, positive. An example of weight h has aggressiveness h·C. "PA" has none: there a weight below 1
    takes that part of the step, and one above 1 counts as 1, since the margin is reached anyway."""
    relaxation: float = 0.0
    """γ, not negative; 0.1 in Carvalho, Cohen 2006, with variant "PA"."""
    bias: bool = False
    """Whether a feature that is 1 in every example is added. The papers add none."""

    def _update_rule(self) -> UpdateRule:
        if self.variant not in get_args(Variant):
            raise ValueError(f"variant must be one of {get_args(Variant)}, not {self.variant!r}")
        if not 0.0 < self.C < math.inf:
            raise ValueError(f"C must be positive and finite, not {self.C}")
        if not 0.0 <= self.relaxation < math.inf:
            raise ValueError(f"relaxation must be finite and not negative, not {self.relaxation}")
        number = get_args(Variant).index(self.variant)
        return UpdateRule(_learn, (number, float(self.C), float(self.relaxation), 1.0 if self.bias else 0.0))
