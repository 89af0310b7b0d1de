"""From margins to what people are shown, and to what is cut: two offsets, learned from past deliveries.

A ranking's margins are right in order. Their level is not: they are fitted to verdicts, and verdicts exist only for
what was delivered. What came of the newest deliveries says how true margins of their size are (Zhang and Callan 2001,
"Maximum likelihood estimation for filtering thresholds", on the same bias).

    log-odds = 1.2 · margin + offset          true over all articles, delivered or not: what people are shown
    lean     = margin + shift, shift >= 0     never lower than the margin: what is cut

The offset is about margins of the present ranking, so it is learned from those that this gives when it has not learned
from the delivery: margins at delivery were on the scale of older rankings. The shift is about likes that were not
expected, so it is learned from margins at delivery: left-out ones know later verdicts on similar articles. It may only
rise: a filter that delivers less because it was wrong learns nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass

from extractors.arrays import Bools, Floats
from iscore.filtering.decision.calibration import sigmoid

SLOPE = 1.2
"""Over all articles the slope of the log-odds is 1.0 to 1.3, whatever is known; over deliveries it cannot be learned,
since their margins are all alike."""
OFFSET = -2.0
"""Before there are verdicts margins are too high by so much."""
LARGEST_SHIFT = 8.0
"""The lean is looked for up to here: e^8 times as likely."""
VARIANCE = 2.0
"""Of offset and shift before there are verdicts: the offset near −2, the shift near 0."""


@dataclass(frozen=True, slots=True)
class Level:
    """The level of a ranking's margins."""

    offset: float
    shift: float

    @classmethod
    def of(cls, left_out: Floats, at_delivery: Floats, liked: Bools) -> Level:
        """Learn from deliveries: both margins of each, and whether it was liked."""
        return cls(
            offset=_offset(SLOPE * left_out, liked, OFFSET, (-12.0, 12.0)),
            shift=_offset(at_delivery, liked, 0.0, (0.0, LARGEST_SHIFT)),
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


def _offset(margins: Floats, liked: Bools, mean: float, limits: tuple[float, float]) -> float:
    """Return the most probable offset b ~ N(mean, VARIANCE) of  margin + b, within limits."""
    low, high = limits
    for _ in range(40):
        middle = 0.5 * (low + high)
        rising = float((liked - sigmoid(margins + middle)).sum()) - (middle - mean) / VARIANCE > 0.0
        low, high = (middle, high) if rising else (low, middle)
    return low
