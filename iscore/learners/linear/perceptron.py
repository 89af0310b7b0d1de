"""The perceptron: at a mistake, add the example to the weights of its class.

    two classes   score = ⟨x, w⟩,      a mistake is y·score ≤ 0:              w += y·x,   y ∈ {-1, 1}
    K classes     score_r = ⟨x, w_r⟩,  a mistake is score_y ≤ score_r, r the best wrong class:   w_y += x,  w_r -= x

Sources: Rosenblatt 1958; Freund, Schapire 1999; Carvalho, Cohen 2006, section 2; Crammer, Singer 2003, for K classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Constant, Packed, best_wrong, learn_class_rows, learn_rows
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.update_rule import UpdateRule


@inner
def step(y: float, score: float, squares: float, weight: float, _: Constant) -> float:
    """Return τ as ``learn_rows`` wants it."""
    if y * score > 0.0:
        return 0.0
    return weight if weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(score) else np.nan


@inner
def steps(scores: Floats, label: int, squares: float, weight: float, _: Constant, tau: Floats) -> float:
    """Put τ_r of each class into ``tau``, as ``learn_class_rows`` wants it."""
    r = best_wrong(scores, label)
    if scores[label] > scores[r]:
        return 0.0
    tau[:] = 0.0
    tau[label], tau[r] = weight, -weight
    return weight if weight > 0.0 and 0.0 < squares * weight < np.inf and np.isfinite(scores).all() else np.nan


@compiled
def _learn(model: Packed, rows: Packed, batch: Packed, parameters: Packed) -> None:
    learn_rows(model, rows, batch, Constant(*parameters), step)


@compiled
def _learn_classes(model: Packed, rows: Packed, batch: Packed, parameters: Packed) -> None:
    learn_class_rows(model, rows, batch, Constant(*parameters), steps)


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(LinearClassifier):
    """The perceptron, for two classes or more. ``Voted(Perceptron())`` is the averaged perceptron.

    An example of weight h moves the weights by h·x.

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

    bias: bool = False
    """Whether a feature that is 1 in every example is added. The papers add none."""

    MANY_CLASSES = True

    def _update_rule(self) -> UpdateRule:
        return UpdateRule(_learn, (1.0 if self.bias else 0.0,), learn_classes=_learn_classes)
