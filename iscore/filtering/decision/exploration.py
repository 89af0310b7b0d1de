"""Explore: deliver a few articles from below the threshold, so that the filter learns about what it hides.

Verdicts exist only for deliveries. Without exploration recall looks better than it is, and the threshold creeps up
until nothing is delivered. An article is the likelier to be explored the nearer it is to the threshold, where a verdict
is most informative. Each draw is made by a hash of (user's seed, article), so that a replay draws alike, and its
probability is recorded: a verdict on an explored article is weighted by the bounded inverse of it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from iscore.filtering.decision.fair_share import fair_share
from iscore.filtering.decision.past import DecisionCounts

AT_LEAST_EVERY = timedelta(days=7)
"""Longest time without exploration. With one a day, a user who gets one recommendation a day would explore half of
everything they see."""
MAX_PROBABILITY = 0.5
"""Even next to the threshold half of the articles below it stay hidden."""
NEAR = 1.0
"""Log-odds below the threshold at which the interest in a verdict has fallen to 1/e."""
MAX_WEIGHT = 3.0
"""Largest weight of a verdict on an explored article: kernel estimates take one heavy verdict for many equal ones."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The outcome for one article below the threshold."""

    explore: bool
    probability: float


def explore(
    below: Sequence[tuple[str, float]],
    sources: Sequence[str],
    *,
    recommended: int,
    recent: DecisionCounts,
    share: float,
    seed: int,
    now: datetime,
) -> list[Draw]:
    """Draw among the articles below the threshold.

    The mean probability is the rate at which ``share`` would be used up over the window; once it is used up, nothing
    more is drawn, nor from a source that has its fair share of the batch. When nothing was explored for
    ``AT_LEAST_EVERY``, one article of the batch is, whatever the share.

    Parameters
    ----------
    below
        Id of each article of the batch below the threshold, and how far below it is, in log-odds.
    sources
        The source of each of these.
    recommended
        Recommended articles of the batch.
    recent
        Decisions of the window, without the batch.
    share
        Largest part of explored articles among all deliveries, in [0, 1).
    """
    if not below or share <= 0:
        return [Draw(explore=False, probability=0.0) for _ in below]
    allowed = share / (1 - share) * (recent.recommended + recommended)
    rate = allowed / (recent.hidden + len(below))
    interest = [math.exp(-min(distance / NEAR, 50.0)) for _, distance in below]
    mean = sum(interest) / len(interest)
    probabilities = [min(rate * each / mean, MAX_PROBABILITY) for each in interest]
    left = int(allowed - recent.explored)
    of_one_source = fair_share(left, sources)
    drawn: Counter[str] = Counter()
    draws: list[Draw] = []
    for (article_id, _), source, probability in zip(below, sources, probabilities, strict=True):
        free = left > 0 and drawn[source] < of_one_source
        chosen = free and _uniform(seed, article_id) < probability
        left -= chosen
        drawn[source] += chosen
        draws.append(Draw(chosen, probability))
    overdue = recent.last_explored is None or now - recent.last_explored >= AT_LEAST_EVERY
    if overdue and not any(draw.explore for draw in draws):
        # The smallest of exponential variables with these rates (Efraimidis, Spirakis 2006): one draw, by interest.
        times = [-math.log1p(-_uniform(seed, each)) / i for (each, _), i in zip(below, interest, strict=True)]
        first = times.index(min(times))
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
