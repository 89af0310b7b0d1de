"""Modified Balanced Winnow: multiplicative updates of a positive model u and a negative model v, with a margin.

    score = ⟨x, u⟩ - ⟨x, v⟩ - θ;   a mistake is y·score ≤ M;   at a mistake, for all j with x_j > 0

    y > 0:  u_j ← u_j·α·(1 + x_j),   v_j ← v_j·β·(1 - x_j)
    y < 0:  u_j ← u_j·β·(1 - x_j),   v_j ← v_j·α·(1 + x_j)

An example gets a bias feature of value 1 and is then divided by its sum. In scoring, features that are not in the
model, which no mistake has touched, are dropped before that; in learning they count with the start values. What is
not positive is not there.

Source: Carvalho, Cohen 2006, section 2.1 and table 2.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

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


class ModifiedBalancedWinnow(LinearClassifier):
    """Modified Balanced Winnow (MBW) for two classes and features that are not negative.

    An example of weight h is learned as if it came h times in a row, each time only if it is a mistake still; a
    fraction is the exponent of the last update.

    Parameters
    ----------
    alpha
        Promotion α, above 1.
    beta
        Demotion β, in (0, 1).
    theta
        Threshold θ.
    margin
        M, not negative.
    theta_plus, theta_minus
        What u and v start from, both positive. With the defaults nothing is learned at score 0.
    n_features, grow
        See ``LinearClassifier``.
    """

    COLUMNS: ClassVar[int] = 2

    def __init__(
        self,
        *,
        alpha: float = 1.5,
        beta: float = 0.5,
        theta: float = 1.0,
        margin: float = 1.0,
        theta_plus: float = 2.0,
        theta_minus: float = 1.0,
        n_features: int | None = None,
        grow: bool = False,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.theta = theta
        self.margin = margin
        self.theta_plus = theta_plus
        self.theta_minus = theta_minus
        self.n_features = n_features
        self.grow = grow

    def _start(self) -> Floats:
        if not 1.0 < self.alpha < math.inf:
            raise ValueError(f"alpha must be above 1, not {self.alpha}")
        if not 0.0 < self.beta < 1.0:
            raise ValueError(f"beta must be between 0 and 1, not {self.beta}")
        if not math.isfinite(self.theta):
            raise ValueError(f"theta must be finite, not {self.theta}")
        if not 0.0 <= self.margin < math.inf:
            raise ValueError(f"margin must be finite and not negative, not {self.margin}")
        if not (0.0 < self.theta_plus < MOST and 0.0 < self.theta_minus < MOST):
            raise ValueError(f"theta_plus and theta_minus must be positive, not {self.theta_plus}, {self.theta_minus}")
        return np.array((self.theta_plus, self.theta_minus), dtype=np.float64)

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        _scores(table, self._bias, *rows, scores, float(self.theta))

    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        return _learn(
            table,
            self._bias,
            *rows,
            signs,
            weights,
            scores,
            float(self.alpha),
            float(self.beta),
            float(self.theta),
            float(self.margin),
            float(self.theta_plus),
            float(self.theta_minus),
        )

    def _learn_rows(self, X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Self:
        check_non_negative(X, "ModifiedBalancedWinnow")
        return super()._learn_rows(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        """Say that negative values are refused, and that a few dense features teach little."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.positive_only = True
        return tags


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
) -> None:
    for row in range(len(scores)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        inner = bias[0] - bias[1]
        known = 1.0
        for k in range(begin, end):
            x = np.float64(data[k])
            j = indices[k - shift]
            if 0.0 < x < np.inf and table[j, 0] > 0.0:
                inner += x * (table[j, 0] - table[j, 1])
                known += x
        score = inner / known - theta
        scores[row] = score if np.isfinite(score) else 0.0


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
    alpha: float,
    beta: float,
    theta: float,
    margin: float,
    theta_plus: float,
    theta_minus: float,
) -> int:
    changed = 0
    for row in range(len(signs)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        inner = bias[0] - bias[1]
        known, unknown = 1.0, 0.0
        for k in range(begin, end):
            x = np.float64(data[k])
            j = indices[k - shift]
            if 0.0 < x < np.inf:
                if table[j, 0] > 0.0:
                    inner += x * (table[j, 0] - table[j, 1])
                    known += x
                else:
                    unknown += x
        score = inner / known - theta
        scores[row] = score if np.isfinite(score) else 0.0
        total = known + unknown
        score = (inner + unknown * (theta_plus - theta_minus)) / total - theta
        if not np.isfinite(score):
            continue
        given = left = min(weights[row], np.float64(MOST_REPEATS))
        up = 0 if signs[row] > 0.0 else 1
        down = 1 - up
        while left > 0.0 and signs[row] * score <= margin:
            part = min(left, 1.0)
            left -= part
            inner = 0.0
            # The bias is the last coordinate of the example.
            for k in range(begin, end + 1):
                x = np.float64(1.0) if k == end else np.float64(data[k])
                if not 0.0 < x < np.inf:
                    continue
                promotion = alpha * (1.0 + x / total)
                demotion = beta * max(1.0 - x / total, LEAST_REST)
                if part < 1.0:
                    promotion, demotion = promotion**part, demotion**part
                pair = bias if k == end else table[indices[k - shift]]
                if pair[0] == 0.0:
                    pair[0], pair[1] = theta_plus, theta_minus
                pair[up] = min(pair[up] * promotion, MOST)
                pair[down] = max(pair[down] * demotion, LEAST)
                inner += x * (pair[0] - pair[1])
            score = inner / total - theta
        if left < given:
            changed += 1
    return changed
