"""Exact Gaussian kernel densities: one term for every value of the past.

The cost of a query grows with history, and so does the memory. For small data, and to measure the grid's accuracy.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats

ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


class Past(NamedTuple):
    """Values of n features, one by one, of m examples. The first seven are those of ``Grid``."""

    weight: Floats
    low: Floats
    high: Floats
    smooth: Floats
    precision: Floats
    rule: int
    floor: float
    values: Floats
    """Shape (m, n)."""
    labels: npt.NDArray[np.int64]
    """Shape (m,)."""
    amounts: Floats
    """The weights of the examples, shape (m,)."""


@compiled
def widen(past: Past, x: Floats, label: int, amount: float) -> None:
    """Add the values ``x`` (n,) of class ``label`` to the weights and ranges."""
    for i in range(len(x)):
        if not math.isnan(x[i]):
            past.weight[label, i] += amount
            past.low[label, i] = min(past.low[label, i], x[i])
            past.high[label, i] = max(past.high[label, i], x[i])


@compiled
def log_ratios(past: Past, X: Floats) -> Floats:
    """Return log p(f|1) - log p(f|0) for the rows of ``X`` (m, n), shape (m, n).

    0 where the value is missing or a class has never had one.
    """
    weight, smooth = past.weight, past.smooth
    ratios = np.zeros(X.shape)
    for row in range(X.shape[0]):
        for i in range(X.shape[1]):
            x = X[row, i]
            if math.isnan(x) or weight[0, i] <= 0.0 or weight[1, i] <= 0.0:
                continue
            total = np.zeros(2)
            for example in range(len(past.amounts)):
                value = past.values[example, i]
                if not math.isnan(value):
                    c = past.labels[example]
                    u = (x - value) / smooth[0, c, i]
                    total[c] += past.amounts[example] * math.exp(-0.5 * u * u)
            for c in range(2):
                total[c] = max(smooth[1, c, i], total[c] / (weight[c, i] * smooth[0, c, i] * ROOT_TWO_PI))
            ratios[row, i] = math.log(total[1] / total[0])
    return ratios
