"""From margins to what people are shown, and to what is cut: two offsets, learned from past deliveries.

A ranking's margins are right in order. Their level is not: they are fitted to verdicts, and verdicts exist only for
what was delivered. Each delivery records its margin, so what came of it says how true margins of its size are (Zhang
and Callan 2001, "Maximum likelihood estimation for filtering thresholds", on the same bias).

    log-odds = 1.2 · margin + offset          true over all articles, delivered or not: what people are shown
    lean     = margin + shift, shift >= 0     never lower than the margin: what is cut

The second may only rise: a filter that delivers less because it was wrong learns nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extractors.arrays import Floats
from iscore.filtering.decision.calibration import sigmoid

SLOPE = 1.2
"""Over all articles the slope of the log-odds is 1.0 to 1.3, whatever is known; over deliveries it cannot be learned,
since their margins are all alike."""
OFFSET, OFFSET_VARIANCE = -2.0, 1.0
"""Before there are verdicts margins are too high by so much, give or take."""
SHIFT_VARIANCE, LARGEST_SHIFT = 2.0, 8.0
"""The shift is near 0 until deliveries show that margins were too low."""
NEWEST_SHIFTED = 50
"""Deliveries that the shift is learned from: it follows changes."""


@dataclass(frozen=True, slots=True)
class Level:
    """The level of a ranking's margins."""

    offset: float
    shift: float

    @classmethod
    def of(cls, deliveries: Sequence[tuple[float, bool]]) -> Level:
        """Learn from deliveries: margin, and whether liked, oldest first."""
        newest = deliveries[-NEWEST_SHIFTED:]
        return cls(
            offset=_offset(deliveries, SLOPE, OFFSET, OFFSET_VARIANCE, (-12.0, 12.0)),
            shift=_offset(newest, 1.0, 0.0, SHIFT_VARIANCE, (0.0, LARGEST_SHIFT)),
        )

    def log_odds(self, margins: Floats) -> Floats:
        """Return true log-odds."""
        return SLOPE * margins + self.offset

    def leaning(self, margins: Floats) -> Floats:
        """Return the probabilities to cut."""
        return sigmoid(margins + self.shift)

    def threshold(self, leaning: float) -> float:
        """Return the true log-odds of an article whose leaning log-odds are these."""
        return SLOPE * (leaning - self.shift) + self.offset


def _offset(
    deliveries: Sequence[tuple[float, bool]], slope: float, mean: float, variance: float, limits: tuple[float, float]
) -> float:
    """Return the most probable offset b ~ N(mean, variance) of  slope · margin + b, within limits."""
    margins = slope * np.array([margin for margin, _ in deliveries])
    liked = np.array([liked for _, liked in deliveries], dtype=np.float64)
    low, high = limits
    for _ in range(40):
        middle = 0.5 * (low + high)
        rising = float((liked - sigmoid(margins + middle)).sum()) - (middle - mean) / variance > 0.0
        low, high = (middle, high) if rising else (low, middle)
    return low
