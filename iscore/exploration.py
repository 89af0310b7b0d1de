"""Which of the held-back articles are delivered all the same, so that the filter learns about what it hides.

Verdicts exist only for what was delivered. Without exploration recall looks better than it is, and the threshold
ratchets up until nothing is delivered. Each draw is made by a hash of (reader's seed, article), so a replay draws
alike, and its probability is recorded: a verdict on an explored article counts with the inverse of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

AT_LEAST_EVERY = timedelta(days=1)
MAX_PROBABILITY = 0.5
"""Even a filter that recommends nearly everything shows at most half of what it would hold back."""
MAX_WEIGHT = 10.0
"""A verdict on an explored article counts at most this much: an unbounded inverse would let one rare draw rule."""


@dataclass(frozen=True, slots=True)
class RecentDeliveries:
    """What was delivered to one reader, and what was not, over the last days."""

    recommended: int
    explored: int
    held_back: int
    last_explored: datetime | None


@dataclass(frozen=True, slots=True)
class Draw:
    """The outcome for one held-back article."""

    explore: bool
    probability: float


def explore(
    article_ids: Sequence[str],
    *,
    recommended: int,
    recent: RecentDeliveries,
    share: float,
    seed: int,
    now: datetime,
) -> list[Draw]:
    """Draw among held-back articles.

    Parameters
    ----------
    article_ids
        The articles of this round that fell below the threshold.
    recommended
        Articles of this round that passed.
    recent
        The rounds before, over the last days.
    share
        Largest part of explored articles among all deliveries, in [0, 1).

    Each article is drawn with the same probability, the rate at which ``share`` would be used up over the last days;
    once it is used up, nothing more is drawn. When nothing was explored for a day, the round's lowest hash is,
    whatever the share.
    """
    if not article_ids or share <= 0:
        return [Draw(explore=False, probability=0.0) for _ in article_ids]
    room = share / (1 - share) * (recent.recommended + recommended)
    probability = min(room / (recent.held_back + len(article_ids)), MAX_PROBABILITY)
    left = int(room - recent.explored)
    draws: list[Draw] = []
    for article_id in article_ids:
        chosen = left > 0 and _uniform(seed, article_id) < probability
        left -= chosen
        draws.append(Draw(chosen, probability))
    overdue = recent.last_explored is None or now - recent.last_explored >= AT_LEAST_EVERY
    if overdue and not any(draw.explore for draw in draws):
        first = min(range(len(article_ids)), key=lambda row: _uniform(seed, article_ids[row]))
        draws[first] = Draw(explore=True, probability=max(probability, 1 / len(article_ids)))
    return draws


def weight_of(probability: float) -> float:
    """Return the weight of a verdict on an article delivered with ``probability``: its bounded inverse."""
    return min(1 / probability, MAX_WEIGHT) if probability > 0 else MAX_WEIGHT


def _uniform(seed: int, article_id: str) -> float:
    """Return a number in [0, 1) that depends on nothing but seed and article."""
    digest = hashlib.blake2b(f"{seed}:{article_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
