"""What keeps a filter that learns only from what it delivers from delivering less and less.

What was held back is seldom heard of, so a threshold learned from deliveries creeps up: fewer deliveries, fewer
verdicts, less reason to come down. The remedy uses what is known without verdicts on everything: the share of liked
articles among all, and how the scores of all that waits are spread. The threshold is never above the score that would
let through

- as many articles as are liked and found, and one more a day, or
- ``AT_LEAST`` of those that should be liked, the held-back ones included,

whichever is more. The first follows success: as long as what comes last is liked, more comes. The second helps at the
beginning, where much is liked and little has been found. Neither goes below ``LOWEST``, but for one article a day:
with none at all the filter would hear of nothing any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

AT_LEAST = 0.4
"""Of the number of articles that should be liked, how many are delivered at least. At 1 the filter would aim at equal
precision and recall; F0.5 wants less of the doubtful."""
MORE_A_DAY = 1.0
"""Articles beyond as many as are liked."""
LOWEST = -2.0
"""Log-odds, one in eight. What is liked comes in bursts; on days without, nothing is forced. At -1 steady readers have
a little more, but a filter that was told 200 wrong verdicts does not recover (``docs/experiments.md``)."""
DOUBT = 4.0
"""Verdicts on explored articles that the first guess about what is held back counts for."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Experience:
    """Verdicts so far, by what had been decided, and all decisions."""

    recommended_liked: int
    recommended_disliked: int
    explored: Sequence[tuple[bool, float]]
    """Of each verdict on an explored article: liked, and the probability with which it was drawn; 1 for a
    representative of the stream (``iscore.filtering.decision.diverse_selection``)."""
    recommended: int
    """Decisions ever, as the next two."""
    delivered_unasked: int
    """Explored."""
    held_back: int
    """And not explored."""
    days: float
    """How far the scores reach back that the threshold is held against."""


def found_share(experience: Experience) -> float:
    """Estimate which share of all articles so far were liked and delivered, in [0, 1]; unread ones as those read."""
    judged = experience.recommended + experience.delivered_unasked + experience.held_back
    if judged == 0:
        return 0.0
    verdicts = experience.recommended_liked + experience.recommended_disliked
    liked = experience.recommended * experience.recommended_liked / verdicts if verdicts else 0.0
    if experience.explored:
        likes = sum(like for like, _ in experience.explored)
        liked += experience.delivered_unasked * likes / len(experience.explored)
    return liked / judged


def likeable_share(experience: Experience) -> float:
    """Guess which share of all articles is liked from the representatives alone, in [0, 1).

    One like is taken off: representatives are shown until one is liked, so the first tells little of how many there
    are.
    """
    likes = [like for like, probability in experience.explored if probability >= 1.0]
    return max(0, sum(likes) - 1) / max(len(likes), 1)


def missed_share(experience: Experience) -> float:
    """Estimate which share of what is held back would be liked, in [0, 1]."""
    drawn = [(like, 1.0 / probability) for like, probability in experience.explored if probability < 1.0]
    # Exploration prefers what is near the threshold, so each verdict stands for as many as its chance was small; such
    # an average is worth fewer verdicts than went into it (Kish's effective size).
    total = sum(weight for _, weight in drawn)
    size = total * total / sum(weight * weight for _, weight in drawn) if drawn else 0.0
    mean = sum(weight for like, weight in drawn if like) / total if drawn else 0.0
    return (size * mean + DOUBT * likeable_share(experience)) / (size + DOUBT)


def open_threshold(threshold: float, scores: Floats, experience: Experience) -> float:
    """Return ``threshold``, or less: the cut that lets enough of ``scores`` pass."""
    if len(scores) == 0:
        return threshold
    found = found_share(experience)
    more = MORE_A_DAY * experience.days / len(scores)
    wanted = _cut(scores, max(found + more, AT_LEAST * (found + missed_share(experience))))
    return min(threshold, max(LOWEST, wanted), _cut(scores, more))


def _cut(scores: Floats, share: float) -> float:
    """Return the score that lets ``share`` of these pass, or all."""
    return float(np.quantile(scores, max(0.0, 1.0 - share)))
