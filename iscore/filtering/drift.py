"""Detect a change of the user's interests: their verdicts are predicted worse than they used to be.

A filter is worth what it adds to knowing only the share of likes: the *gain* of a verdict is log P(verdict) by the
article's score minus log P(verdict) by that share, in nats. Page's cumulative sum, as Page and Hinkley use it for a
mean that falls,

    g ← max(0, g + δ·mean gain so far - gain)

rises while verdicts gain less than the fraction δ of what they used to, and reports a change at ``ALARM``.

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
"""δ: a filter whose gain has fallen to a quarter no longer fits its user. At one half, ordinary runs of rare likes are
alarms for half of the steady readers (``docs/experiments.md``)."""
ALARM: Final = 6.0
"""In nats: one or two very surprising verdicts, on top of the usual ones. That is early, and there are false alarms;
they cost time, and next to nothing else (``drift_adaptation``). At 10 the first 1,000 articles after a change suffer.
"""
LARGEST_LOG_ODDS: Final = 7.0
"""Larger log-odds count as this much, so that no verdict costs more than 7 nats."""
LEARNING: Final = 200
"""Verdicts until the mean gain is reliable."""


def log_loss(score: float, interesting: bool) -> float:
    """Return -log P(verdict) by a score in log-odds, cut at ±``LARGEST_LOG_ODDS``; in nats."""
    score = min(max(score, -LARGEST_LOG_ODDS), LARGEST_LOG_ODDS)
    return math.log1p(math.exp(-score if interesting else score))


class DriftDetector:
    """Page's test on the gain of a user's verdicts. Weights play no part: each verdict counts once."""

    def __init__(self) -> None:
        self._likes = 0
        self._dislikes = 0
        self._gains = 0.0
        self._gained = 0
        self._sum = 0.0

    def learn(self, score: float, interesting: bool, *, watching: bool = True) -> bool:
        """Learn a verdict on an article of this score, in log-odds before learning it; return whether it is an alarm.

        Without ``watching`` only the mean gain is updated. After an alarm the sum starts from 0.
        """
        alarm = False
        if is_trained(self._likes, self._dislikes):
            share = (self._likes + 1) / (self._likes + self._dislikes + 2)
            gain = -math.log(share if interesting else 1.0 - share) - log_loss(score, interesting)
            mean = self._gains / self._gained if self._gained else 0.0
            if watching and self._gained >= LEARNING:
                # A filter that never gained anything cannot lose it.
                self._sum = max(0.0, self._sum + FRACTION * mean - gain) if mean > 0.0 else 0.0
                alarm = self._sum > ALARM
            self._gains += gain
            self._gained += 1
        if alarm or not watching:
            self._sum = 0.0
        self._likes += interesting
        self._dislikes += not interesting
        return alarm

    def state(self) -> dict[str, Any]:
        """Return everything learned."""
        return {
            "likes": self._likes,
            "dislikes": self._dislikes,
            "gains": self._gains,
            "gained": self._gained,
            "sum": self._sum,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state()`` returned."""
        self._likes = state["likes"]
        self._dislikes = state["dislikes"]
        self._gains = state["gains"]
        self._gained = state["gained"]
        self._sum = state["sum"]
