"""Selects the stories of a digest: a pure choice among candidates.

    Candidate ─► choose() ─► Chosen (numbers run through its sections, in their order)

Best first, and the very best at the top whatever their source. Below them interests have sections of their own, and so
have stories of several feeds, and feeds that publish seldom, which would not be noticed among the busy ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from iscore.feeds.subscriptions.health import per_week
from storage.records.deliveries import Candidate
from storage.records.feeds import FeedArrivals
from storage.stories.story_query import NEAR

MAX_RECOMMENDED = 30
"""A digest is read over breakfast; the rest is in tomorrow's."""
N_LEADING = 5
"""Stories at the top, chosen by score alone."""
MAX_RARE = 5
SELDOM = 3.5
"""Largest number of articles a week of a rare feed: one in two days."""
RARE_SHARE = 0.25
"""Largest number of articles of a rare feed, relative to the average of the user's feeds."""
MAX_BELOW = 10
"""Titles below the threshold: enough to see whether the threshold is right."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The stories of a digest, each section best first."""

    recommended: tuple[Candidate, ...]
    by_interest: tuple[Candidate, ...]
    """Those of one interest behind each other."""
    stories: tuple[Candidate, ...]
    rare: tuple[Candidate, ...]
    explore: tuple[Candidate, ...]
    below: tuple[Candidate, ...]
    """Not delivered: the nearest stories below the threshold."""
    hidden: int

    @property
    def delivered(self) -> tuple[Candidate, ...]:
        """The stories by number, from 1."""
        return (*self.recommended, *self.by_interest, *self.stories, *self.rare, *self.explore)


def choose(
    candidates: Sequence[Candidate],
    sources: Mapping[int, int],
    rare: Collection[int],
    since: datetime,
    *,
    by_interest: bool = False,
) -> Chosen:
    """Choose the stories of a digest.

    Parameters
    ----------
    candidates
        Best first.
    sources
        Number of feeds with a story, by story; one for those that are missing.
    rare
        Ids of the feeds that publish seldom.
    since
        Stories below the threshold that arrived before were below it in an earlier digest, and are left out.
    by_interest
        Whether each interest has a section of its own, if recommended stories belong to at least two.
    """
    interesting = recommended_first(candidates)
    picked = sorted(interesting[:MAX_RECOMMENDED], key=lambda each: (-each.score, -each.seq))
    leading, others = picked[:N_LEADING], picked[N_LEADING:]
    stories = [each for each in others if sources.get(each.seq, 1) > 1]
    alone = [each for each in others if sources.get(each.seq, 1) <= 1]
    interests = list(dict.fromkeys(each.interest for each in picked if each.interest))
    grouped = [each for name in interests for each in alone if each.interest == name]
    if not by_interest or len(interests) < 2:
        grouped = []
    explore = [each for each in candidates if each.explore and not each.interesting and each.action != "never"]
    hidden = [each for each in candidates if not each.interesting and not each.explore]
    seldom = _from_rare(alone, interesting[MAX_RECOMMENDED:], hidden, rare)
    apart = {each.seq for each in seldom}
    below = [each for each in hidden if each.seq not in apart and each.action != "never" and each.arrived > since]
    return Chosen(
        recommended=(*leading, *(each for each in alone if each.seq not in apart and each not in grouped)),
        by_interest=tuple(each for each in grouped if each.seq not in apart),
        stories=tuple(stories),
        rare=tuple(seldom),
        explore=tuple(explore),
        below=tuple(sorted(below, key=_margin, reverse=True)[:MAX_BELOW]),
        hidden=sum(each.seq not in apart for each in hidden),
    )


def recommended_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """List the interesting stories: those that a rule always shows first, then by score."""
    passing = [each for each in candidates if each.interesting]
    return sorted(passing, key=lambda each: (each.action != "always", -each.score, -each.seq))


def rare_feeds(arrivals: Mapping[int, FeedArrivals], now: datetime) -> frozenset[int]:
    """Return the ids of feeds that publish seldom and far less than the others; none while their rates are unknown."""
    known = ((feed, per_week(arrived, now)) for feed, arrived in arrivals.items())
    paces = {feed: pace for feed, pace in known if pace is not None}
    if not paces:
        return frozenset()
    most = min(SELDOM, RARE_SHARE * sum(paces.values()) / len(paces))
    return frozenset(feed for feed, pace in paces.items() if pace <= most)


def days(on: date, today: date, window: timedelta, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """Return the interval of arrival in which a digest's stories may be.

    For today it is the inbox period; for an earlier day without a digest, that day.
    """
    start, end = _midnight(on, zone), _midnight(on + timedelta(days=1), zone)
    return (end - window if on == today else start), end


def _from_rare(
    alone: Sequence[Candidate],
    beyond: Sequence[Candidate],
    hidden: Sequence[Candidate],
    rare: Collection[int],
) -> list[Candidate]:
    """List the interesting stories of rare feeds, then the best near miss of each other rare feed."""
    passed = [each for each in (*alone, *beyond) if each.feed_id in rare]
    heard = {each.feed_id for each in passed}
    missed: dict[int, Candidate] = {}
    for each in hidden:
        near = _margin(each) >= -NEAR and each.action != "never"
        if near and each.feed_id in rare and each.feed_id not in heard:
            missed.setdefault(each.feed_id, each)
    nearest = sorted(missed.values(), key=_margin, reverse=True)
    return [*passed, *nearest][:MAX_RARE]


def _margin(candidate: Candidate) -> float:
    return candidate.score - candidate.threshold


def _midnight(day: date, zone: tzinfo | None) -> datetime:
    local = datetime(day.year, day.month, day.day, tzinfo=zone)
    return (local if zone else local.astimezone()).astimezone(UTC)
