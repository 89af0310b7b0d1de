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
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.linear.margins import margin, move, was_right
from iscore.learners.linear.multiclass import Labels, ManyClasses, judge, move_class, square_length
from iscore.learners.linear.rows import Data, Ends, Ints, Rows, entries

Floats = npt.NDArray[np.float64]


class Mira(ManyClasses):
    """MIRA, for two classes or more.

    Parameters
    ----------
    C
        Aggressiveness, positive: the largest T for an example, or with two classes the largest step. An example of
        weight h has h·C. None, the default and the paper's, follows every example all the way; then a weight below 1
        takes that part of the step, and one above 1 counts as 1.
    loss
        L, shape (K, K): how far the score of the class of the row has to be above that of the column, not negative.
        None, the default, is 1 for every wrong class.
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
        C: float | None = None,
        loss: Sequence[Sequence[float]] | None = None,
        bias: bool = False,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.C = C
        self.loss = loss
        self.bias = bias
        self.n_features = n_features
        self.grow = grow

    def _start(self) -> Floats:
        if self.C is not None and not 0.0 < self.C < math.inf:
            raise ValueError(f"C must be None, or positive and finite, not {self.C}")
        k = self._n_classes
        losses = np.ones((k, k)) if self.loss is None else np.array(self.loss, dtype=np.float64)
        if losses.shape != (k, k) or not ((losses >= 0.0) & (losses < math.inf)).all():
            raise ValueError(f"loss must be a matrix of {k} times {k} numbers, finite and not negative")
        self._losses = losses
        self._most = math.inf if self.C is None else float(self.C)
        self._constant = 1.0 if self.bias else 0.0
        return np.zeros(1)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        margins = float(self._losses[0, 1]), float(self._losses[1, 0])
        return _learn(table, self._bias, *rows, signs, weights, scores, *margins, self._most, self._constant)

    def _learn_classes(self, table: Floats, rows: Rows, labels: Labels, weights: Floats, scores: Floats) -> int:
        return _learn_classes(
            table, self._bias, *rows, labels, weights, scores, self._losses, self._most, self._constant
        )


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
    dull_margin: float,
    liked_margin: float,
    most: float,
    constant: float,
) -> int:
    changed = 0
    for row in range(len(signs)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        score, scores[row], squares = margin(w, bias, coordinates, values, 1, constant)
        y, weight = signs[row], weights[row]
        loss = (liked_margin if y > 0.0 else dull_margin) - y * score
        if loss <= 0.0:
            was_right(w, bias, 1, weight)
        elif weight > 0.0 and 0.0 < squares < np.inf:
            tau = min(1.0, weight) * loss / squares if most == np.inf else min(weight * most, loss / squares)
            if np.isfinite(tau):
                changed += 1
                move(w, bias, coordinates, values, 1, constant, tau * y)
    return changed


@compiled
def _solve(losses: Floats, most: float) -> float:
    """Put τ into ``losses``, which holds ℓ_r/‖x‖² or, of classes without a constraint, 0; return T."""
    bound = 0.0
    for capped in (False, True):
        # Michelot's way to project onto a simplex: the mean of those in play never falls while some drop out.
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
    margins: Floats,
    most: float,
    constant: float,
) -> int:
    changed = 0
    k_classes = scores.shape[1]
    newest, tau = np.empty(k_classes), np.empty(k_classes)
    for row in range(len(labels)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        judge(table, bias, coordinates, values, 1, newest, scores[row])
        y, weight = labels[row], weights[row]
        worst = 0.0
        for r in range(k_classes):
            tau[r] = max(0.0, margins[y, r] - (newest[y] - newest[r])) if r != y else 0.0
            worst = max(worst, tau[r])
        if worst == 0.0:
            was_right(table, bias, k_classes, weight)
            continue
        squares = square_length(values, constant)
        if not (weight > 0.0 and 0.0 < squares < np.inf and np.isfinite(worst / squares)):
            continue
        changed += 1
        tau /= squares
        total = _solve(tau, weight * most)
        if most == np.inf:
            part = min(1.0, weight)
            tau *= part
            total *= part
        tau[y] = -total
        for r in range(k_classes):
            if tau[r] != 0.0:
                move_class(table, bias, coordinates, values, k_classes, r, constant, -tau[r])
    return changed
