"""Describes the state of a feed, and what the user can do about it. Pure: its stored state and the time → words.

The poller fetches the feed in any case.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from shlex import quote

from iscore.feeds.urls import url_key, without_password
from storage.records.feeds import Feed, FeedArrivals, Subscription

DEAD_AFTER = timedelta(days=14)
"""Time without a success, with at least ``ENOUGH_FAILURES``. Servers are seldom away longer for repair or holidays."""
ENOUGH_FAILURES = 5
SILENT_AFTER = timedelta(days=180)
"""Time without a new article: longer than the gaps of quarterly journals and summer breaks."""
RATE_WINDOW = timedelta(days=28)
"""Articles a week are averaged over four weeks, so that weekly rhythms even out."""
RATE_AFTER = timedelta(days=7)
"""The average is known after a subscription of this length."""
_WEEK = timedelta(days=7)


class State(StrEnum):
    """The state of a feed; the first that applies counts."""

    OFF = "switched off"
    NEW = "not fetched yet"
    GONE = "gone"
    """The server answers that it is permanently gone (410)."""
    DEAD = "dead"
    """Only failures for two weeks, or since it was added."""
    FAILING = "failing"
    """The last attempt failed."""
    MOVED = "moved"
    """It works, but at a different URL than in feeds.yaml."""
    SILENT = "silent"
    """It works, but has had nothing new for half a year."""
    WELL = "well"


ORDER = (State.GONE, State.DEAD, State.FAILING, State.MOVED, State.SILENT, State.NEW, State.WELL, State.OFF)
"""Worst first, the order of lists."""
IN_TROUBLE = frozenset({State.GONE, State.DEAD, State.FAILING})
LOST = frozenset({State.GONE, State.DEAD, State.MOVED})
"""States in which the user should do something."""


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a feed, and advice."""

    state: State
    moved_to: str = ""
    """The new URL, without password; empty unless it has moved or seems to."""
    advice: str = ""
    """What the user can do; empty if nothing is needed."""


def health(
    subscription: Subscription, feed: Feed, arrived: FeedArrivals | None, others: Collection[str], now: datetime
) -> Health:
    """Return the health of one feed. ``others``: the ``url_key`` of all subscriptions."""
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
    state = next((state for applies, state in conditions if applies), State.WELL)
    advice = ""
    remove = f"`iscore feeds remove {quote(without_password(subscription.url))}` stops following it"
    match state:
        case State.NEW:
            advice = "`iscore poll` fetches it"
        case State.GONE:
            advice = remove
        case State.DEAD:
            advice = (
                f"`iscore feeds add {quote(feed.site_url)}` looks for its new address; " if feed.site_url else ""
            ) + remove
        case State.MOVED if url_key(moved_to) in others:
            advice = f"you already follow the new address; {remove}"
        case State.MOVED:
            advice = f"replace it with {moved_to} in feeds.yaml"
        case State.SILENT:
            advice = f"nothing new for {silent.days} days; {remove}"
    return Health(state, moved_to, advice)


def per_week(arrived: FeedArrivals | None, now: datetime) -> float | None:
    """Return articles a week over ``RATE_WINDOW`` before ``now``, which ``arrived.recent`` counts; None while unknown.

    The articles of the first poll do not count.
    """
    if arrived is None or now - arrived.first < RATE_AFTER:
        return None
    return arrived.recent / (min(now - arrived.first, RATE_WINDOW) / _WEEK)


def _is_dead(feed: Feed, arrived: FeedArrivals | None, now: datetime) -> bool:
    worked = feed.last_success or (arrived.newest if arrived else None)
    return feed.failures >= ENOUGH_FAILURES and (worked is None or now - worked >= DEAD_AFTER)


def _moved_to(subscription: Subscription, feed: Feed) -> str:
    return without_password(moved_address(subscription, feed))


def moved_address(subscription: Subscription, feed: Feed) -> str:
    """Return the feed's new URL: the one in use now, or the one that permanent redirects lead to; empty if none."""
    return feed.url if url_key(feed.url) != url_key(subscription.url) else feed.moved_to
