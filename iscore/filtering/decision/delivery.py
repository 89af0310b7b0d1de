"""How many articles are delivered, whatever their probabilities.

Probabilities that were fitted to a few verdicts are sure of too much: without a limit a ranking that knows five likes
fills an inbox with one topic. And a ranking that delivers nothing learns nothing. All numbers are per day, however
many polls a day has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

DAY, EARLIER = timedelta(hours=24), timedelta(hours=1)
"""A day, and by how much it may be shorter: nobody opens their inbox at the same minute each day."""

BLANK = -3.0
"""Score of every article while nothing is liked: one in twenty may be."""
UNREACHED = math.nextafter(BLANK, 0.0)
"""The threshold that it does not reach."""

MOST = 4
"""Articles recommended a day at most, before the first like. Examples do not raise it: they do not say how many
articles are like them."""
MOST_PER_LIKE = 2
"""So many more for each like."""

LEAST = 6
"""Articles delivered a day at least, until there are ``ENOUGH_LIKES``, whatever their probabilities; and one more for
each like."""
ENOUGH_LIKES = 10
LEAST_OF = 300
"""Articles a day of which ``LEAST`` are delivered; of fewer it is their share."""
FEWEST = 2
"""But so many of the few articles of a small stream: a day with a single verdict teaches little."""

EXPLORED = 1
"""Articles below the cut that are delivered a day at least, the best ones: a filter that knows a part of an interest,
and is right about it, would never find the rest."""
EXPLORED_OF = 100
"""Articles a day of which one is explored. Of fewer, one is on days on which nothing is recommended: each day it would
be a large part of what a small stream delivers."""


@dataclass(frozen=True, slots=True)
class Today:
    """What arrived and was delivered since ``day_began``, without the present batch."""

    arrived: int = 0
    recommended: int = 0
    explored: int = 0
    """Delivered although they were below the cut."""


def day_began(now: datetime, last: datetime | None) -> datetime:
    """Return when the day of a round began; ``last`` is when the round before it was, None for the first.

    It is up to an hour shorter than 24 hours, but by no more than half the pause since that round. If it were always 23
    hours, a round 23 hours after the first would not count what the first delivered, and the first day of hourly
    rounds would get its deliveries twice.
    """
    return now - DAY + (EARLIER if last is None else min(EARLIER, (now - last) / 2))


def most(likes: int) -> int:
    """Return how many articles a day are recommended at most."""
    return MOST + MOST_PER_LIKE * likes


def least(likes: int, arrived: int, *, examples: bool) -> int:
    """Return how many of ``arrived`` articles a day are delivered at least."""
    if examples or likes >= ENOUGH_LIKES:
        return 0
    return max(round((LEAST + likes) * min(1.0, arrived / LEAST_OF)), min(FEWEST, arrived))


def explored(arrived: int, recommended: int) -> int:
    """Return how many of ``arrived`` articles a day are explored at least."""
    return EXPLORED if arrived >= EXPLORED_OF or not recommended else 0
