"""The kernels of ``Calibrated``: a line from margins to log-odds, learned one margin at a time.

    S = log P(1)/P(0) + a·(s - m)/d + b

with m and d the running mean and deviation of the margins s (see ``calibrated``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Bools, Floats
from iscore.learners.naive_bayes import calibration

HALF_LIFE = 500.0
"""Examples after which one counts half."""
LEAST = 1e-6
"""Least variance of margins, relative to their mean square."""
KEEP = 2.0 ** (-1.0 / HALF_LIFE)

_FEWEST, _update_line = calibration.FEWEST, calibration.update


class Line(NamedTuple):
    """What is learned. Kernels change the arrays."""

    line: Floats
    """The belief about a and b, shape (5, 1), as in ``calibration``."""
    sums: Floats
    """Of the weights of scored examples, of weight·s and of weight·s², of which old ones count less; shape (3,)."""
    seen: Floats
    """The weight of each class, shape (2,)."""


@inner
def _prior(seen: Floats) -> float:
    """Return log P(1)/P(0)."""
    return math.log((seen[1] + 1.0) / (seen[0] + 1.0))


@inner
def _mean_and_deviation(sums: Floats) -> tuple[float, float]:
    """Return m and d, where there are margins that are not 0."""
    mean = sums[1] / sums[0]
    return mean, math.sqrt(max(sums[2] / sums[0] - mean * mean, LEAST * sums[2] / sums[0]))


@inner
def slope_and_shift(belief: tuple[Floats, Floats, Floats]) -> tuple[float, float]:
    """Return what a margin is multiplied by, and what is added; ``belief`` has the fields of ``Line``."""
    line, sums, seen = Line(*belief)
    if not sums[2] > 0.0:
        return 1.0, 0.0
    if min(seen[0], seen[1]) < _FEWEST:
        return math.sqrt(sums[0] / sums[2]), 0.0
    mean, deviation = _mean_and_deviation(sums)
    a, b = line[0, 0], line[1, 0]
    return a / deviation, _prior(seen) + b - a * mean / deviation


@compiled
def learn(
    margins: Floats, interesting: Bools, weights: Floats, belief: tuple[Floats, Floats, Floats], odds: Floats
) -> None:
    """Put the log-odds of margins into ``odds``, each by the line so far, and learn each, but for those of weight 0."""
    line, sums, seen = Line(*belief)
    only, x = np.zeros(1, dtype=np.int64), np.empty(1)
    for row in range(len(margins)):
        margin, weight = margins[row], weights[row]
        slope, shift = slope_and_shift(belief)
        odds[row] = slope * margin + shift
        if not weight > 0.0:
            continue
        # Before both classes are known every margin is 0, and carries no information.
        if seen[0] != 0.0 and seen[1] != 0.0 and math.isfinite(weight * margin * margin):
            if sums[2] > 0.0 and min(seen[0], seen[1]) >= _FEWEST:
                mean, deviation = _mean_and_deviation(sums)
                x[0] = (margin - mean) / deviation
                _update_line(line, x, only, _prior(seen), interesting[row], weight, KEEP)
            sums[0] = KEEP * sums[0] + weight
            sums[1] = KEEP * sums[1] + weight * margin
            sums[2] = KEEP * sums[2] + weight * margin * margin
        seen[1 if interesting[row] else 0] += weight
