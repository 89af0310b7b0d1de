"""Texts for scores and for the progress of learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.filtering.decision.delivery import BLANK, UNREACHED
from iscore.presentation.wording.quantities import counted, likelihood

if TYPE_CHECKING:
    from iscore.services.views.inbox import Learning
    from iscore.services.views.status import StatusView
    from storage.records import RecommendationChange

UNKNOWN = "not known yet"
STRENGTHS = 5
"""Levels of a score's strength."""

_WORDS = (
    "far below your threshold",
    "just below your threshold",
    "worth a look",
    "a good match",
    "a strong match",
)
_STEPS = (-2.0, 0.0, 1.0, 3.0)
"""Margins over the threshold, in log-odds, at which the next level begins."""


def strength(score: float, threshold: float) -> int:
    """Return 1 to ``STRENGTHS``; 3 or more passes the threshold."""
    return 1 + sum(score - threshold >= step for step in _STEPS)


def strength_words(score: float, threshold: float) -> str:
    """Return the strength of a score in words, for instance ``a good match``.

    Before the first like all articles have the same score, and nothing is known about any of them.
    """
    if (score, threshold) == (BLANK, UNREACHED):
        return UNKNOWN
    return _WORDS[strength(score, threshold) - 1]


def match_words(score: float, threshold: float) -> str:
    """Return how likely an article is, and how strong: ``71 % likely, a good match``."""
    words = strength_words(score, threshold)
    return words if words == UNKNOWN else f"{likelihood(score)}, {words}"


def interest_words(name: str) -> str:
    """Return ``matches your interest 'offshore wind'``; empty without a name."""
    return f"matches your interest {name!r}" if name else ""


def explore_words(learning: Learning) -> str:
    """Return the introduction of the explored stories."""
    what = "The best of what is below your threshold." if learning.warm else "A selection to learn your interests."
    return f"{what} Verdicts here help the filter most."


def change_words(change: RecommendationChange | None) -> str:
    """Return a large change of the number of recommendations with its cause, as a sentence; empty without one."""
    if change is None:
        return ""
    causes = [
        counted(number, noun)
        for number, noun in (
            (change.arrived, "new article"),
            (change.verdicts, "verdict"),
            (change.imported, "imported item"),
            (change.undone, "undone verdict"),
        )
        if number
    ]
    after = f"after {' and '.join(causes)}" if causes else "after relearning"
    return f"Recommendations went from {change.before:,} to {change.after:,} {after}."


def learning_words(learning: Learning) -> str:
    """Return the progress of learning; empty once the filter is trained."""
    if learning.warm:
        return ""
    imported = f", {counted(learning.seeds, 'imported item')}" if learning.seeds else ""
    return f"learning: {counted(learning.likes + learning.dislikes, 'verdict')} so far{imported}"


def wanted_words(learning: Learning, *, needed: int = 5) -> str:
    """Return what the filter still needs, as ``3 more likes and 1 more dislike``; empty if nothing."""
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
