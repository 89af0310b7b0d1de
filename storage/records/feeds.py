"""Feeds, subscriptions, and how feeds are doing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from storage.records.articles import NewArticle


class Priority(StrEnum):
    """How much of a feed its follower wants."""

    ALWAYS = "always"
    """Everything, whatever its score."""
    FILTERED = "filtered"
    BEST = "best"
    """Only what is clearly above the threshold."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """One user's subscription to one feed, as in feeds.yaml."""

    url: str
    title: str = ""
    tags: tuple[str, ...] = ()
    interval: int | None = None
    """Seconds between polls that the user asks for; None is the default interval."""
    fulltext: bool = False
    enabled: bool = True
    priority: Priority = Priority.FILTERED


@dataclass(frozen=True, slots=True)
class Feed:
    """One address that is polled, for all its subscribers at once, and the state that a polite poller keeps
    of it.
    """

    id: int
    url: str
    title: str
    """The feed's own title, or empty before the first success."""
    site_url: str
    interval: int | None
    """The smallest interval its subscribers ask for, in seconds."""
    fulltext: bool
    etag: str | None
    """Byte for byte as received (latin-1)."""
    last_modified: str | None
    body_hash: bytes | None
    """SHA-256 of the last body that was parsed."""
    items_seen: bytes
    """The 8-byte hashes of the last document's raw items, one after the other."""
    next_due: datetime | None
    """None: never polled."""
    last_attempt: datetime | None
    last_success: datetime | None
    last_change: datetime | None
    failures: int
    """Failed attempts since the last success."""
    error: str
    """Why the last attempt failed, readable; empty after a success."""
    gone_since: datetime | None
    """First of an unbroken row of 410 answers."""
    moved_to: str
    """Target of an unbroken row of permanent redirects; empty if none."""
    moved_since: datetime | None
    ttl_minutes: int | None
    """How long the last parsed document claims to stay fresh; None without a claim."""
    skip_hours: tuple[int, ...]
    """Hours of the day, UTC, 0 to 23, in which it asks not to be polled."""
    skip_days: tuple[int, ...]
    """Days of the week on which it asks not to be polled, Monday is 0."""
    icon: str = ""
    """Address of its icon or logo, http or https; empty if it names none."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a user's feeds, with the number by which client apps know it."""

    number: int
    name: str
    made: bool
    """Whether an app has made it, so that it stays when no feed is in it."""


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """What one attempt to fetch one feed changes: its feed row's new state, and the entries found."""

    feed: Feed
    """The complete new state of the row."""
    articles: tuple[NewArticle, ...]
    at: datetime
    """Arrival time of the new articles."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What ``feeds.record`` did for one feed."""

    added: int
    updated: int


@dataclass(frozen=True, slots=True)
class FeedOverview:
    """A subscription with the state of its feed."""

    subscription: Subscription
    feed: Feed
    articles: int


@dataclass(frozen=True, slots=True)
class FeedArrivals:
    """When articles of a feed arrived. The first poll finds what had piled up, so it is left out of rates."""

    first: datetime
    newest: datetime
    recent: int
    """Arrived since some moment, but not with the first poll."""
    published: datetime | None = None
    """When the newest was published, at the latest at its arrival; None if it has no date."""
