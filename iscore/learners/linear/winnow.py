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

from extractors.numba_kernel import compiled
from iscore.learners.linear.linear_model import LinearClassifier
from iscore.learners.linear.margins import settle, told, was_right
from iscore.learners.linear.rows import Coordinates, Data, Ends, Ints, Rows, entries

Floats = npt.NDArray[np.float64]

LEAST, MOST = 2.0**-200, 2.0**200
"""Bounds of all weights, so that they neither vanish nor overflow."""

LEAST_REST = 1.0 / 16.0
"""Bound of 1 - x_j: an example of the bias alone has x_j = 1, and a weight times 0 would never come back."""

Rates = tuple[float, float, float, float, float]
"""α, β, μ, and what w, or u and v, start from."""

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
        # Of an array a single verb's call costs less than of a tuple.
        self._rates = np.array((self.alpha, self.beta, modified, first, second, self.theta, margin), dtype=np.float64)
        return start

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        _scores(table, self._bias, *rows, scores, self._rates.item(5), self.COLUMNS)

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(table, self._bias, *rows, signs, weights, scores, self._rates, self.COLUMNS)

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
    table: Floats, bias: Floats, coordinates: Coordinates, values: Data, columns: int
) -> tuple[float, float, float, float]:
    """Return Σ x·w over what is known, the same of the mean weights if there are any, and Σ x of known and unknown."""
    averaged = table.shape[1] > columns
    right = bias[-1] if averaged else 0.0
    inner = bias[0] - bias[1] if columns == 2 else bias[0]
    total = bias[columns] + (right - bias[columns + 1]) * inner if averaged else 0.0
    known, unknown = 1.0, 0.0
    for i in range(len(values)):
        x = np.float64(values[i])
        if x > 0.0:
            j = coordinates[i]
            w = table[j, 0]
            if w > 0.0:
                if columns == 2:
                    w -= table[j, 1]
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
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    scores: Floats,
    theta: float,
    columns: int,
) -> None:
    for row in range(len(scores)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        _, mean, known, _ = _judged(table, bias, coordinates, values, columns)
        scores[row] = told(mean / known - theta)


@compiled
def _bounded(w: float) -> float:
    return min(max(w, LEAST), MOST)


@compiled
def _moved(
    table: Floats,
    j: int,
    share: float,
    rates: Rates,
    columns: int,
    now: float,
    y: float,
    part: float,
) -> float:
    """Promote and demote the weights of a coordinate, of which μ·x_j is ``share``; return w, or u - v, after that."""
    alpha, beta, _, first_start, second_start = rates
    promotion = alpha * (1.0 + share)
    demotion = beta * max(1.0 - share, LEAST_REST)
    if part < 1.0:
        promotion, demotion = promotion**part, demotion**part
    first, second = table[j, 0], table[j, 1] if columns == 2 else 0.0
    if first == 0.0:
        first, second = first_start, second_start
    settle(table, j, columns, now, first - second)
    first = _bounded(first * (promotion if y > 0.0 else demotion))
    table[j, 0] = first
    if columns == 1:
        return first
    second = _bounded(second * (demotion if y > 0.0 else promotion))
    table[j, 1] = second
    return first - second


@compiled
def _updated(
    table: Floats,
    bias: Floats,
    coordinates: Coordinates,
    values: Data,
    rates: Rates,
    columns: int,
    y: float,
    part: float,
    total: float,
) -> float:
    """Update the weights of one example, of which Σ x is ``total``; return Σ x·w after that."""
    modified, now = rates[2], bias[-1]
    inner = 0.0
    for i in range(len(values)):
        x = np.float64(values[i])
        if x > 0.0:
            share = modified * x / total
            inner += x * _moved(table, coordinates[i], share, rates, columns, now, y, part)
    whole = bias.reshape(1, -1)
    return inner + _moved(whole, 0, modified / total, rates, columns, now, y, part)


@compiled
def _learn(
    table: Floats,
    bias: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    parameters: Floats,
    columns: int,
) -> int:
    changed = 0
    rates = parameters[0], parameters[1], parameters[2], parameters[3], parameters[4]
    begin, theta, least = parameters[3] - parameters[4], parameters[5], parameters[6]
    for row in range(len(signs)):
        coordinates, values = entries(indptr, indices, data, shared, row)
        inner, mean, known, unknown = _judged(table, bias, coordinates, values, columns)
        scores[row] = told(mean / known - theta)
        total = known + unknown
        score = (inner + unknown * begin) / total - theta
        if not np.isfinite(score):
            continue
        given = left = min(weights[row], np.float64(MOST_REPEATS))
        y = signs[row]
        while left > 0.0 and y * score <= least:
            part = min(left, 1.0)
            left -= part
            inner = _updated(table, bias, coordinates, values, rates, columns, y, part, total)
            score = inner / total - theta
        if left < given:
            changed += 1
        else:
            was_right(table, bias, columns, weights[row])
    return changed
