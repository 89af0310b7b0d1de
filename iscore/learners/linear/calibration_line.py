"""The line of ``Calibrated``, compiled: from margins to log-odds, learned one margin at a time.

    S = log P(1)/P(0) + a·(s - m)/d + b

``line`` (5, 1) is the belief about a and b, as in ``calibration``; ``sums`` (3,) are those of the weights of scored
examples, of weight·s and of weight·s², of which old ones count less; ``seen`` (2,) is the weight of each class.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.naive_bayes import calibration

Floats = npt.NDArray[np.float64]

HALF_LIFE = 500.0
"""Examples after which one counts half."""
LEAST = 1e-6
"""Least variance of margins, relative to their mean square."""
KEEP = 2.0 ** (-1.0 / HALF_LIFE)

_FEWEST, _update_line = calibration.FEWEST, calibration.update


@compiled
def _prior(seen: Floats) -> float:
    """Return log P(1)/P(0)."""
    return math.log((seen[1] + 1.0) / (seen[0] + 1.0))


@compiled
def _mean_and_deviation(sums: Floats) -> tuple[float, float]:
    """Return m and d, where there are margins that are not 0."""
    mean = sums[1] / sums[0]
    return mean, math.sqrt(max(sums[2] / sums[0] - mean * mean, LEAST * sums[2] / sums[0]))


@compiled
def slope_and_shift(line: Floats, sums: Floats, seen: Floats) -> tuple[float, float]:
    """Return what a margin is multiplied by, and what is added."""
    if not sums[2] > 0.0:
        return 1.0, 0.0
    if seen.min() < _FEWEST:
        return math.sqrt(sums[0] / sums[2]), 0.0
    mean, deviation = _mean_and_deviation(sums)
    a, b = line[0, 0], line[1, 0]
    return a / deviation, _prior(seen) + b - a * mean / deviation


@compiled
def follow(
    margins: Floats,
    interesting: npt.NDArray[np.bool_],
    weights: Floats,
    line: Floats,
    sums: Floats,
    seen: Floats,
    odds: Floats,
) -> None:
    """Write the log-odds of margins into ``odds``, each by the line so far, and learn each; those of weight 0 not."""
    only, x = np.zeros(1, dtype=np.int64), np.empty(1)
    for row in range(len(margins)):
        margin, weight = margins[row], weights[row]
        slope, shift = slope_and_shift(line, sums, seen)
        odds[row] = slope * margin + shift
        if not weight > 0.0:
            continue
        # Before both classes are known every margin is 0, and says nothing.
        if seen.all() and math.isfinite(weight * margin * margin):
            if sums[2] > 0.0 and seen.min() >= _FEWEST:
                mean, deviation = _mean_and_deviation(sums)
                x[0] = (margin - mean) / deviation
                _update_line(line, x, only, _prior(seen), interesting[row], weight, KEEP)
            sums[0] = KEEP * sums[0] + weight
            sums[1] = KEEP * sums[1] + weight * margin
            sums[2] = KEEP * sums[2] + weight * margin * margin
        seen[1 if interesting[row] else 0] += weight
