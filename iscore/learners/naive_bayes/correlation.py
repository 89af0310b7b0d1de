"""Running Pearson correlation of every feature with the labels, where the feature is present, and ranks by its size.

Weighted Welford updates of means and co-moments: West 1979 ("Updating mean and variance estimates", CACM 22) with
the cross term added. Unlike sums of squares they do not cancel when values are large and differ little.
"""

from __future__ import annotations

import math

import numpy as np

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats, Ints

N_MOMENTS = 6
"""Weight, mean of f, mean of y, and the co-moments ff, yy, fy."""


@compiled
def update(moments: Floats, x: Floats, y: float, amount: float) -> None:
    """Add the vector ``x`` (n,) with label ``y`` to the ``moments`` (6, n); NaN values are left out."""
    for i in range(len(x)):
        if math.isnan(x[i]):
            continue
        weight = moments[0, i] + amount
        moments[0, i] = weight
        from_old_x = x[i] - moments[1, i]
        from_old_y = y - moments[2, i]
        moments[1, i] += from_old_x * amount / weight
        moments[2, i] += from_old_y * amount / weight
        from_new_y = y - moments[2, i]
        moments[3, i] += amount * from_old_x * (x[i] - moments[1, i])
        moments[4, i] += amount * from_old_y * from_new_y
        moments[5, i] += amount * from_old_x * from_new_y


@compiled
def correlations(moments: Floats) -> Floats:
    """Return r per feature, in [-1, 1]; 0 where the feature or the label has not varied."""
    r = np.zeros(moments.shape[1])
    for i in range(moments.shape[1]):
        if moments[3, i] > 0.0 and moments[4, i] > 0.0:
            r[i] = moments[5, i] / (math.sqrt(moments[3, i]) * math.sqrt(moments[4, i]))
            r[i] = min(max(r[i], -1.0), 1.0)
    return r


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
