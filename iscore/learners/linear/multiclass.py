"""Linear learners that can tell more than two classes apart: weights for each class, of which the highest score wins.

Of K classes the table has K numbers for each of ``COLUMNS``, those of a column side by side: number c·K + r of a
coordinate is of column c and class r. The bias likewise. When the learner is averaged, K times ``total`` and K times
``last`` follow, and at the end of the bias stands C.

Two classes are learned by the learner's own kernel with one weight vector, which is half the work. So there is nothing
here that a learner of two classes pays for.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from extractors.numba_kernel import compiled
from iscore.learners.linear import rows as rows_
from iscore.learners.linear.linear_model import Floats, LinearClassifier
from iscore.learners.linear.rows import Coordinates, Data, Ends, Ints, Rows, entries
from iscore.learners.linear.weight_table import Space

Labels = npt.NDArray[np.int64]


class ManyClasses(LinearClassifier):
    """Base of the learners for two classes and for more.

    How many there are is known from the labels of ``fit``, from the ``classes`` of ``partial_fit``, or beforehand
    from ``expect``. Of two, all verbs are those of ``LinearClassifier``. Of more, an example is learned with the
    number of its class, 0 to K - 1 (``learn_class``, ``learn_many``), and scores have the shape (K,) or (m, K)
    (``score_classes``, ``score_many``, ``score_rows``). They are 0 until examples of two classes have been learned.
    """

    @abstractmethod
    def _learn_classes(self, table: Floats, rows: Rows, labels: Labels, weights: Floats, scores: Floats) -> int:
        """Learn rows of the classes ``labels`` (m,); put the scores before, (m, K), into ``scores``; as ``_learn``."""

    def expect(self, n_classes: int) -> Self:
        """Forget everything, and be ready for that many classes. Raises ``ValueError`` for fewer than two."""
        if n_classes < 2:
            raise ValueError(f"there must be two classes or more, not {n_classes}")
        self._forget()
        self._n_classes = n_classes
        return self

    def score_classes(self, x: Any) -> Floats:
        """Return the score of each class for one example, shape (K,); ``x`` is as for ``score_one``."""
        self._need_many("score_one")
        self._check_width(x)
        scores: Floats = self._scores(rows_.of_vector(x))[0]
        return scores

    def learn_class(self, x: Any, number: int, weight: float = 1.0) -> Floats:
        """Learn one example of the class of that number; return the scores that it had just before, shape (K,).

        Raises ``ValueError`` as ``learn_one`` does, and for a number that no class has.
        """
        self._need_many("learn_one")
        rows = rows_.of_vector(x)
        labels, weights = self._checked_labels(rows, [number], [weight])
        before: Floats = self._learn_labels(self._admitted(x), rows, labels, weights)[0]
        return before

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``LinearClassifier``; of more than two classes ``interesting`` (m,) holds their numbers."""
        if self._n_classes == 2:
            return super().learn_many(X, interesting, weights)
        rows = rows_.of_matrix(X)
        labels, amounts = self._checked_labels(rows, interesting, np.ones(rows.size) if weights is None else weights)
        return self._learn_labels(self._admitted(X), rows, labels, amounts)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row of ``X``, shape (m,); of equal scores the first class' one."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return super().predict(X)
        labels: npt.NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return labels

    def restore(self, state: Any) -> None:
        """See ``Learner``. The number of classes comes with the state."""
        if state:
            self._n_classes = len(state["seen"])
        super().restore(state)

    def _begin(self, width: int | None) -> Space:
        space = super()._begin(width)
        k = self._n_classes
        if k > 2:
            start = self._start()[: self.COLUMNS]
            self._bias = np.concatenate([np.repeat(start, k), np.zeros(2 * k + 1 if self._averaged else 0)])
            self._count((0,) * k)
        return space

    def _columns(self) -> int:
        k = self._n_classes
        return super()._columns() if k == 2 else k * (self.COLUMNS + (2 if self._averaged else 0))

    def _scores(self, rows: Rows) -> Floats:
        if self._n_classes == 2:
            return super()._scores(rows)
        scores = np.zeros((rows.size, self._n_classes))
        if self._space is not None:
            rows = self._space.found(rows)
            if self._knows_enough:
                _scores(self._space.table, self._bias, *rows, scores, self.COLUMNS)
        return scores

    def _learn_labels(self, space: Space, rows: Rows, labels: Labels, weights: Floats) -> Floats:
        scores = np.empty((rows.size, self._n_classes))
        rows = space.claimed(rows)
        self._learn_classes(space.table, rows, labels, weights, scores)
        # Shape (m + 1, K): how many of each class were known before each row, and after the last.
        taken = (labels[:, np.newaxis] == np.arange(self._n_classes)) & (weights > 0.0)[:, np.newaxis]
        known = np.vstack([self._seen, self._seen + np.cumsum(taken, axis=0)])
        self._count(tuple(known[-1].tolist()))
        scores[(known[:-1] > 0).sum(axis=1) < 2] = 0.0
        return scores

    def _checked_labels(self, rows: Rows, labels: npt.ArrayLike, weights: npt.ArrayLike) -> tuple[Labels, Floats]:
        numbers, amounts = np.array(labels, dtype=np.int64), np.array(weights, dtype=np.float64)
        if numbers.shape != (rows.size,) or amounts.shape != (rows.size,):
            raise ValueError(f"each of the {rows.size} rows needs one label and one weight")
        if not ((numbers >= 0) & (numbers < self._n_classes)).all():
            raise ValueError(f"classes have the numbers 0 to {self._n_classes - 1}")
        if not ((amounts >= 0.0) & (amounts < math.inf)).all():
            raise ValueError("weights must be finite and not negative")
        return numbers, amounts

    def _need_many(self, verb: str) -> None:
        if self._n_classes == 2:
            raise ValueError(f"there are two classes: use {verb}")

    # What the estimator asks

    def _take_classes(self, classes: npt.NDArray[Any]) -> None:
        if len(classes) < 3:
            super()._take_classes(classes)
        check_classification_targets(classes)
        self.classes_ = classes
        self.expect(len(classes))

    def _learn_rows(self, X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Self:
        if self._n_classes == 2:
            return super()._learn_rows(X, y, sample_weight)
        self._check_values(X)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.learn_many(X, np.searchsorted(self.classes_, y), weights)
        return self

    def __sklearn_tags__(self) -> Any:
        """Say that there may be more than two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


@compiled
def judge(
    table: Floats,
    bias: Floats,
    coordinates: Coordinates,
    values: Data,
    columns: int,
    newest: Floats,
    scores: Floats,
) -> None:
    """Put one row's scores for each class into ``newest``, and into ``scores`` those of the mean weights, if kept.

    Both of shape (K,). Those that cannot be computed are not finite in ``newest``, and all 0 in ``scores``.
    """
    k_classes = len(newest)
    total = columns * k_classes
    last = total + k_classes
    right = bias[-1] if table.shape[1] > total else 0.0
    for r in range(k_classes):
        newest[r] = bias[r]
        scores[r] = bias[total + r] + (right - bias[last + r]) * bias[r] if right > 0.0 else 0.0
    for i in range(len(values)):
        x, j = np.float64(values[i]), coordinates[i]
        for r in range(k_classes):
            newest[r] += x * table[j, r]
        if right > 0.0:
            for r in range(k_classes):
                scores[r] += x * (table[j, total + r] + (right - table[j, last + r]) * table[j, r])
    sound = True
    for r in range(k_classes):
        scores[r] = scores[r] / right if right > 0.0 else newest[r]
        sound = sound and np.isfinite(scores[r])
    if not sound:
        scores[:] = 0.0


@compiled
def settle_class(table: Floats, j: int, columns: int, k_classes: int, r: int, now: float) -> None:
    """Bring the sum of one coordinate's weight for class r up to ``now``, if sums are kept. Before every change."""
    total, last = columns * k_classes + r, (columns + 1) * k_classes + r
    if table.shape[1] > columns * k_classes:
        table[j, total] += (now - table[j, last]) * table[j, r]
        table[j, last] = now


@compiled
def move_class(
    table: Floats,
    bias: Floats,
    coordinates: Coordinates,
    values: Data,
    k_classes: int,
    r: int,
    constant: float,
    step: float,
) -> None:
    """Add ``step``·x to the weights of class r, and to its bias; of learners that keep nothing but weights."""
    now = bias[-1]
    for i in range(len(values)):
        x = np.float64(values[i])
        if x != 0.0:
            settle_class(table, coordinates[i], 1, k_classes, r, now)
            table[coordinates[i], r] += step * x
    settle_class(bias.reshape(1, -1), 0, 1, k_classes, r, now)
    bias[r] += step * constant


@compiled
def square_length(values: Data, constant: float) -> float:
    """Return ``constant`` + ‖x‖²."""
    squares = constant
    for i in range(len(values)):
        x = np.float64(values[i])
        squares += x * x
    return squares


@compiled
def best_wrong(scores: Floats, label: int) -> int:
    """Return the class with the highest score but for ``label``, the first of equals."""
    best = 0 if label > 0 else 1
    for r in range(len(scores)):
        if r != label and scores[r] > scores[best]:
            best = r
    return best


@compiled
def _scores(
    table: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    scores: Floats,
    columns: int,
) -> None:
    newest = np.empty(scores.shape[1])
    for row in range(len(scores)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        judge(table, bias, coordinates, values, columns, newest, scores[row])
