"""The precision of a feature's values: what follows from it for grids and rounding.

Values that differ by less than the precision count as nearly the same: no bandwidth is below a sixth of it (the
rule of Weka's kernel estimator). From it follow the spacing of the finest grid, a power of two such that the
smallest bandwidth is two to four nodes, and the quantum to which values are rounded, 1/32 of that spacing. Rounded
values make sums of binned weights exact in binary arithmetic, hence independent of the order of the examples, as
long as the range of a feature stays below some 20,000 precisions and weights are whole; beyond, they round like
any sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats

DEFAULT_PRECISION = 0.001
"""For features that mostly lie between 0 and 1: their bandwidth stays above the smallest up to 36 million examples."""

WEKA_PRECISION = 0.01
"""Weka's default, for values whose first batch is not known beforehand."""

SMALLEST_PRECISION = 1e-6
"""Weka's floor."""

QUANTA = 32.0
"""Quanta per node of the finest grid."""

FARTHEST = 2.0**50
"""Values are clipped to this many nodes of the finest grid, far beyond any feature of an article."""


def mean_gap(values: Floats, default: float = WEKA_PRECISION) -> float:
    """Return the mean distance between neighbouring distinct values, Weka's precision of a first batch.

    NaN values are left out; with fewer than two distinct ones the answer is ``default``.
    """
    distinct = np.unique(values[np.isfinite(values)])
    if len(distinct) < 2:
        return default
    # Summed gap by gap, like the original; the difference of the ends may differ in the last bit.
    total = 0.0
    for gap in np.diff(distinct):
        total += float(gap)
    return max(total / (len(distinct) - 1), SMALLEST_PRECISION)


def per_feature(precision: float | Sequence[float], n_features: int) -> Floats:
    """Return the precision of each feature, shape (n_features,). Raises ``ValueError`` unless all are usable."""
    precisions = np.array(np.broadcast_to(np.asarray(precision, dtype=np.float64), (n_features,)))
    if not (np.isfinite(precisions).all() and (precisions >= SMALLEST_PRECISION).all()):
        raise ValueError(f"precision must be at least {SMALLEST_PRECISION}, not {precision}")
    return precisions


def finest_spacing(precisions: Floats) -> Floats:
    """Return the node spacing of the finest grid of each feature, a power of two in (precision/24, precision/12]."""
    return np.array([2.0 ** math.floor(math.log2(precision / 12.0)) for precision in precisions])


@compiled
def resolved(X: Floats, spacing: Floats) -> Floats:
    """Return the rows of ``X`` (m, n) rounded to the quantum and clipped, NaN wherever they are not finite."""
    values = np.empty(X.shape)
    for row in range(X.shape[0]):
        for i in range(X.shape[1]):
            if np.isfinite(X[row, i]):
                nodes = min(max(X[row, i] / spacing[i], -FARTHEST), FARTHEST)
                values[row, i] = np.rint(nodes * QUANTA) / QUANTA * spacing[i]
            else:
                values[row, i] = np.nan
    return values
