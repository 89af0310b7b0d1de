"""Whether a reader's interests have changed: their verdicts are foretold worse than they used to be.

What the filter is worth is measured by what it adds to knowing only the share of likes: the *gain* of a verdict is
log P(verdict) by the article's score less log P(verdict) by that share, in nats. An interest that is followed gains
with every like. Page's cumulative sum, as Page and Hinkley have it for a mean that falls,

    g ← max(0, g + δ·mean gain so far - gain)

rises while verdicts gain less than the fraction δ of what they used to, and tells a change at ``ALARM``.

Sources: E. Page, "Continuous inspection schemes", Biometrika 1954; D. Hinkley, "Inference about the change-point from
cumulative sum tests", Biometrika 1971; J. Gama et al., "A survey on concept drift adaptation", ACM Computing Surveys
2014.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from iscore.filtering.decision.trained import is_trained

FRACTION: Final = 0.25
"""δ: a filter that is worth a quarter of what it was has lost its reader. At one half, ordinary spells of rare likes
ring for half of the steady readers (``docs/experiments.md``)."""
ALARM: Final = 6.0
"""In nats: one or two verdicts against all expectation, on top of what is usual. That is early, and there are false
alarms; they cost time, and next to nothing else (``turning.py``). At 10 the first 1,000 articles after a change suffer.
"""
SUREST: Final = 7.0
"""Log-odds are taken to be no larger: no verdict costs more than 7 nats, less what the share of likes tells of it."""
LEARNING: Final = 200
"""Verdicts until the mean gain can be told."""


def log_loss(score: float, interesting: bool) -> float:
    """Return -log P(verdict) by a score in log-odds, cut at ±``SUREST``; in nats."""
    score = min(max(score, -SUREST), SUREST)
    return math.log1p(math.exp(-score if interesting else score))


class DriftDetector:
    """Page's test on the gain of a reader's verdicts. Weights play no part: each verdict is one."""

    def __init__(self) -> None:
        self._likes = 0
        self._dislikes = 0
        self._gains = 0.0
        self._gained = 0
        self._sum = 0.0

    def learn(self, score: float, interesting: bool, *, watching: bool = True) -> bool:
        """Take in a verdict on an article of this score, in log-odds before it was learned; return whether it rings.

        Without ``watching`` only the mean gain is kept. After ringing it starts from 0.
        """
        rings = False
        if is_trained(self._likes, self._dislikes):
            share = (self._likes + 1) / (self._likes + self._dislikes + 2)
            gain = -math.log(share if interesting else 1.0 - share) - log_loss(score, interesting)
            mean = self._gains / self._gained if self._gained else 0.0
            if watching and self._gained >= LEARNING:
                # What was never worth anything cannot lose its worth.
                self._sum = max(0.0, self._sum + FRACTION * mean - gain) if mean > 0.0 else 0.0
                rings = self._sum > ALARM
            self._gains += gain
            self._gained += 1
        if rings or not watching:
            self._sum = 0.0
        self._likes += interesting
        self._dislikes += not interesting
        return rings

    def state(self) -> dict[str, Any]:
        """Return everything remembered."""
        return {
            "likes": self._likes,
            "dislikes": self._dislikes,
            "gains": self._gains,
            "gained": self._gained,
            "sum": self._sum,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the detector that returned ``state``."""
        self._likes = state["likes"]
        self._dislikes = state["dislikes"]
        self._gains = state["gains"]
        self._gained = state["gained"]
        self._sum = state["sum"]
