"""The perceptron: at a mistake, add the example to the weights of its class.

    two classes   score = ⟨x, w⟩,      a mistake is y·score ≤ 0:              w += y·x,   y ∈ {-1, 1}
    K classes     score_r = ⟨x, w_r⟩,  a mistake is score_y ≤ score_r, r the best wrong class:   w_y += x,  w_r -= x

``Voted(Perceptron())`` is the averaged perceptron.

Sources: Rosenblatt 1958; Freund, Schapire 1999; Carvalho, Cohen 2006, section 2; Crammer, Singer 2003, for K classes.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.linear.margins import margin, move, was_right
from iscore.learners.linear.multiclass import Labels, ManyClasses, best_wrong, judge, move_class, square_length
from iscore.learners.linear.rows import Data, Ends, Ints, Rows, entries

Floats = npt.NDArray[np.float64]


class Perceptron(ManyClasses):
    """The perceptron, for two classes or more.

    An example of weight h moves the weights by h·x.

    Parameters
    ----------
    bias
        Whether a feature that is 1 in every example is added. The papers add none.
    n_features, grow
        See ``LinearClassifier``.
    """

    COLUMNS: ClassVar[int] = 1
    CAN_BE_AVERAGED: ClassVar[bool] = True

    def __init__(self, *, bias: bool = False, n_features: int | None = None, grow: bool = False) -> None:
        self.bias = bias
        self.n_features = n_features
        self.grow = grow

    def _start(self) -> Floats:
        self._constant = 1.0 if self.bias else 0.0
        return np.zeros(1)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(table, self._bias, *rows, signs, weights, scores, self._constant)

    def _learn_classes(self, table: Floats, rows: Rows, labels: Labels, weights: Floats, scores: Floats) -> int:
        return _learn_classes(table, self._bias, *rows, labels, weights, scores, self._constant)


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
    constant: float,
) -> int:
    changed = 0
    for row in range(len(signs)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        score, scores[row], squares = margin(w, bias, coordinates, values, 1, constant)
        y, weight = signs[row], weights[row]
        if y * score > 0.0:
            was_right(w, bias, 1, weight)
        elif weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(score):
            changed += 1
            move(w, bias, coordinates, values, 1, constant, y * weight)
    return changed


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
    constant: float,
) -> int:
    changed = 0
    newest = np.empty(scores.shape[1])
    for row in range(len(labels)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        judge(table, bias, coordinates, values, 1, newest, scores[row])
        y, weight = labels[row], weights[row]
        r = best_wrong(newest, y)
        squares = square_length(values, constant)
        if newest[y] > newest[r]:
            was_right(table, bias, len(newest), weight)
        elif weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(newest).all():
            changed += 1
            move_class(table, bias, coordinates, values, len(newest), y, constant, weight)
            move_class(table, bias, coordinates, values, len(newest), r, constant, -weight)
    return changed
