"""An update rule: what one paper's learner does with an example. ``LinearClassifier`` does the rest.

A rule is a compiled kernel that learns rows in order, and the numbers that it needs:

    learn(model, rows, batch, parameters)

The four arguments are the fields of ``Model``, ``Rows``, ``Batch`` and of the rule's own parameters. They come as
plain tuples, since numba takes those several microseconds faster than named ones; a kernel names them first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from iscore.learners.learner import Floats
from iscore.learners.linear import kernels
from iscore.learners.linear.kernels import Packed
from iscore.learners.linear.rows import Rows

Kernel = Callable[..., None]
"""See above."""


class UpdateRule:
    """The kernels of one learner, and the meaning of its numbers.

    ``columns`` is how many numbers the model has for each coordinate. ``start`` is what those of the bias start from,
    followed by numbers of the model as a whole, if there are any; zeros by default. ``learn_classes`` is the kernel
    for more than two classes: there ``y`` are their numbers and scores have the shape (m, K).
    """

    can_be_averaged = True
    """Whether the kernels keep the sums that ``Voted`` needs."""
    has_all_rows = False
    """Whether the table needs a row for every coordinate, however large the space is."""

    def __init__(
        self,
        learn: Kernel,
        parameters: tuple[Any, ...] = (),
        *,
        columns: int = 1,
        start: Floats | None = None,
        learn_classes: Kernel | None = None,
    ) -> None:
        self.columns = columns
        self.start = np.zeros(columns) if start is None else start
        self.parameters = parameters
        self._learn = learn
        self._learn_classes = learn_classes

    def learn(self, model: Packed, rows: Rows, batch: Packed) -> None:
        """Learn rows in order; put the scores that they had just before into the scores of ``batch``.

        Rows of weight 0 are scored only.
        """
        self._learn(model, tuple(rows), batch, self.parameters)

    def learn_classes(self, model: Packed, rows: Rows, batch: Packed) -> None:
        """Learn rows of more than two classes in order, as ``learn`` does those of two.

        Raises ``TypeError`` for a learner of two.
        """
        if self._learn_classes is None:
            raise TypeError("this learner is for two classes")
        self._learn_classes(model, tuple(rows), batch, self.parameters)

    def learn_parts(self, model: Packed, parts: Rows, batch: tuple[Floats, Floats, Floats]) -> None:
        """Score the k parts of each row and an empty row into the scores (m, k + 1), then learn the row; in order."""
        y, weights, scores = batch
        k, whole = scores.shape[1] - 1, np.empty(1)
        every_part, everything = [*range(k + 1), k], [0, k]
        for i in range(len(y)):
            ends = parts.indptr[i * k : (i + 1) * k + 1]
            self.score(model, parts._replace(indptr=ends[every_part]), scores[i])
            self.learn(model, parts._replace(indptr=ends[everything]), (y[i : i + 1], weights[i : i + 1], whole))

    def score(self, model: Packed, rows: Rows, scores: Floats) -> None:
        """Put the scores of rows into ``scores`` (m,)."""
        kernels.score(model, tuple(rows), scores, self.columns)

    def score_classes(self, model: Packed, rows: Rows, scores: Floats) -> None:
        """Put the scores of rows for each class into ``scores`` (m, K)."""
        kernels.score_classes(model, tuple(rows), scores, self.columns)

    # For explanations, of two classes

    def weights(self, model: Packed, numbers: Floats) -> Floats:
        """Return the weights with which rows of the table, shape (k, at least ``columns``), score; shape (k,)."""
        table, bias = model
        newest = self.newest(numbers)
        if table.shape[1] == self.columns or not bias[-1] > 0.0:
            return newest
        total, last = numbers[:, self.columns], numbers[:, self.columns + 1]
        means: Floats = (total + (bias[-1] - last) * newest) / bias[-1]
        return means

    def newest(self, numbers: Floats) -> Floats:
        """Return the weights of the newest hypothesis at rows of the table, shape (k,)."""
        return numbers[:, 0]

    def bias(self, model: Packed) -> float:
        """Return what the bias adds to a score."""
        return float(self.weights(model, model[1][np.newaxis])[0])

    def parts(self, model: Packed, x: Floats, numbers: Floats) -> tuple[float, Floats]:
        """Return the part of the score of ``x`` (k,) that is no feature's, and the part of each."""
        return self.bias(model), finite(x) * self.weights(model, numbers)


def finite(x: Floats) -> Floats:
    """Return ``x`` with 0 for what is missing."""
    return np.where(np.isfinite(x), x, 0.0)
