"""Logistic regression with a bias, solved to the end: its one minimum.

    |w|²/2 + Σ cost · ln(1 + e^−margin),      margin = sign · w · (x, 1)

By Newton's method with conjugate gradients (Lin, Weng, Keerthi 2008, "Trust region Newton method for large-scale
logistic regression"; here with a line search). At the minimum w is a sum of articles, Σ amount · (x, 1), so the amounts
are the unknowns: there are far fewer articles than words. With K = X Xᵀ and D = cost · p · (1 − p) a Newton step solves

    (1 + D K) step = −(amounts + slopes)

which is symmetric in the inner product u · K v. K itself is never made: K v is a sum of articles, and its product with
each of them. Descent in one amount at a time still moves scores by tenths after a hundred rounds, because the bias and
the dimensions of stream vectors and meanings are common to all articles.

Nearly all of the time goes into K v, and most of that into reading the articles' words. So ``FITS`` fits that differ in
costs only, a whole one and those without a fold, go in step: each product is made for all of them at once. What one of
them does is the same whatever the others are; one that is finished waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p, sqrt
from typing import NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats, Int64s
from extractors.numba_kernel import compiled, inner
from iscore.filtering.ranking.vectors import Rows, Vectors, Weights

FITS = 4
"""Fits that go in step. The loops over words are written for four."""
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
    """What is fitted."""

    rows: Rows
    vocabulary: int
    places: Int64s
    """The articles, as places in ``rows``."""
    stream: Floats
    """``rows.stream`` of the articles the other way round, shape (dimensions, articles); a multiple of four dimensions.
    """
    signs: Floats
    """1 for liked, −1 for disliked; shape (articles,)."""
    costs: Floats
    """Of an error in each fit, shape (FITS, articles); an article that costs 0 does not take part."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The minimum."""

    weights: Weights
    bias: float
    gradient: float
    """Length of the gradient there."""


def minimum(vectors: Vectors, places: Int64s, signs: Floats, costs: Floats) -> list[Solution]:
    """Return the minimum of each of some fits, whose costs are the rows of ``costs``; see ``Problem``."""
    stream = np.ascontiguousarray(vectors.rows.stream[places].T)
    solutions = []
    for start in range(0, len(costs), FITS):
        some = costs[start : start + FITS]
        full = np.zeros((FITS, len(places)))
        full[: len(some)] = some
        problem = Problem(vectors.rows, vectors.vocabulary, places, stream, signs, full)
        amounts = np.zeros(full.shape)
        gradients = _minimise(problem, amounts)
        for own, gradient in zip(amounts[: len(some)], gradients, strict=False):
            solutions.append(Solution(vectors.sum(places, own), float(own.sum()), float(gradient)))
    return solutions


class _System(NamedTuple):
    """The Newton steps of all fits, (1 + D K) step = residuals; arrays of shape (FITS, articles)."""

    curvatures: Floats
    """The diagonals of D."""
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
def _minimise(problem: Problem, amounts: Floats) -> Floats:
    """Move the ``amounts`` of all fits from 0 to their minima; return the lengths of the gradients there."""
    return _descend(problem, amounts)  # what a kernel and an inner function call is compiled twice


@inner
def _descend(problem: Problem, amounts: Floats) -> Floats:
    n = len(problem.places)
    scratch = Weights(np.zeros((problem.vocabulary, FITS)), np.zeros((FITS, len(problem.stream))))
    new = np.zeros((7, FITS, n))
    system = _System(new[0], new[1], new[2], new[3], new[4], new[5], new[6])
    scores, lengths, unfinished = np.zeros((FITS, n)), np.zeros(FITS), np.zeros(FITS, dtype=np.bool_)
    values = np.empty(FITS)
    for fit in range(FITS):
        values[fit] = _value(problem, amounts, scores, system, fit, 0.0)
    for _ in range(NEWTON_STEPS):
        for fit in range(FITS):
            _linearise(problem, amounts, scores, system, fit)
        _multiply(problem, system.residuals, scratch, system.products)
        for fit in range(FITS):
            lengths[fit] = sqrt(max(_product(system.residuals[fit], system.products[fit]), 0.0))
            unfinished[fit] = lengths[fit] > GRADIENT
        if not unfinished.any():
            break
        downwards = system.products.copy()
        _solve(problem, system, unfinished, scratch)
        for fit in range(FITS):
            if unfinished[fit]:
                slope = _product(system.step[fit], downwards[fit])
                values[fit] = _search(problem, amounts, scores, system, fit, slope, values[fit])
    return lengths


@inner
def _linearise(problem: Problem, amounts: Floats, scores: Floats, system: _System, fit: int) -> None:
    """Write the curvatures of one fit and what is left of its slopes."""
    for i in range(len(problem.signs)):
        sign, cost = problem.signs[i], problem.costs[fit, i]
        error = 1.0 / (1.0 + exp(min(sign * scores[fit, i], 700.0)))
        system.curvatures[fit, i] = cost * error * (1.0 - error)
        system.residuals[fit, i] = sign * cost * error - amounts[fit, i]


@inner
def _solve(problem: Problem, system: _System, unfinished: Bools, scratch: Weights) -> None:
    """Find the steps of the ``unfinished`` fits by conjugate gradients."""
    squares, goals, solving = np.zeros(FITS), np.zeros(FITS), unfinished.copy()
    for fit in range(FITS):
        squares[fit] = _product(system.residuals[fit], system.products[fit])
        goals[fit] = RESIDUAL * RESIDUAL * squares[fit]
        for i in range(len(problem.places)):
            system.step[fit, i], system.change[fit, i] = 0.0, 0.0
            system.direction[fit, i], system.ahead[fit, i] = system.residuals[fit, i], system.products[fit, i]
    for _ in range(CONJUGATE_STEPS):
        for fit in range(FITS):
            if solving[fit]:
                _advance(system, fit, squares[fit])
        _multiply(problem, system.residuals, scratch, system.products)
        for fit in range(FITS):
            if solving[fit]:
                square = _product(system.residuals[fit], system.products[fit])
                solving[fit] = square > goals[fit]
                _turn(system, fit, square / squares[fit])
                squares[fit] = square
        if not solving.any():
            break


@inner
def _advance(system: _System, fit: int, square: float) -> None:
    """Go along the direction of one fit as far as its function falls; ``square`` is that of its gradient."""
    curvatures, residuals = system.curvatures[fit], system.residuals[fit]
    step, change, direction, ahead = system.step[fit], system.change[fit], system.direction[fit], system.ahead[fit]
    curvature = 0.0
    for i in range(len(step)):
        curvature += (direction[i] + curvatures[i] * ahead[i]) * ahead[i]
    part = square / curvature
    for i in range(len(step)):
        step[i] += part * direction[i]
        change[i] += part * ahead[i]
        residuals[i] -= part * (direction[i] + curvatures[i] * ahead[i])


@inner
def _turn(system: _System, fit: int, part: float) -> None:
    """Take the next direction of one fit: that of its gradient, and a part of the last one."""
    residuals, products = system.residuals[fit], system.products[fit]
    direction, ahead = system.direction[fit], system.ahead[fit]
    for i in range(len(direction)):
        direction[i] = residuals[i] + part * direction[i]
        ahead[i] = products[i] + part * ahead[i]


@inner
def _search(
    problem: Problem, amounts: Floats, scores: Floats, system: _System, fit: int, slope: float, value: float
) -> float:
    """Move one fit along its step, or a part of it, as far as its function falls from ``value``; return the new one."""
    allowed, part = value * (1.0 + ROUNDING), 1.0
    while True:
        value = _value(problem, amounts, scores, system, fit, part)
        if part <= ROUNDING or value <= allowed - ENOUGH * part * slope:
            break
        part *= 0.5
    for i in range(len(problem.signs)):
        amounts[fit, i] += part * system.step[fit, i]
        scores[fit, i] += part * system.change[fit, i]
    return value


@inner
def _value(problem: Problem, amounts: Floats, scores: Floats, system: _System, fit: int, part: float) -> float:
    """Return the function of one fit where a part of its step leads."""
    total = 0.0
    for i in range(len(problem.signs)):
        score = scores[fit, i] + part * system.change[fit, i]
        margin = problem.signs[i] * score
        loss = log1p(exp(-abs(margin))) - min(margin, 0.0)
        total += 0.5 * (amounts[fit, i] + part * system.step[fit, i]) * score + problem.costs[fit, i] * loss
    return total


@inner
def _product(left: Floats, right: Floats) -> float:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@inner
def _multiply(problem: Problem, amounts: Floats, scratch: Weights, products: Floats) -> None:
    """Write K · amounts of all fits into ``products``."""
    rows, places, (words, stream) = problem.rows, problem.places, scratch
    words[:] = 0.0
    stream[:] = 0.0
    bias_a, bias_b, bias_c, bias_d = 0.0, 0.0, 0.0, 0.0
    # Unsigned places save the question whether they count from the end: half of the time.
    for i in range(len(places)):
        row = places[i]
        a, b, c, d = amounts[0, i], amounts[1, i], amounts[2, i], amounts[3, i]
        for entry in range(np.uint64(rows.indptr[row]), np.uint64(rows.indptr[row + 1])):
            word, weight = np.uint32(rows.words[entry]), rows.weights[entry]
            words[word, 0] += a * weight
            words[word, 1] += b * weight
            words[word, 2] += c * weight
            words[word, 3] += d * weight
        bias_a, bias_b, bias_c, bias_d = bias_a + a, bias_b + b, bias_c + c, bias_d + d
    for i in range(len(places)):
        row = places[i]
        a, b, c, d = amounts[0, i], amounts[1, i], amounts[2, i], amounts[3, i]
        for dimension in range(len(problem.stream)):
            topic = rows.stream[row, dimension]
            stream[0, dimension] += a * topic
            stream[1, dimension] += b * topic
            stream[2, dimension] += c * topic
            stream[3, dimension] += d * topic
    for i in range(len(places)):
        row = places[i]
        a, b, c, d = bias_a, bias_b, bias_c, bias_d
        for entry in range(np.uint64(rows.indptr[row]), np.uint64(rows.indptr[row + 1])):
            word, weight = np.uint32(rows.words[entry]), rows.weights[entry]
            a += weight * words[word, 0]
            b += weight * words[word, 1]
            c += weight * words[word, 2]
            d += weight * words[word, 3]
        products[0, i], products[1, i], products[2, i], products[3, i] = a, b, c, d
    # Four dimensions at a time, of one article after the other: the processor does several articles at once.
    for dimension in range(0, len(problem.stream), 4):
        first, second = problem.stream[dimension], problem.stream[dimension + 1]
        third, fourth = problem.stream[dimension + 2], problem.stream[dimension + 3]
        for fit in range(FITS):
            a, b = stream[fit, dimension], stream[fit, dimension + 1]
            c, d = stream[fit, dimension + 2], stream[fit, dimension + 3]
            for i in range(len(places)):
                products[fit, i] += (a * first[i] + b * second[i]) + (c * third[i] + d * fourth[i])
