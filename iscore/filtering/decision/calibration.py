"""Calibration: from a ranker's scores to log-odds, by a line fitted to left-out scores.

    log-odds = slope · (score − middle) + offset

Source: Platt 1999, "Probabilistic outputs for support vector machines", with priors on both numbers, so that a line is
defined from the first like on: the slope is near 1, and an article like the middle of the liked ones is even odds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import tanh

import numpy as np

from extractors.arrays import Bools, Floats

SLOPE_VARIANCE = 0.25
OFFSET_VARIANCE = 4.0
SMALLEST_SLOPE = 0.05
"""A ranker that was wrong about all that it was asked still ranks."""
_STEPS = 30


@dataclass(frozen=True, slots=True)
class Line:
    """Maps scores to log-odds."""

    slope: float = 1.0
    middle: float = 0.0
    offset: float = 0.0

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log-odds of each score."""
        return self.slope * (scores - self.middle) + self.offset


def fit_line(scores: Floats, targets: Floats | Bools, weights: Floats, middle: float) -> Line:
    """Return the most probable line given left-out scores: slope ~ N(1, 0.25), offset ~ N(0, 4).

    ``targets`` are 1 for liked, 0 for disliked, or a probability in between.
    """
    x, targets = scores - middle, targets.astype(np.float64)

    def loss(slope: float, offset: float) -> float:
        log_odds = slope * x + offset
        fit = weights * (np.logaddexp(0.0, log_odds) - targets * log_odds)
        return float(fit.sum()) + (slope - 1.0) ** 2 / (2 * SLOPE_VARIANCE) + offset**2 / (2 * OFFSET_VARIANCE)

    slope, offset = 1.0, 0.0
    best = loss(slope, offset)
    for _ in range(_STEPS):
        p = sigmoid(slope * x + offset)
        errors, certainties = weights * (p - targets), weights * p * (1.0 - p)
        gradient = np.array(
            [(errors * x).sum() + (slope - 1.0) / SLOPE_VARIANCE, errors.sum() + offset / OFFSET_VARIANCE]
        )
        mixed = (certainties * x).sum()
        a, b = (certainties * x * x).sum() + 1.0 / SLOPE_VARIANCE, certainties.sum() + 1.0 / OFFSET_VARIANCE
        determinant = a * b - mixed * mixed
        step = np.array([b * gradient[0] - mixed * gradient[1], a * gradient[1] - mixed * gradient[0]]) / determinant
        length = 1.0
        while (new := loss(slope - length * step[0], offset - length * step[1])) > best and length > 1e-4:
            length /= 2
        slope, offset, best = float(slope - length * step[0]), float(offset - length * step[1]), min(new, best)
        if length * float(np.abs(step).sum()) < 1e-6:
            break
    return Line(max(slope, SMALLEST_SLOPE), middle, offset)


def log_loss(log_odds: Floats, liked: Bools) -> Floats:
    """Return the logarithmic loss of each prediction, in nats."""
    return np.logaddexp(0.0, np.where(liked, -log_odds, log_odds))


def probability_of(log_odds: float) -> float:
    """Return the probability of log-odds."""
    return 0.5 * (1.0 + tanh(0.5 * log_odds))


def sigmoid(log_odds: Floats) -> Floats:
    """Return the probabilities of log-odds."""
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * log_odds))
    return result
