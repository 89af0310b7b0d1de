"""Which of the held-back articles are delivered all the same, so that the filter learns about what it hides.

Verdicts exist only for what was delivered. Without exploration recall looks better than it is, and the threshold
ratchets up until nothing is delivered. An article is the likelier to be explored the nearer it is to the threshold,
where a verdict tells most. Each draw is made by a hash of (reader's seed, article), so a replay draws alike, and its
probability is recorded: a verdict on an explored article counts with the bounded inverse of it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

AT_LEAST_EVERY = timedelta(days=7)
"""Somebody to whom one article a day is recommended would otherwise explore half of all that they see."""
TODAY = timedelta(hours=20)
"""Whoever looks once a day does not look at the same minute."""
MAX_PROBABILITY = 0.5
"""Even next to the threshold half of what is held back stays held back."""
NEAR = 1.0
"""Log-odds below the threshold at which the wish to know has fallen to 1/e."""
MAX_WEIGHT = 3.0
"""A verdict on an explored article counts at most this much: kernel estimates take one heavy verdict for many alike."""


@dataclass(frozen=True, slots=True)
class RecentDeliveries:
    """What was delivered to one reader, and what was not, over the last days."""

    recommended: int
    explored: int
    held_back: int
    last_explored: datetime | None
    recommended_today: int = 0
    """In the last ``TODAY``, as the next."""
    explored_today: int = 0


@dataclass(frozen=True, slots=True)
class Draw:
    """The outcome for one held-back article."""

    explore: bool
    probability: float


def explore(
    held_back: Sequence[tuple[str, float]],
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
    held_back
        Id of each article of this round that fell below the threshold, and how far below it is, in log-odds.
    recommended
        Articles of this round that passed.
    recent
        The rounds before, over the last days.
    share
        Largest part of explored articles among all deliveries, in [0, 1).

    The mean probability is the rate at which ``share`` would be used up over the last days; once it is used up, nothing
    more is drawn. When nothing was explored for a week, one article of the round is, whatever the share.
    """
    if not held_back or share <= 0:
        return [Draw(explore=False, probability=0.0) for _ in held_back]
    room = share / (1 - share) * (recent.recommended + recommended)
    rate = room / (recent.held_back + len(held_back))
    interest = [math.exp(-min(below / NEAR, 50.0)) for _, below in held_back]
    mean = sum(interest) / len(interest)
    probabilities = [min(rate * each / mean, MAX_PROBABILITY) for each in interest]
    left = int(room - recent.explored)
    draws: list[Draw] = []
    for (article_id, _), probability in zip(held_back, probabilities, strict=True):
        chosen = left > 0 and _uniform(seed, article_id) < probability
        left -= chosen
        draws.append(Draw(chosen, probability))
    overdue = recent.last_explored is None or now - recent.last_explored >= AT_LEAST_EVERY
    if overdue and not any(draw.explore for draw in draws):
        # The least of exponential variables with these rates (Efraimidis, Spirakis 2006): one draw, by interest.
        waits = [-math.log1p(-_uniform(seed, each)) / i for (each, _), i in zip(held_back, interest, strict=True)]
        first = waits.index(min(waits))
        chance = interest[first] / sum(interest)
        draws[first] = Draw(explore=True, probability=max(probabilities[first], chance))
    return draws


def weight_of(probability: float) -> float:
    """Return the weight of a verdict on an article delivered with ``probability``: its bounded inverse."""
    return min(1 / probability, MAX_WEIGHT) if probability > 0 else MAX_WEIGHT


def _uniform(seed: int, article_id: str) -> float:
    """Return a number in [0, 1) that depends on nothing but seed and article."""
    digest = hashlib.blake2b(f"{seed}:{article_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
