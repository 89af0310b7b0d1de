"""The perceptron: at a mistake, add the example to the weights of its class.

    two classes   score = ⟨x, w⟩,      a mistake is y·score ≤ 0:              w += y·x,   y ∈ {-1, 1}
    K classes     score_r = ⟨x, w_r⟩,  a mistake is score_y ≤ score_r, r the best wrong class:   w_y += x,  w_r -= x

Sources: Rosenblatt 1958; Freund, Schapire 1999; Carvalho, Cohen 2006, section 2; Crammer, Singer 2003, for K classes.
"""

from __future__ import annotations

import numpy as np

from extractors.numba_kernel import compiled
from iscore.learners.linear.class_kernels import best_wrong, class_scores, move_class, square_length
from iscore.learners.linear.kernels import Batch, Constant, Model, Packed, count_right, margin, move
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.rows import Rows, row_of
from iscore.learners.linear.update_rule import UpdateRule


class Perceptron(LinearClassifier):
    """The perceptron, for two classes or more. ``Voted(Perceptron())`` is the averaged perceptron.

    An example of weight h moves the weights by h·x.

    Parameters
    ----------
    bias
        Whether a feature that is 1 in every example is added. The papers add none.
    n_features, grow
        See ``LinearClassifier``.

    Examples
    --------
    >>> learner = Perceptron()
    >>> learner.learn_one([1.0, 0.0], True)
    0.0
    >>> learner.learn_one([0.0, 2.0], False)
    0.0
    >>> learner.score_one([1.0, 1.0])
    -1.0
    """

    MANY_CLASSES = True

    def __init__(self, *, bias: bool = False, n_features: int | None = None, grow: bool = False) -> None:
        self.bias = bias
        self.n_features = n_features
        self.grow = grow

    def _update_rule(self) -> UpdateRule:
        return UpdateRule(_learn, (1.0 if self.bias else 0.0,), learn_classes=_learn_classes)


@compiled
def _learn(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    constant = Constant(*parameters).constant
    for i in range(len(labels)):
        x, y, weight = row_of(rows, i), labels[i], weights[i]
        score, scores[i], squares = margin(model, x, 1, constant)
        if y * score > 0.0:
            count_right(model, 1, weight)
        elif weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(score):
            move(model, x, constant, y * weight)


@compiled
def _learn_classes(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    constant = Constant(*parameters).constant
    k = scores.shape[1]
    newest = np.empty(k)
    for i in range(len(labels)):
        x, y, weight = row_of(rows, i), labels[i], weights[i]
        class_scores(model, x, 1, newest, scores[i])
        r = best_wrong(newest, y)
        squares = square_length(x.values, constant)
        if newest[y] > newest[r]:
            count_right(model, k, weight)
        elif weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(newest).all():
            move_class(model, x, k, y, constant, weight)
            move_class(model, x, k, r, constant, -weight)
