"""Gaussian kernel densities as they are written: one term for every value of the past.

The cost of a query grows with history, and so does the memory. This is the measure of the grid's accuracy, and the
mode for small data.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled

Floats = npt.NDArray[np.float64]
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


@compiled
def widen(x: Floats, label: int, amount: float, weight: Floats, low: Floats, high: Floats) -> None:
    """Let the values ``x`` (n,) of class ``label`` join ``weight``, ``low`` and ``high`` (2, n), modified."""
    for i in range(len(x)):
        if not math.isnan(x[i]):
            weight[label, i] += amount
            low[label, i] = min(low[label, i], x[i])
            high[label, i] = max(high[label, i], x[i])


@compiled
def log_ratios(
    X: Floats, weight: Floats, smooth: Floats, past: Floats, labels: npt.NDArray[np.int64], amounts: Floats
) -> Floats:
    """Return log p(f|1) - log p(f|0) for the rows of ``X`` (m, n), shape (m, n).

    0 where the value is missing or a class has never had one. ``smooth`` (2, 2, n) as of ``bandwidth.smoothing``;
    ``past`` (examples, n), ``labels`` and ``amounts`` (examples,) are the examples and their weights.
    """
    ratios = np.zeros(X.shape)
    for row in range(X.shape[0]):
        for i in range(X.shape[1]):
            x = X[row, i]
            if math.isnan(x) or weight[0, i] <= 0.0 or weight[1, i] <= 0.0:
                continue
            total = np.zeros(2)
            for example in range(past.shape[0]):
                value = past[example, i]
                if not math.isnan(value):
                    c = labels[example]
                    u = (x - value) / smooth[0, c, i]
                    total[c] += amounts[example] * math.exp(-0.5 * u * u)
            for c in range(2):
                total[c] = max(smooth[1, c, i], total[c] / (weight[c, i] * smooth[0, c, i] * ROOT_TWO_PI))
            ratios[row, i] = math.log(total[1] / total[0])
    return ratios
