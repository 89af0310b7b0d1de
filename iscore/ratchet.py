"""What keeps a filter that learns only from what it delivers from delivering less and less.

What was held back is seldom heard of, so a threshold learned from deliveries creeps up: fewer deliveries, fewer
verdicts, less reason to come down. The remedy uses what is known without verdicts: how many liked articles there
should be, by the verdicts on recommended and on explored ones, and how the scores of all that waits are spread. The
threshold is never above the score that would let ``AT_LEAST`` of the expected number pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

AT_LEAST = 0.4
"""Of the number of articles that should be liked, how many are delivered at least. At 1 the filter would aim at equal
precision and recall; F0.5 wants less of the doubtful."""
DOUBT = 4.0
"""Verdicts on explored articles that the first guess about what is held back counts for."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Experience:
    """Verdicts so far, by what had been decided, and deliveries of late."""

    recommended_liked: int
    recommended_disliked: int
    explored: Sequence[tuple[bool, float]]
    """Of each verdict on an explored article: liked, and the probability with which it was drawn."""
    recommended: int
    """Decisions of the last days."""
    held_back: int


def liked_share(experience: Experience) -> float:
    """Estimate which share of all articles of the last days the reader would like, in (0, 1).

    Before anything is known of what is held back, its share is guessed to be half that of all verdicts.
    """
    liked = experience.recommended_liked + sum(like for like, _ in experience.explored)
    verdicts = experience.recommended_liked + experience.recommended_disliked + len(experience.explored)
    overall = (liked + 1) / (verdicts + 2)
    of_recommended = (experience.recommended_liked + overall) / (
        experience.recommended_liked + experience.recommended_disliked + 1
    )
    # Exploration prefers what is near the threshold, so each verdict stands for as many as its chance was small; such
    # an average is worth fewer verdicts than went into it (Kish's effective size).
    weights = [1.0 / probability for _, probability in experience.explored]
    total = sum(weights)
    size = total * total / sum(weight * weight for weight in weights) if weights else 0.0
    mean = sum(1.0 / probability for like, probability in experience.explored if like) / total if weights else 0.0
    of_held_back = (size * mean + DOUBT * overall / 2) / (size + DOUBT)
    articles = experience.recommended + experience.held_back
    if articles == 0:
        return overall
    return (experience.recommended * of_recommended + experience.held_back * of_held_back) / articles


def open_threshold(threshold: float, scores: Floats, share: float) -> float:
    """Return ``threshold``, or less: the cut that lets the best ``AT_LEAST`` · ``share`` of ``scores`` pass."""
    if len(scores) == 0:
        return threshold
    return min(threshold, float(np.quantile(scores, 1.0 - AT_LEAST * share)))
