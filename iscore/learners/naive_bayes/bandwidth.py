"""Bandwidths of the kernel estimates, the floor of every density, and the precision of values that limits both.

Values that differ by less than the precision count as nearly the same: no bandwidth is below a sixth of it (the
rule of Weka's kernel estimator). From it follow the spacing of the finest grid, a power of two such that the
smallest bandwidth is two to four nodes, and the quantum to which values are rounded, 1/32 of that spacing. Rounded
values make sums of binned weights exact in binary arithmetic, hence independent of the order of the examples, as
long as the range of a feature stays below some 20,000 precisions and weights are whole; beyond, they round like
any sum.

Of bandwidths there are three rules, n_c being the weight of the feature's values in the class and N in both:

``weka``
    h = max(range / √n_c, precision / 6) with the range within the class, and precision / 6 while that is 0.
``john-langley``
    1 / √n_c after scaling: the same with the range over both classes, which then share a scale.
``shared``
    the same with N for n_c: both classes are smoothed alike. The rarer class is otherwise smoothed more, so its
    density is lower wherever the values are, and every useless feature counts against it. Ours; the default.

Sources: Weka 3.9.7's KernelEstimator, from its published posteriors; G. John, P. Langley, "Estimating continuous
distributions in Bayesian classifiers", UAI 1995, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from extractors.numba_kernel import compiled, inner
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


Rule = Literal["weka", "john-langley", "shared"]
RULES: tuple[Rule, ...] = ("weka", "john-langley", "shared")
_JOHN_LANGLEY = 1
_SHARED = 2


@inner
def weka_bandwidth(spread: float, weight: float, precision: float) -> float:
    """Return h for values of total weight ``weight`` whose largest and smallest differ by ``spread`` ≥ 0."""
    if spread <= 0.0:
        return precision / 6.0
    return max(spread / math.sqrt(weight), precision / 6.0)


@compiled
def smooth(values: Any, scale: float) -> None:
    """Set ``values.smooth`` (2, 2, n): bandwidths [0] and density floors [1] per class and feature.

    ``values`` is a ``Grid`` or a ``Past``; a present weight of 1 counts as ``scale``. The floor is that of ``floor``
    further examples spread evenly over the range of both classes: what was never seen among many examples is
    improbable, among few it is not, and no single feature can decide for ever.
    """
    # Each in a variable of its own: reading a field in the loop counts references.
    weight, low, high, precision, smoothing = values.weight, values.low, values.high, values.precision, values.smooth
    rule, floor = values.rule, values.floor
    for i in range(weight.shape[1]):
        pooled_range = max(high[0, i], high[1, i]) - min(low[0, i], low[1, i])
        pooled_count = (weight[0, i] + weight[1, i]) / scale
        h = weka_bandwidth(pooled_range, pooled_count, precision[i]) if pooled_count > 0.0 else 0.0
        for c in range(2):
            smoothing[0, c, i] = smoothing[1, c, i] = 0.0
            count = weight[c, i] / scale
            if count > 0.0:
                if rule == _JOHN_LANGLEY:
                    h = weka_bandwidth(pooled_range, count, precision[i])
                elif rule != _SHARED:
                    h = weka_bandwidth(high[c, i] - low[c, i], count, precision[i])
                smoothing[0, c, i] = h
                smoothing[1, c, i] = floor / ((count + 1.0) * max(pooled_range, precision[i]))
