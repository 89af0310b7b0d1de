"""How many articles are delivered a day, whatever their probabilities, and how many verdicts the classifier needs.

Probabilities that were fitted to a few verdicts are sure of too much: without a limit a ranking that knows five likes
fills an inbox with one topic. And a ranking that delivers nothing learns nothing. All numbers are per day, however
many polls a day has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from iscore.filtering.delivery.tuning import (
    DAY,
    EARLIER,
    ENOUGH_LIKES,
    EXPLORED,
    EXPLORED_OF,
    FEWEST,
    FREE,
    GROWTH,
    LEAST,
    LEAST_OF,
    MIN_VERDICTS,
    MOST,
    MOST_PER_LIKE,
    UNKNOWN_SCORE,
)

UNKNOWN_THRESHOLD = math.nextafter(UNKNOWN_SCORE, 0.0)
"""The threshold while nothing is liked: ``UNKNOWN_SCORE`` does not reach it."""


@dataclass(frozen=True, slots=True)
class Today:
    """What arrived and was delivered since ``day_began``, without the present batch."""

    arrived: int = 0
    recommended: int = 0
    explored: int = 0
    """Delivered although they were below the threshold."""
    before: int | None = None
    """Recommended on the best of the last ``DAYS_BEFORE`` days; None until there are two."""


def is_trained(likes: int, dislikes: int) -> bool:
    """Whether there are enough verdicts of both kinds for the classifier to score."""
    return likes >= MIN_VERDICTS and dislikes >= MIN_VERDICTS


def day_began(now: datetime, last: datetime | None) -> datetime:
    """Return when the day of a round began; ``last`` is when the round before it was, None for the first.

    It is up to an hour shorter than 24 hours, but by no more than half the pause since that round. If it were always 23
    hours, a round 23 hours after the first would not count what the first delivered, and the first day of hourly
    rounds would get its deliveries twice.
    """
    return now - DAY + (EARLIER if last is None else min(EARLIER, (now - last) / 2))


def most(likes: int, before: int | None = None) -> int:
    """Return how many articles a day are recommended at most; ``before`` is that of ``Today``.

    >>> most(30), most(30, before=2), most(30, before=20)
    (64, 10, 30)
    """
    allowed = MOST + MOST_PER_LIKE * likes
    return allowed if before is None else min(allowed, max(FREE, int(GROWTH * before)))


def least(likes: int, arrived: int, *, examples: bool) -> int:
    """Return how many of ``arrived`` articles a day are delivered at least."""
    if examples or likes >= ENOUGH_LIKES:
        return 0
    return max(round((LEAST + likes) * min(1.0, arrived / LEAST_OF)), min(FEWEST, arrived))


def explored(arrived: int, recommended: int) -> int:
    """Return how many of ``arrived`` articles a day are explored at least."""
    return EXPLORED if arrived >= EXPLORED_OF or not recommended else 0
