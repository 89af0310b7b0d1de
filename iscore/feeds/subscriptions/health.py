"""How a feed is doing, and what its reader may do about it. Pure: what is stored of it and the time → words.

The poller keeps asking whatever happens; this only tells.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from shlex import quote

from iscore.feeds.urls import url_key, without_password
from storage.records import Feed, FeedArrivals, Subscription

DEAD_AFTER = timedelta(days=14)
"""Without a success, and with ``ENOUGH_FAILURES``: longer than servers are away for repair or over holidays."""
ENOUGH_FAILURES = 5
SILENT_AFTER = timedelta(days=180)
"""Without a new article: longer than quarterly journals and summers."""
PACE_OVER = timedelta(days=28)
"""Articles of the last four weeks tell the pace, so that weekly rhythms even out."""
PACE_FROM = timedelta(days=7)
"""A pace is told once a feed has been followed for so long."""
_WEEK = timedelta(days=7)


class State(StrEnum):
    """How a feed is doing; the first that is true."""

    OFF = "switched off"
    NEW = "not fetched yet"
    GONE = "gone"
    """Its server says that it is gone for good (410)."""
    DEAD = "dead"
    """Nothing but failures for two weeks, or ever."""
    FAILING = "failing"
    """The last attempt failed."""
    MOVED = "moved"
    """It works, at another address than the one that stands in feeds.yaml."""
    SILENT = "silent"
    """It works, and has brought nothing new for half a year."""
    WELL = "well"


IN_TROUBLE = frozenset({State.GONE, State.DEAD, State.FAILING})
LOST = frozenset({State.GONE, State.DEAD, State.MOVED})
"""States in which the person should do something."""


@dataclass(frozen=True, slots=True)
class Health:
    """How a feed is doing."""

    state: State
    moved_to: str = ""
    """Its new address, without password; empty unless it has moved or seems to."""
    advice: str = ""
    """What the person may do; empty when nothing needs doing."""


def health(
    subscription: Subscription, feed: Feed, arrived: FeedArrivals | None, others: Collection[str], now: datetime
) -> Health:
    """Judge one feed. ``others``: the addresses, by ``url_key``, of all that the person follows."""
    moved_to = _moved_to(subscription, feed)
    silent = now - arrived.newest if arrived else timedelta(0)
    conditions = (
        (not subscription.enabled, State.OFF),
        (feed.last_attempt is None, State.NEW),
        (feed.gone_since is not None, State.GONE),
        (bool(feed.error) and _is_dead(feed, arrived, now), State.DEAD),
        (bool(feed.error), State.FAILING),
        (bool(moved_to), State.MOVED),
        (silent >= SILENT_AFTER, State.SILENT),
    )
    state = next((state for holds, state in conditions if holds), State.WELL)
    advice = ""
    remove = f"`iscore feeds remove {quote(without_password(subscription.url))}` stops following it"
    match state:
        case State.NEW:
            advice = "`iscore poll` fetches it"
        case State.GONE:
            advice = remove
        case State.DEAD:
            advice = (
                f"`iscore feeds add {quote(feed.site_url)}` looks for its successor; " if feed.site_url else ""
            ) + remove
        case State.MOVED if url_key(moved_to) in others:
            advice = f"you follow the new address already; {remove}"
        case State.MOVED:
            advice = f"write {moved_to} in its place in feeds.yaml"
        case State.SILENT:
            advice = f"nothing new for {silent.days} days; {remove}"
    return Health(state, moved_to, advice)


def per_week(arrived: FeedArrivals | None, now: datetime) -> float | None:
    """Articles a week, over the four weeks before ``now`` in which ``arrived.recent`` were counted; None while unknown.

    What the first poll brought is left out, and so is the time before it.
    """
    if arrived is None or now - arrived.first < PACE_FROM:
        return None
    return arrived.recent / (min(now - arrived.first, PACE_OVER) / _WEEK)


def _is_dead(feed: Feed, arrived: FeedArrivals | None, now: datetime) -> bool:
    worked = feed.last_success or (arrived.newest if arrived else None)
    return feed.failures >= ENOUGH_FAILURES and (worked is None or now - worked >= DEAD_AFTER)


def _moved_to(subscription: Subscription, feed: Feed) -> str:
    """Where a feed is now: the address that was believed in, or the one that permanent redirects lead to."""
    now_at = feed.url if url_key(feed.url) != url_key(subscription.url) else feed.moved_to
    return without_password(now_at) if now_at else ""
