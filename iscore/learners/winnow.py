"""The Winnow family: multiplicative updates of positive weights, over features that are not negative.

    score = ⟨x, w⟩ - θ   or, balanced,   ⟨x, u⟩ - ⟨x, v⟩ - θ;   a mistake is y·score ≤ M;   for all j with x_j > 0

    promotion by α·(1 + μ·x_j),   demotion by β·(1 - μ·x_j),   where μ is 1 for the modified update, else 0

of w or u when y > 0 (promotion) or y < 0 (demotion), and of v the other way. An example gets a bias feature of value 1
and is then divided by its sum. In scoring, features that are not in the model, which no mistake has touched, are
dropped before that; in learning they count with the start values. What is not positive is not there.

Source: Carvalho, Cohen 2006, section 2.1 and table 2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_non_negative

from extractors.compiled import compiled
from iscore.learners.linear_model import LinearClassifier
from iscore.learners.rows import Data, Rows

Floats = npt.NDArray[np.float64]

LEAST, MOST = 2.0**-200, 2.0**200
"""Bounds of all weights, so that they neither vanish nor overflow."""

LEAST_REST = 1.0 / 16.0
"""Bound of 1 - x_j: an example of the bias alone has x_j = 1, and a weight times 0 would never come back."""

MOST_REPEATS = 1000
"""More repetitions of one example than move a weight from one bound to the other with the usual α and β."""


class Winnow(LinearClassifier):
    """Base of the Winnow family. ``COLUMNS`` is 1, for w, or 2, for u and v.

    An example of weight h is learned as if it came h times in a row, each time only if it is a mistake still; a
    fraction is the exponent of the last update.
    """

    alpha: float
    beta: float
    theta: float

    def _started(self, first: float, second: float = 0.0, *, margin: float = 0.0, modified: bool = False) -> Floats:
        """Return what the bias starts from: w, or u and v. Raises ``ValueError`` for unusable parameters."""
        if not 1.0 < self.alpha < math.inf:
            raise ValueError(f"alpha must be above 1, not {self.alpha}")
        if not 0.0 < self.beta < 1.0:
            raise ValueError(f"beta must be between 0 and 1, not {self.beta}")
        if not math.isfinite(self.theta):
            raise ValueError(f"theta must be finite, not {self.theta}")
        if not 0.0 <= margin < math.inf:
            raise ValueError(f"margin must be finite and not negative, not {margin}")
        start = np.array((first, second)[: self.COLUMNS], dtype=np.float64)
        if not ((start > 0.0) & (start < MOST)).all():
            raise ValueError(f"weights must start from positive numbers, not from {start.tolist()}")
        self._rates = (float(self.alpha), float(self.beta), float(self.theta), float(margin), float(modified))
        self._from = float(first), float(second)
        return start

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        _scores(table, self._bias, *rows, scores, self._rates[2], self.COLUMNS)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(table, self._bias, *rows, signs, weights, scores, self._rates, self._from, self.COLUMNS)

    def _newest(self, numbers: Floats) -> Floats:
        return numbers[:, 0] - numbers[:, 1] if self.COLUMNS == 2 else numbers[:, 0]

    def _parts(self, x: Floats, numbers: Floats) -> tuple[float, Floats]:
        x = np.where((x > 0.0) & (numbers[:, 0] > 0.0), x, 0.0)
        known = 1.0 + x.sum()
        return self._bias_weight() / known - self.theta, x * self._weights(numbers) / known

    def _check_values(self, X: Any) -> None:
        check_non_negative(X, type(self).__name__)

    def __sklearn_tags__(self) -> Any:
        """Say that negative values are refused, and that a few dense features teach little."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.positive_only = True
        return tags


@compiled
def _judged(
    table: Floats,
    bias: Floats,
    begin: int,
    end: int,
    shift: int,
    indices: npt.NDArray[np.int32],
    data: Data,
    columns: int,
) -> tuple[float, float, float, float]:
    """Return Σ x·w over what is known, the same of the mean weights if there are any, and Σ x of known and unknown."""
    averaged = table.shape[1] > columns
    right = bias[columns + 2] if averaged else 0.0
    inner = bias[0] - bias[1] if columns == 2 else bias[0]
    total = bias[columns] + (right - bias[columns + 1]) * inner if averaged else 0.0
    known, unknown = 1.0, 0.0
    for k in range(begin, end):
        x = np.float64(data[k])
        j = indices[k - shift]
        if 0.0 < x < np.inf:
            if table[j, 0] > 0.0:
                w = table[j, 0] - table[j, 1] if columns == 2 else table[j, 0]
                inner += x * w
                known += x
                if averaged:
                    total += x * (table[j, columns] + (right - table[j, columns + 1]) * w)
            else:
                unknown += x
    return inner, total / right if right > 0.0 else inner, known, unknown


@compiled
def _scores(
    table: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: Data,
    shared: bool,
    scores: Floats,
    theta: float,
    columns: int,
) -> None:
    for row in range(len(scores)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        _, mean, known, _ = _judged(table, bias, begin, end, shift, indices, data, columns)
        score = mean / known - theta
        scores[row] = score if np.isfinite(score) else 0.0


@compiled
def _updated(
    table: Floats,
    bias: Floats,
    begin: int,
    end: int,
    shift: int,
    indices: npt.NDArray[np.int32],
    data: Data,
    rates: tuple[float, float, float, float, float],
    start: tuple[float, float],
    columns: int,
    y: float,
    part: float,
    total: float,
) -> float:
    """Update the weights of one example, of which Σ x is ``total``; return Σ x·w after that."""
    alpha, beta, modified = rates[0], rates[1], rates[4]
    averaged = table.shape[1] > columns
    right = bias[columns + 2] if averaged else 0.0
    inner = 0.0
    # The bias is the last coordinate of the example.
    for k in range(begin, end + 1):
        x = np.float64(1.0) if k == end else np.float64(data[k])
        if not 0.0 < x < np.inf:
            continue
        promotion = alpha * (1.0 + modified * x / total)
        demotion = beta * max(1.0 - modified * x / total, LEAST_REST)
        if part < 1.0:
            promotion, demotion = promotion**part, demotion**part
        numbers = bias if k == end else table[indices[k - shift]]
        if numbers[0] == 0.0:
            numbers[:columns] = start[0]
            if columns == 2:
                numbers[1] = start[1]
        if averaged:
            w = numbers[0] - numbers[1] if columns == 2 else numbers[0]
            numbers[columns] += (right - numbers[columns + 1]) * w
            numbers[columns + 1] = right
        numbers[0] = min(max(numbers[0] * (promotion if y > 0.0 else demotion), LEAST), MOST)
        w = numbers[0]
        if columns == 2:
            numbers[1] = min(max(numbers[1] * (demotion if y > 0.0 else promotion), LEAST), MOST)
            w -= numbers[1]
        inner += x * w
    return inner


@compiled
def _learn(
    table: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    rates: tuple[float, float, float, float, float],
    start: tuple[float, float],
    columns: int,
) -> int:
    changed = 0
    theta, margin = rates[2], rates[3]
    for row in range(len(signs)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        inner, mean, known, unknown = _judged(table, bias, begin, end, shift, indices, data, columns)
        score = mean / known - theta
        scores[row] = score if np.isfinite(score) else 0.0
        total = known + unknown
        score = (inner + unknown * (start[0] - start[1])) / total - theta
        if not np.isfinite(score):
            continue
        given = left = min(weights[row], np.float64(MOST_REPEATS))
        y = signs[row]
        while left > 0.0 and y * score <= margin:
            part = min(left, 1.0)
            left -= part
            inner = _updated(table, bias, begin, end, shift, indices, data, rates, start, columns, y, part, total)
            score = inner / total - theta
        if left < given:
            changed += 1
        elif table.shape[1] > columns:
            bias[columns + 2] += weights[row]
    return changed
