"""The Winnow family: multiplicative updates of positive weights, over features that are not negative.

    score = ⟨x, w⟩ - θ   or, balanced,   ⟨x, u⟩ - ⟨x, v⟩ - θ;   a mistake is y·score ≤ M;   for all j with x_j > 0

    promotion by α·(1 + μ·x_j),   demotion by β·(1 - μ·x_j),   where μ is 1 for the modified update, else 0

of w or u when y > 0 (promotion) or y < 0 (demotion), and of v the other way:

    Positive Winnow            w         μ = 0, M = 0
    Balanced Winnow            u and v   μ = 0, M = 0
    Modified Balanced Winnow   u and v   μ = 1, M ≥ 0

An example gets a bias feature of value 1 and is then divided by its sum. In scoring, features that are not in the
model, which no mistake has touched, are dropped before that; in learning they count with the start values. Values that
are not positive count as absent.

Sources: Littlestone 1988; Dagan, Karov, Roth 1997; Carvalho, Cohen 2006, section 2.1 and table 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import FIRST, Batch, Model, Packed, count_right, finite_or_zero, settle
from iscore.learners.linear.linear_classifier import LinearClassifier
from iscore.learners.linear.rows import Row, Rows, row_of
from iscore.learners.linear.update_rule import UpdateRule, finite

LEAST, MOST = 2.0**-200, 2.0**200
"""Bounds of all weights, so that they neither vanish nor overflow."""

LEAST_REST = 1.0 / 16.0
"""Bound of 1 - x_j: an example of the bias alone has x_j = 1, and a weight times 0 would never come back."""

MOST_REPEATS = 1000
"""More repetitions of one example than move a weight from one bound to the other with the usual α and β."""


class Parameters(NamedTuple):
    """The letters of the paper, and what w, or u and v, start from."""

    alpha: float
    beta: float
    theta: float
    mu: float
    M: float
    first: float
    second: float
    columns: int
    """1 for w, 2 for u and v."""


@inner
def bounded(w: float) -> float:
    """Return the weight within its bounds."""
    return min(max(w, LEAST), MOST)


@inner
def factors(share: float, part: float, p: Parameters) -> tuple[float, float]:
    """Return what promotion and demotion multiply a weight by; μ·x_j is ``share``, and ``part`` the exponent."""
    promotion = p.alpha * (1.0 + share)
    demotion = p.beta * max(1.0 - share, LEAST_REST)
    if part < 1.0:
        promotion, demotion = promotion**part, demotion**part
    return promotion, demotion


@inner
def _change(table: Floats, j: int, share: float, p: Parameters, now: float, y: float, part: float) -> float:
    """Update the weights of a coordinate; return w, or u - v, after that."""
    promotion, demotion = factors(share, part, p)
    first, second = table[j, 0], table[j, 1] if p.columns == 2 else 0.0
    if first == 0.0:
        first, second = p.first, p.second
    settle(table, j, p.columns, now, first - second)
    first = bounded(first * (promotion if y > 0.0 else demotion))
    table[j, 0] = first
    if p.columns == 1:
        return first
    second = bounded(second * (demotion if y > 0.0 else promotion))
    table[j, 1] = second
    return first - second


@inner
def _sums(model: Model, x: Row, columns: int) -> tuple[float, float, float, float]:
    """Return Σ x·w over what is known, the same of the mean weights if averaged, and Σ x of known and unknown."""
    table, bias = model
    averaged = table.shape[1] > columns
    right = bias[-1] if averaged else 0.0
    inner = bias[0] - bias[1] if columns == 2 else bias[0]
    total = bias[columns] + (right - bias[columns + 1]) * inner if averaged else 0.0
    known, unknown = 1.0, 0.0
    for i in range(len(x.values)):
        value = np.float64(x.values[i])
        if value > 0.0:
            j = x.indices[i]
            w = table[j, 0]
            if w > 0.0:
                if columns == 2:
                    w -= table[j, 1]
                inner += value * w
                known += value
                if averaged:
                    total += value * (table[j, columns] + (right - table[j, columns + 1]) * w)
            else:
                unknown += value
    return inner, total / right if right > 0.0 else inner, known, unknown


@compiled
def _score(packed: Packed, packed_rows: Packed, scores: Floats, theta: float, columns: int) -> None:
    model, rows = Model(*packed), Rows(*packed_rows)
    for i in range(len(scores)):
        _, mean, known, _ = _sums(model, row_of(rows, i), columns)
        scores[i] = finite_or_zero(mean / known - theta)


@inner
def _update(model: Model, x: Row, p: Parameters, y: float, part: float, total: float) -> float:
    """Update the weights of one example, of which Σ x is ``total``; return Σ x·w after that."""
    table, bias = model
    now = bias[-1]
    inner = 0.0
    for i in range(len(x.values)):
        value = np.float64(x.values[i])
        if value > 0.0:
            share = p.mu * value / total
            inner += value * _change(table, x.indices[i], share, p, now, y, part)
    return inner + _change(bias.reshape(1, -1), FIRST, p.mu / total, p, now, y, part)


@compiled
def _learn(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    p = Parameters(*parameters)
    begin = p.first - p.second
    for i in range(len(labels)):
        x, y = row_of(rows, i), labels[i]
        inner, mean, known, unknown = _sums(model, x, p.columns)
        scores[i] = finite_or_zero(mean / known - p.theta)
        total = known + unknown
        score = (inner + unknown * begin) / total - p.theta
        if not np.isfinite(score):
            continue
        given = left = min(weights[i], np.float64(MOST_REPEATS))
        while left > 0.0 and y * score <= p.M:
            part = min(left, 1.0)
            left -= part
            inner = _update(model, x, p, y, part, total)
            score = inner / total - p.theta
        if left == given:
            count_right(model, p.columns, weights[i])


class _WinnowRule(UpdateRule):
    """Winnow with one model, of which the weights start from ``starts``, or with two.

    An example of weight h is learned as if it came h times in a row, each time only if it is a mistake still; a
    fraction is the exponent of the last update. Raises ``ValueError`` for unusable parameters.
    """

    def __init__(
        self,
        alpha: float,
        beta: float,
        theta: float,
        starts: tuple[float, ...],
        *,
        margin: float = 0.0,
        modified: bool = False,
    ) -> None:
        if not 1.0 < alpha < math.inf:
            raise ValueError(f"alpha must be above 1, not {alpha}")
        if not 0.0 < beta < 1.0:
            raise ValueError(f"beta must be between 0 and 1, not {beta}")
        if not math.isfinite(theta):
            raise ValueError(f"theta must be finite, not {theta}")
        if not 0.0 <= margin < math.inf:
            raise ValueError(f"margin must be finite and not negative, not {margin}")
        start = np.array(starts, dtype=np.float64)
        if not ((start > 0.0) & (start < MOST)).all():
            raise ValueError(f"weights must start from positive numbers, not from {start.tolist()}")
        first, second = (*start.tolist(), 0.0)[:2]
        columns = len(starts)
        letters = float(alpha), float(beta), float(theta), float(modified), float(margin)
        super().__init__(_learn, (*letters, first, second, columns), columns=columns, start=start)
        self._theta = float(theta)

    def score(self, model: Packed, rows: Rows, scores: Floats) -> None:
        """See ``UpdateRule``."""
        _score(model, tuple(rows), scores, self._theta, self.columns)

    def newest(self, numbers: Floats) -> Floats:
        """See ``UpdateRule``."""
        return numbers[:, 0] - numbers[:, 1] if self.columns == 2 else numbers[:, 0]

    def parts(self, model: Packed, x: Floats, numbers: Floats) -> tuple[float, Floats]:
        """See ``UpdateRule``."""
        x = finite(x)
        x = np.where((x > 0.0) & (numbers[:, 0] > 0.0), x, 0.0)
        known = 1.0 + x.sum()
        return self.bias(model) / known - self._theta, x * self.weights(model, numbers) / known


@dataclass(kw_only=True, eq=False, repr=False)
class _Winnow(LinearClassifier):
    """What the three have in common.

    An example of weight h is learned as if it came h times in a row, each time only if it is a mistake still; a
    fraction is the exponent of the last update.
    """

    alpha: float = 1.5
    """Promotion α, above 1."""
    beta: float = 0.5
    """Demotion β, in (0, 1)."""
    theta: float = 1.0
    """Threshold θ."""

    NON_NEGATIVE = True

    def _rule(self, *starts: float, margin: float = 0.0, modified: bool = False) -> UpdateRule:
        return _WinnowRule(self.alpha, self.beta, self.theta, starts, margin=margin, modified=modified)


@dataclass(kw_only=True, eq=False, repr=False)
class PositiveWinnow(_Winnow):
    """Positive Winnow (PW), for two classes and features that are not negative.

    All features that are present change alike, whatever their values: from rows in which every feature is present it
    learns only the bias. ``QuantileBins`` codes such rows.

    Examples
    --------
    >>> learner = PositiveWinnow()
    >>> learner.learn_many([[1, 0], [0, 1], [1, 0], [0, 1]], [True, False, True, False]).tolist()
    [0.0, 0.0, 0.125, -0.375]
    >>> learner.score_one([1.0, 0.0]) > 0.0 > learner.score_one([0.0, 1.0])
    True
    """

    theta_0: float = 1.0
    """What w starts from, positive."""

    def _update_rule(self) -> UpdateRule:
        return self._rule(self.theta_0)


@dataclass(kw_only=True, eq=False, repr=False)
class BalancedWinnow(_Winnow):
    """Balanced Winnow (BW), for two classes and features that are not negative.

    All features that are present change alike, whatever their values: from rows in which every feature is present it
    learns only the bias. ``QuantileBins`` codes such rows.

    Examples
    --------
    >>> learner = BalancedWinnow()
    >>> learner.learn_many([[1, 0], [0, 1], [1, 0], [0, 1]], [True, False, True, False]).tolist()
    [0.0, 0.0, 0.625, -0.875]
    >>> learner.score_one([1.0, 0.0]) > 0.0 > learner.score_one([0.0, 1.0])
    True
    """

    theta_plus: float = 2.0
    """What u starts from, positive."""
    theta_minus: float = 1.0
    """What v starts from, positive."""

    def _update_rule(self) -> UpdateRule:
        return self._rule(self.theta_plus, self.theta_minus)


@dataclass(kw_only=True, eq=False, repr=False)
class ModifiedBalancedWinnow(_Winnow):
    """Modified Balanced Winnow (MBW), for two classes and features that are not negative.

    Examples
    --------
    >>> learner = ModifiedBalancedWinnow()
    >>> learner.learn_many([[1, 0], [0, 1], [1, 0], [0, 1]], [True, False, True, False]).tolist()
    [0.0, 0.0, 1.40625, -1.59375]
    >>> learner.score_one([1.0, 0.0]) > 0.0 > learner.score_one([0.0, 1.0])
    True
    """

    margin: float = 1.0
    """M, not negative."""
    theta_plus: float = 2.0
    """What u starts from, positive. With the defaults of it and of v nothing is learned at score 0."""
    theta_minus: float = 1.0
    """What v starts from, positive."""

    def _update_rule(self) -> UpdateRule:
        return self._rule(self.theta_plus, self.theta_minus, margin=self.margin, modified=True)
