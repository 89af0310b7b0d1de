"""Calibration: from a ranker's scores to log-odds, and from these margins to true probabilities.

    log-odds = slope · (score − middle) + offset      a line, fitted to left-out scores

Source: Platt 1999, "Probabilistic outputs for support vector machines", with priors on both numbers, so that a line is
defined from the first like on: the slope is near 1, and an article like the middle of the liked ones is even odds.

A ranking's margins are right in order. They are all too high or too low together: they are fitted to verdicts, and
verdicts exist only for what was delivered. What came of the newest deliveries says how true margins of their size are
(Zhang and Callan 2001, "Maximum likelihood estimation for filtering thresholds", on the same bias).

    log-odds = 1.2 · margin + offset          true over all articles, delivered or not: what people are shown
    lean     = margin + shift, shift >= 0     never lower than the margin: what the threshold is found for

The offset is about margins of the present ranking, so it is learned from those that this gives when it has not learned
from the delivery: margins at delivery were on the scale of older rankings. The shift is about likes that were not
expected, so it is learned from margins at delivery: left-out ones know later verdicts on similar articles. It may only
rise: a filter that delivers less because it was wrong learns nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import tanh

import numpy as np

from extractors.arrays import Bools, Floats

SLOPE_VARIANCE = 0.25
OFFSET_VARIANCE = 4.0
LIKELY_SHARE = 0.005
"""Before there is evidence an article is even odds if this share of the articles has higher scores."""
SMALLEST_SLOPE = 0.05
"""Lower bound on the slope, so that a bad ranker still orders articles."""

SLOPE = 1.2
"""Over all articles the slope of the log-odds is 1.0 to 1.3, whatever is known; over deliveries it cannot be learned,
since their margins are all alike."""
OFFSET = -2.0
"""By how much margins are too high before there are verdicts."""
LARGEST_SHIFT = 8.0
"""The lean is looked for up to here: e^8 times as likely."""
VARIANCE = 2.0
"""Of offset and shift before there are verdicts: the offset near −2, the shift near 0."""
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


def likely_score(falling: Floats) -> float:
    """Return the score that ``LIKELY_SHARE`` of articles reach, of one article at least; their scores are falling.

    >>> likely_score(np.arange(1000.0, 0.0, -1.0)), likely_score(np.array([2.0, 1.0]))
    (996.0, 2.0)
    """
    return float(falling[min(max(int(LIKELY_SHARE * len(falling)), 3), max(len(falling) // 5, 1)) - 1])


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


@dataclass(frozen=True, slots=True)
class Offsets:
    """How true a ranking's margins are."""

    offset: float
    shift: float

    @classmethod
    def of(cls, left_out: Floats, at_delivery: Floats, liked: Bools) -> Offsets:
        """Learn from deliveries: both margins of each, and whether it was liked."""
        return cls(
            offset=_offset(SLOPE * left_out, liked, OFFSET, (-12.0, 12.0)),
            shift=_offset(at_delivery, liked, 0.0, (0.0, LARGEST_SHIFT)),
        )

    def log_odds(self, margins: Floats) -> Floats:
        """Return true log-odds."""
        return SLOPE * margins + self.offset

    def leaning(self, margins: Floats) -> Floats:
        """Return the probabilities for which the threshold is found."""
        return sigmoid(margins + self.shift)

    def threshold(self, leaning: float) -> float:
        """Return the true log-odds of an article whose leaning log-odds are these."""
        return SLOPE * (leaning - self.shift) + self.offset


def _offset(margins: Floats, liked: Bools, mean: float, limits: tuple[float, float]) -> float:
    """Return the most probable offset b ~ N(mean, VARIANCE) of  margin + b, within limits."""
    low, high = limits
    for _ in range(40):
        middle = 0.5 * (low + high)
        rising = float((liked - sigmoid(margins + middle)).sum()) - (middle - mean) / VARIANCE > 0.0
        low, high = (middle, high) if rising else (low, middle)
    return low
