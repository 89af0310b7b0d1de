"""How strongly an article is recommended, and how far the filter has got to know its reader, in words."""

from __future__ import annotations

from iscore.presentation.wording.quantities import counted
from iscore.services.views.inbox import Learning
from iscore.services.views.status import StatusView

STRENGTHS = 5
"""How many steps a score's strength has."""

_WORDS = (
    "far below your threshold",
    "just below your threshold",
    "worth a look",
    "likely for you",
    "a strong match",
)
_STEPS = (-2.0, 0.0, 1.0, 3.0)
"""Margins over the threshold, in log-odds, at which the next step begins: 1 is a factor of e in the odds."""
_UNKNOWN = 1e-6
"""Less than this below the threshold lies what nothing is known of: before any verdict all scores are the same."""


def strength(score: float, threshold: float) -> int:
    """Return 1 to ``STRENGTHS``; what passes the threshold has 3 or more."""
    return 1 + sum(score - threshold >= step for step in _STEPS)


def strength_words(score: float, threshold: float) -> str:
    """Return the strength of a score in words, for instance ``likely for you``."""
    if 0.0 < threshold - score < _UNKNOWN:
        return "not known yet"
    return _WORDS[strength(score, threshold) - 1]


def explore_words(learning: Learning) -> str:
    """Return what it is that is to be explored."""
    what = (
        "Held back by your threshold and drawn by lot." if learning.warm else "Chosen for variety, to get to know you."
    )
    return f"{what} A verdict here teaches most."


def learning_words(learning: Learning) -> str:
    """Return how far the filter has got to know its reader, or nothing once it has."""
    if learning.warm:
        return ""
    seeds = f", {counted(learning.seeds, 'seed')}" if learning.seeds else ""
    return f"learning: {counted(learning.likes + learning.dislikes, 'verdict')} so far{seeds}"


def wanted_words(learning: Learning, *, needed: int = 5) -> str:
    """Return what the filter lacks to judge on its own: ``3 more likes and 1 more dislike``, or nothing."""
    wanted = [
        counted(needed - given, f"more {noun}", f"more {noun}s")
        for given, noun in ((learning.likes, "like"), (learning.dislikes, "dislike"))
        if given < needed
    ]
    return " and ".join(wanted)


def verdict_words(status: StatusView) -> str:
    """Return the verdicts so far: ``12 likes, 30 dislikes, 4 skips``."""
    return ", ".join(
        counted(number, noun)
        for number, noun in ((status.likes, "like"), (status.dislikes, "dislike"), (status.skips, "skip"))
    )
