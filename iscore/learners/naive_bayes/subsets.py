"""The nested subsets of the most useful features, and which of them has decided best so far.

Subset k has the k features whose correlation with the labels is largest in size. Naive Bayes factorises, so one
sort and one cumulative sum give the scores of all subsets. Each k keeps the weight of the true positives, false
positives and false negatives of its own decisions, S_k > 0, on examples it had not yet learned. S_k is calibrated
(``calibration``): log-ratios of many correlated features add up to too much, and uncalibrated scores of two subsets
cannot be compared with one threshold.

Source: Pon, Cardenas, Buttler 2008, section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats, Ints
from iscore.learners.naive_bayes import calibration, correlation
from iscore.learners.naive_bayes.example import Example

_FEWEST, _update_lines = calibration.FEWEST, calibration.update
_update_moments, _correlations = correlation.update, correlation.correlations


class Selection(NamedTuple):
    """What is learned about n features and their subsets. Kernels change the arrays."""

    order: Ints
    """The features by falling usefulness, shape (n,)."""
    counts: Floats
    """Weight of true positives, false positives and false negatives of subset k in column k - 1, shape (3, n)."""
    lines: Floats
    """Calibration of each subset, shape (5, n); see ``calibration``."""
    moments: Floats
    """Shape (6, n); see ``correlation``."""
    beta2: float
    """β²."""
    calibrated: bool


@compiled
def rank(order: Ints, r: Floats) -> None:
    """Sort the features in ``order`` (n,), modified, by falling |r| (n,); ties by the order of the features.

    Insertion sort: from one example to the next the order hardly changes.
    """
    for place in range(1, len(order)):
        feature = order[place]
        utility = abs(r[feature])
        hole = place
        while hole > 0:
            other = order[hole - 1]
            before = abs(r[other])
            if before > utility or (before == utility and other < feature):
                break
            order[hole] = other
            hole -= 1
        order[hole] = feature


@compiled
def scores(order: Ints, lines: Floats, ratios: Floats, size: int, prior: float) -> Floats:
    """Return the scores of the rows of ``ratios`` (m, n) by the subset of that size, shape (m,)."""
    slope, intercept = lines[0, size - 1], prior + lines[1, size - 1]
    result = np.empty(ratios.shape[0])
    for row in range(ratios.shape[0]):
        total = 0.0
        for place in range(size):
            total += ratios[row, order[place]]
        result[row] = intercept + slope * total
    return result


@inner
def decide(selection: Selection, ratios: Floats, e: Example) -> None:
    """Enter each subset's decision on one example, log-ratios (n,), into the counts."""
    order, counts, lines = selection.order, selection.counts, selection.lines
    total = 0.0
    for place in range(len(order)):
        total += ratios[order[place]]
        if e.prior + lines[1, place] + lines[0, place] * total > 0.0:
            counts[0 if e.interesting else 1, place] += e.amount
        elif e.interesting:
            counts[2, place] += e.amount


@compiled
def best_size(counts: Floats, beta2: float) -> int:
    """Return the k with the best F-beta so far, ``beta2`` being beta squared.

    Among equals the smallest: what the other features add has not helped. All features as long as no subset has
    decided rightly for an interesting article, since nothing then speaks for leaving any out.
    """
    best = 0.0
    size = int(counts.shape[1])
    for place in range(counts.shape[1]):
        hits = (1.0 + beta2) * counts[0, place]
        if hits > 0.0:
            f = hits / (hits + beta2 * counts[2, place] + counts[1, place])
            if f > best:
                best = f
                size = place + 1
    return size


@compiled
def learn(selection: Selection, ratios: Floats, x: Floats, class_weights: Floats, e: Example) -> int:
    """Let each subset decide the example, learn it, and rank the features anew; return the best subset's size.

    ``ratios`` and ``x`` (n,) are the example's log-ratios and values.
    """
    order, moments = selection.order, selection.moments
    if class_weights[0] > 0.0 and class_weights[1] > 0.0:
        decide(selection, ratios, e)
        if selection.calibrated and min(class_weights[0], class_weights[1]) >= _FEWEST * e.scale:
            _update_lines(selection.lines, ratios, order, e.prior, e.interesting, e.amount / e.scale, e.keep)
    _update_moments(moments, x, 1.0 if e.interesting else 0.0, e.amount)
    rank(order, _correlations(moments))
    return best_size(selection.counts, selection.beta2)
