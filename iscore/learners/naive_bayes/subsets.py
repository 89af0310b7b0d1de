"""The nested subsets of the most useful features, and which of them has decided best so far.

Subset k holds the k features whose correlation with the verdicts is largest in size. Naive Bayes factorises, so one
sort and one cumulative sum give the scores of all subsets. Each k keeps the weight of the true positives, false
positives and false negatives of its own decisions, S_k > 0, on examples it had not yet learned. S_k is calibrated
(``calibration``): log-ratios of many correlated features add up to too much, and uncalibrated scores of two subsets
cannot be held against one threshold.

Source: Pon, Cardenas, Buttler 2008, section 5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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
def scores(ratios: Floats, order: Ints, size: int, intercept: float, slope: float) -> Floats:
    """Return ``intercept`` + ``slope`` · L of each row of ``ratios`` (m, n), shape (m,).

    L is the sum over the first ``size`` features of ``order``.
    """
    result = np.empty(ratios.shape[0])
    for row in range(ratios.shape[0]):
        total = 0.0
        for place in range(size):
            total += ratios[row, order[place]]
        result[row] = intercept + slope * total
    return result


@compiled
def decide(
    counts: Floats, lines: Floats, ratios: Floats, order: Ints, prior: float, interesting: bool, amount: float
) -> None:
    """Enter each subset's decision on one example, log-ratios (n,), into ``counts`` (3, n), modified.

    Rows of ``counts``: true positives, false positives, false negatives of subset k in column k - 1. The first rows of
    ``lines`` hold slope and intercept of each subset's calibration.
    """
    total = 0.0
    for place in range(len(order)):
        total += ratios[order[place]]
        if prior + lines[1, place] + lines[0, place] * total > 0.0:
            counts[0 if interesting else 1, place] += amount
        elif interesting:
            counts[2, place] += amount


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
