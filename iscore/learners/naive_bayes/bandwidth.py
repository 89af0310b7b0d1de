"""Bandwidths of the kernel estimates, and the floor of every density.

Three rules, n_c being the weight of the feature's values in the class and N in both:

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
from typing import Any, Literal

from extractors.numba_kernel import compiled, inner

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
