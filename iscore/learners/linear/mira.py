"""MIRA, the margin infused relaxed algorithm: the nearest weights that set the right class above every wrong one.

    min ½‖w′ - w‖²   subject to   ⟨w′_y, x⟩ - ⟨w′_r, x⟩ ≥ L(y, r)   for all r ≠ y

With ℓ_r = L(y, r) - (⟨w_y, x⟩ - ⟨w_r, x⟩) the optimum is w′_r = w_r - τ_r·x and w′_y = w_y + T·x, where

    τ_r = max(0, ℓ_r/‖x‖² - T),   T = Σ τ_r

since for r with τ_r > 0 the constraint is met exactly. T is found by dropping, from all r with ℓ_r > 0, those for which
τ_r would not be positive, until none is: T only rises meanwhile. With an upper bound C of T, constraints may be missed
at a cost of C each unit, and τ_r = max(0, ℓ_r/‖x‖² - θ) with θ > T such that Σ τ_r = C.

Two classes have one w, the difference of theirs: w += y·(ℓ/‖x‖²)·x, which is Passive-Aggressive.

Sources: Crammer, Singer 2003, "Ultraconservative online algorithms for multiclass problems"; the form with a loss,
algorithm 2 of the thesis; Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006, section 3, for C.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Packed, learn_class_rows, learn_rows
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.update_rule import UpdateRule


class Parameters(NamedTuple):
    """What the kernels need."""

    losses: Floats
    """L, shape (K, K)."""
    most: float
    """C, infinite for none."""
    constant: float


@inner
def step(y: float, score: float, squares: float, weight: float, p: Parameters) -> float:
    """Return τ as ``learn_rows`` wants it; ``squares`` is ‖x‖²."""
    loss = (p.losses[1, 0] if y > 0.0 else p.losses[0, 1]) - y * score
    if loss <= 0.0:
        return 0.0
    if not (weight > 0.0 and 0.0 < squares < np.inf):
        return np.nan
    tau = min(1.0, weight) * loss / squares if p.most == np.inf else min(weight * p.most, loss / squares)
    return tau if tau > 0.0 else np.nan


@inner
def _solve(losses: Floats, most: float) -> float:
    """Put τ into ``losses``, which holds ℓ_r/‖x‖² or, of classes without a constraint, 0; return T."""
    bound = 0.0
    for capped in (False, True):
        # Michelot's projection onto a simplex: the mean of the active ones never falls while some are dropped.
        count = -1
        while True:
            rest, above = 0.0, 0
            for loss in losses:
                if loss > bound:
                    rest += loss
                    above += 1
            if above in (count, 0):
                break
            count = above
            bound = (rest - most) / above if capped else rest / (above + 1)
        if bound <= most:
            break
    total = 0.0
    for r in range(len(losses)):
        losses[r] = max(0.0, losses[r] - bound)
        total += losses[r]
    return total


@inner
def steps(scores: Floats, label: int, squares: float, weight: float, p: Parameters, tau: Floats) -> float:
    """Put τ_r of each class into ``tau``, as ``learn_class_rows`` wants it: T for the right class, else -τ_r."""
    worst = 0.0
    for r in range(len(tau)):
        tau[r] = max(0.0, p.losses[label, r] - (scores[label] - scores[r])) if r != label else 0.0
        worst = max(worst, tau[r])
    if worst == 0.0:
        return 0.0
    if not (weight > 0.0 and 0.0 < squares < np.inf and np.isfinite(worst / squares)):
        return np.nan
    tau /= squares
    total = _solve(tau, weight * p.most)
    if p.most == np.inf:
        part = min(1.0, weight)
        tau *= part
        total *= part
    tau *= -1.0
    tau[label] = total
    return total if total > 0.0 else np.nan


@compiled
def _learn(model: Packed, rows: Packed, batch: Packed, parameters: Packed) -> None:
    learn_rows(model, rows, batch, Parameters(*parameters), step)


@compiled
def _learn_classes(model: Packed, rows: Packed, batch: Packed, parameters: Packed) -> None:
    learn_class_rows(model, rows, batch, Parameters(*parameters), steps)


@dataclass(kw_only=True, eq=False, repr=False)
class Mira(LinearClassifier):
    """MIRA, for two classes or more.

    Examples
    --------
    >>> learner = Mira().expect(3)
    >>> learner.learn_class([1.0, 0.0], 0).tolist()
    [0.0, 0.0, 0.0]
    >>> learner.learn_class([0.0, 1.0], 2).tolist()
    [0.0, 0.0, 0.0]
    >>> int(learner.score_classes([0.1, 0.9]).argmax())
    2
    """

    C: float | None = None
    """Aggressiveness, positive: the largest T for an example, or with two classes the largest step. An example of
    weight h has h·C. None, which is the paper's, takes the whole step; then a weight below 1 takes that part of it, and
    one above 1 counts as 1."""
    loss: Sequence[Sequence[float]] | None = None
    """L, shape (K, K): how far the score of the class of the row has to be above that of the column, not negative. None
    is 1 for every wrong class."""
    bias: bool = False
    """Whether a feature that is 1 in every example is added. The papers add none."""

    MANY_CLASSES = True

    def _update_rule(self) -> UpdateRule:
        if self.C is not None and not 0.0 < self.C < math.inf:
            raise ValueError(f"C must be None, or positive and finite, not {self.C}")
        k = self._n_classes
        losses = np.ones((k, k)) if self.loss is None else np.array(self.loss, dtype=np.float64)
        if losses.shape != (k, k) or not ((losses >= 0.0) & (losses < math.inf)).all():
            raise ValueError(f"loss must be a matrix of {k} times {k} numbers, finite and not negative")
        C = math.inf if self.C is None else float(self.C)
        return UpdateRule(_learn, (losses, C, 1.0 if self.bias else 0.0), learn_classes=_learn_classes)
