"""Logistic regression with a bias, solved to the end: its one minimum, whatever it is started from.

    |w|²/2 + Σ cost · ln(1 + e^−margin),      margin = sign · w · (x, 1)

By Newton's method with conjugate gradients (Lin, Weng, Keerthi 2008, "Trust region Newton method for large-scale
logistic regression"; here with a line search). At the minimum w is a sum of articles, Σ amount · (x, 1), so the amounts
are the unknowns: there are far fewer articles than words. With K = X Xᵀ and D = cost · p · (1 − p) a Newton step solves

    (1 + D K) step = −(amounts + slopes)

which is symmetric in the inner product u · K v. K itself is never made: K v is a sum of articles, and its product with
each of them. Descent in one amount at a time still moves scores by tenths after a hundred rounds, because the bias and
the dimensions of LSA are common to all articles.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p, sqrt
from typing import NamedTuple

import numpy as np

from extractors.arrays import Floats, Int64s
from extractors.lsa import DIMENSIONS
from extractors.numba_kernel import compiled, inner
from iscore.filtering.decision.vectors import Rows, Vectors, Weights, add_rows

GRADIENT = 1e-3
"""Length of the gradient at which the minimum is reached. The function is everywhere at least as curved as |w|²/2, so w
is at most as far from its minimum, and a score, |(x, 1)|² ≤ 2.25, at most 0.0015; in trials it was 0.0002 at most."""
NEWTON_STEPS, CONJUGATE_STEPS = 100, 250
"""Bounds that were never reached: some 8 steps of 4 are needed."""
RESIDUAL = 0.03
"""A Newton step is solved until its residual is this part of the gradient."""
ENOUGH, ROUNDING = 1e-4, 1e-12
"""A step is halved until the function falls by this part of what its slope promises, but for errors of rounding."""


class Problem(NamedTuple):
    """What is fitted; arrays of shape (articles,)."""

    rows: Rows
    places: Int64s
    """The articles, as places in ``rows``."""
    signs: Floats
    """1 for liked, −1 for disliked."""
    costs: Floats
    """Of an error; an article that costs 0 does not take part."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The minimum."""

    weights: Weights
    bias: float
    amounts: Floats
    """Of each article in w; shape (articles,)."""
    gradient: float
    """Length of the gradient there."""


def minimum(vectors: Vectors, places: Int64s, signs: Floats, costs: Floats, start: Floats) -> Solution:
    """Return the minimum; parameters are those of ``Problem``, and the amounts to start from, zeros if none is known.

    Where it starts costs or saves time, and changes nothing else. The amounts of a similar problem are the best start,
    also those of articles that no longer take part.
    """
    amounts = start.copy()
    gradient = _minimise(Problem(vectors.rows, places, signs, costs), amounts, vectors.zero())
    weights = vectors.zero()
    add_rows(vectors.rows, places, amounts, weights)
    return Solution(weights, float(amounts.sum()), amounts, gradient)


class _System(NamedTuple):
    """A Newton step, (1 + D K) step = residuals; arrays of shape (articles,)."""

    curvatures: Floats
    """The diagonal of D."""
    residuals: Floats
    products: Floats
    """K · residuals."""
    step: Floats
    change: Floats
    """K · step: how the step changes scores."""
    direction: Floats
    ahead: Floats
    """K · direction."""


@compiled
def _minimise(problem: Problem, amounts: Floats, scratch: Weights) -> float:
    """Move ``amounts`` to the minimum; return the length of the gradient there."""
    return _descend(problem, amounts, scratch)  # what a kernel and an inner function call is compiled twice


@inner
def _descend(problem: Problem, amounts: Floats, scratch: Weights) -> float:
    n = len(amounts)
    signs, costs, scores = problem.signs, problem.costs, np.empty(n)
    system = _System(np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n))
    _multiply(problem, amounts, scratch, scores)
    length = 0.0
    for _ in range(NEWTON_STEPS):
        for i in range(n):
            error = 1.0 / (1.0 + exp(min(signs[i] * scores[i], 700.0)))
            system.curvatures[i] = costs[i] * error * (1.0 - error)
            system.residuals[i] = signs[i] * costs[i] * error - amounts[i]
        _multiply(problem, system.residuals, scratch, system.products)
        length = sqrt(max(_product(system.residuals, system.products), 0.0))
        if length <= GRADIENT:
            break
        slope = _solve(problem, system, scratch)
        value, part = _value(problem, amounts, scores, system, 0.0), 1.0
        allowed = value * (1.0 + ROUNDING)
        while part > ROUNDING and _value(problem, amounts, scores, system, part) > allowed - ENOUGH * part * slope:
            part *= 0.5
        for i in range(n):
            amounts[i] += part * system.step[i]
            scores[i] += part * system.change[i]
    return length


@inner
def _solve(problem: Problem, system: _System, scratch: Weights) -> float:
    """Find the step by conjugate gradients; return how steeply the function falls along it."""
    n = len(problem.places)
    curvatures, residuals, products, step, change, direction, ahead = system
    downwards = products.copy()
    square = _product(residuals, products)
    goal = RESIDUAL * RESIDUAL * square
    for i in range(n):  # an array assigned to a slice would compile numba's messages of error, for seconds
        step[i], change[i], direction[i], ahead[i] = 0.0, 0.0, residuals[i], products[i]
    for _ in range(CONJUGATE_STEPS):
        curvature = 0.0
        for i in range(n):
            curvature += (direction[i] + curvatures[i] * ahead[i]) * ahead[i]
        part = square / curvature
        for i in range(n):
            step[i] += part * direction[i]
            change[i] += part * ahead[i]
            residuals[i] -= part * (direction[i] + curvatures[i] * ahead[i])
        _multiply(problem, residuals, scratch, products)
        last, square = square, _product(residuals, products)
        if square <= goal:
            break
        for i in range(n):
            direction[i] = residuals[i] + square / last * direction[i]
            ahead[i] = products[i] + square / last * ahead[i]
    return _product(step, downwards)


@inner
def _value(problem: Problem, amounts: Floats, scores: Floats, system: _System, part: float) -> float:
    """Return the function where a part of the step leads."""
    total = 0.0
    for i in range(len(amounts)):
        score = scores[i] + part * system.change[i]
        margin = problem.signs[i] * score
        loss = log1p(exp(-abs(margin))) - min(margin, 0.0)
        total += 0.5 * (amounts[i] + part * system.step[i]) * score + problem.costs[i] * loss
    return total


@inner
def _product(left: Floats, right: Floats) -> float:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@inner
def _multiply(problem: Problem, amounts: Floats, scratch: Weights, products: Floats) -> None:
    """Write K · amounts into ``products``; ``scratch`` is zero before and afterwards."""
    rows, words, topics = problem.rows, scratch.words, scratch.topics
    # Unsigned places save the question whether they count from the end: half of the time.
    bias, one, four = 0.0, np.uint64(1), np.uint64(4)
    for i in range(len(amounts)):
        row, amount = problem.places[i], amounts[i]
        for entry in range(np.uint64(rows.indptr[row]), np.uint64(rows.indptr[row + 1])):
            words[np.uint32(rows.words[entry])] += amount * rows.weights[entry]
        for dimension in range(DIMENSIONS):
            topics[dimension] += amount * rows.topics[row, dimension]
        bias += amount
    # Several sums at a time: each addition would wait for the one before.
    for i in range(len(amounts)):
        row = problem.places[i]
        at, end = np.uint64(rows.indptr[row]), np.uint64(rows.indptr[row + 1])
        a, b, c, d = bias, 0.0, 0.0, 0.0
        while at + four <= end:
            a += rows.weights[at] * words[np.uint32(rows.words[at])]
            b += rows.weights[at + one] * words[np.uint32(rows.words[at + one])]
            c += rows.weights[at + one + one] * words[np.uint32(rows.words[at + one + one])]
            d += rows.weights[at + four - one] * words[np.uint32(rows.words[at + four - one])]
            at += four
        while at < end:
            a += rows.weights[at] * words[np.uint32(rows.words[at])]
            at += one
        for place in range(8):
            total = 0.0
            for dimension in range(place, DIMENSIONS, 8):
                total += rows.topics[row, dimension] * topics[dimension]
            a += total
        products[i] = (a + b) + (c + d)
    words[:] = 0.0
    topics[:] = 0.0
