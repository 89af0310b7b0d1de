"""Implicit feedback: what it says about an article that the user opened, read or saved it, or left it unread.

    log odds = Σ over signs of ln( P(sign | liked) / P(sign | disliked) )
    weight   = tanh(log odds / 2) = P(liked) − P(disliked) at even prior odds, never beyond ±``LARGEST``

So an article counts as a part of a like or of a dislike, never as much as a verdict. The rates begin with those of
others (``RATES``) and move to the user's own, from articles on which there are both signs and a verdict.

Source of the rule: naive Bayes with prior counts. Signs: Claypool, Le, Waseda, Brown 2001, "Implicit interest
indicators".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import log, tanh

import numpy as np

from extractors.arrays import Floats, Int64s

LARGEST = 0.5
"""Largest weight, where that of a verdict is 1."""
LEAST = 0.02
"""Smallest weight that counts."""
STRENGTH = 20.0
"""Verdicts of the user's own at which their rates count as much as those of others."""
EDGES = (5.0, 20.0, 60.0, 120.0)
"""Seconds on the article at which another sign begins."""


class Sign(StrEnum):
    """What the user did with an article."""

    OPENED = "opened"
    SAVED = "saved"
    ORIGINAL = "original"
    """Opened the publisher's page."""
    LEFT = "left"
    """Marked as read with all others, unopened, after it had been on screen."""
    PASSED = "passed"
    """Went past it in a list by keyboard, unopened."""
    READ_0 = "read under 5 s"
    READ_5 = "read 5 to 20 s"
    READ_20 = "read 20 to 60 s"
    READ_60 = "read 1 to 2 min"
    READ_120 = "read 2 min or more"


TIMES = (Sign.READ_0, Sign.READ_5, Sign.READ_20, Sign.READ_60, Sign.READ_120)
"""By time; of articles that were opened."""

RATES: Mapping[Sign, tuple[float, float]] = {
    Sign.OPENED: (0.5, 0.5),
    Sign.SAVED: (0.1, 0.05),
    Sign.ORIGINAL: (0.1, 0.05),
    Sign.LEFT: (0.5, 0.5),
    Sign.PASSED: (0.5, 0.5),
    Sign.READ_0: (0.1, 0.18),
    Sign.READ_5: (0.14, 0.24),
    Sign.READ_20: (0.25, 0.29),
    Sign.READ_60: (0.24, 0.17),
    Sign.READ_120: (0.27, 0.13),
}
"""How often each sign occurs among liked and among disliked articles; times, among those that were opened.

Times are those of 22 people of the YOW user study (``benchmarks/reading_rates.py`` prints them). No data says how
opening, leaving and going past differ between the two, so at first they say nothing. Saving and opening the original
are assumed to say as much as two minutes of reading, and to be rare."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of the user's verdicts there are on articles with each sign."""

    likes: int = 0
    dislikes: int = 0
    liked: Mapping[Sign, int] = field(default_factory=dict)
    disliked: Mapping[Sign, int] = field(default_factory=dict)


def signs(
    *, opened: bool, seconds: float, saved: bool = False, original: bool = False, left: bool = False,
    passed: bool = False,
) -> frozenset[Sign]:  # fmt: skip
    """Return the signs of an article; ``seconds`` on it are 0 where the time is not known.

    >>> sorted(signs(opened=True, seconds=240.0, left=True))
    [<Sign.OPENED: 'opened'>, <Sign.READ_120: 'read 2 min or more'>]
    """
    opened = opened or seconds > 0.0 or original
    found = {Sign.OPENED: opened, Sign.SAVED: saved, Sign.ORIGINAL: original}
    found |= {Sign.LEFT: left and not opened, Sign.PASSED: passed and not opened}
    if seconds > 0.0:
        found[TIMES[int(np.searchsorted(EDGES, seconds, side="right"))]] = True
    return frozenset(sign for sign, is_there in found.items() if is_there)


def count(labelled: Sequence[tuple[frozenset[Sign], bool]]) -> Counts:
    """Count the signs of articles with a verdict, each with whether it was liked."""
    liked = {sign: sum(sign in each for each, like in labelled if like) for sign in Sign}
    disliked = {sign: sum(sign in each for each, like in labelled if not like) for sign in Sign}
    likes = sum(like for _, like in labelled)
    return Counts(likes, len(labelled) - likes, liked, disliked)


def log_odds(of: frozenset[Sign], own: Counts, rates: Mapping[Sign, tuple[float, float]] = RATES) -> float:
    """Return what signs add to the log-odds that an article is liked."""
    total = 0.0
    for sign in sorted(of):
        n_liked, n_disliked = own.likes, own.dislikes
        if sign in TIMES:
            n_liked, n_disliked = own.liked.get(Sign.OPENED, 0), own.disliked.get(Sign.OPENED, 0)
        of_liked, of_disliked = rates[sign]
        if_liked = (own.liked.get(sign, 0) + STRENGTH * of_liked) / (n_liked + STRENGTH)
        if_disliked = (own.disliked.get(sign, 0) + STRENGTH * of_disliked) / (n_disliked + STRENGTH)
        total += log(if_liked / if_disliked)
    return total


def weights(of: Sequence[frozenset[Sign]], own: Counts, rates: Mapping[Sign, tuple[float, float]] = RATES) -> Floats:
    """Return the weight of each article, −``LARGEST`` to ``LARGEST``: positive for a like, negative for a dislike."""
    found = [tanh(0.5 * log_odds(each, own, rates)) for each in of]
    return np.array([min(max(each, -LARGEST), LARGEST) for each in found], dtype=np.float64)


def newest_of_each(found: Floats, newest: int) -> Int64s:
    """Return the places of the ``newest`` weights for a like, the last ones, and of those for a dislike, in order.

    What weighs less than ``LEAST`` is left out.
    """
    likes, dislikes = np.flatnonzero(found >= LEAST), np.flatnonzero(found <= -LEAST)
    return np.sort(np.concatenate([likes[-newest:], dislikes[-newest:]]))
