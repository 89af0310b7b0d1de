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

from extractors.compiled import compiled
from iscore.learners.many_classes import Ints, ManyClasses, add, best_wrong, judge
from iscore.learners.rows import Data, Rows

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

    def _learn_classes(self, table: Floats, rows: Rows, labels: Ints, weights: Floats, scores: Floats) -> int:
        return _learn_classes(table, self._bias, *rows, labels, weights, scores, self._constant)


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
    constant: float,
) -> int:
    changed = 0
    averaged = w.shape[1] > 1
    for row in range(len(signs)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        right = bias[3] if averaged else 0.0
        score = bias[0]
        total = bias[1] + (right - bias[2]) * bias[0] if averaged else 0.0
        squares = constant
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                j = indices[k - shift]
                score += x * w[j, 0]
                squares += x * x
                if averaged:
                    total += x * (w[j, 1] + (right - w[j, 2]) * w[j, 0])
        told = total / right if right > 0.0 else score
        scores[row] = told if np.isfinite(told) else 0.0
        step = signs[row] * weights[row]
        if signs[row] * score > 0.0:
            if averaged:
                bias[3] += weights[row]
            continue
        if not (weights[row] > 0.0 and 0.0 < squares * weights[row] < np.inf and np.isfinite(score)):
            continue
        changed += 1
        # The bias is the last coordinate of the example.
        for k in range(begin, end + 1):
            x = np.float64(constant if k == end else data[k])
            if x != 0.0 and np.isfinite(x):
                numbers = bias if k == end else w[indices[k - shift]]
                if averaged:
                    numbers[1] += (right - numbers[2]) * numbers[0]
                    numbers[2] = right
                numbers[0] += step * x
    return changed


@compiled
def _learn_classes(
    table: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: Data,
    shared: bool,
    labels: Ints,
    weights: Floats,
    scores: Floats,
    constant: float,
) -> int:
    changed = 0
    k_classes = scores.shape[1]
    newest = np.empty(k_classes)
    whole = bias.reshape(1, -1)
    for row in range(len(labels)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        judge(table, bias, begin, end, shift, indices, data, 1, newest, scores[row])
        y, weight = labels[row], weights[row]
        r = best_wrong(newest, y)
        if newest[y] > newest[r]:
            if table.shape[1] > k_classes:
                bias[-1] += weight
            continue
        squares = constant
        for k in range(begin, end):
            squares += np.float64(data[k]) ** 2 if np.isfinite(data[k]) else 0.0
        if not (weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(newest).all()):
            continue
        changed += 1
        right = bias[-1]
        for k in range(begin, end):
            x = np.float64(data[k])
            if x != 0.0 and np.isfinite(x):
                j = indices[k - shift]
                add(table, right, j, 1, k_classes, y, weight * x)
                add(table, right, j, 1, k_classes, r, -weight * x)
        add(whole, right, 0, 1, k_classes, y, weight * constant)
        add(whole, right, 0, 1, k_classes, r, -weight * constant)
    return changed
