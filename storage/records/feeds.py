"""Feeds: their subscriptions, how they are doing, and the hubs that push them by WebSub."""

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
class IconSource:
    """Where the icon of a feed may be."""

    feed_id: int
    url: str
    site_url: str
    """The address of its web page; may be empty."""
    icon: str
    """The address of its own picture; may be empty."""


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
class FetchCounts:
    """How far the feeds that a user follows have been fetched, those that are switched off left out."""

    wanted: int
    asked: int
    """Those that have been asked at least once."""
    failed: int
    """Those whose last attempt failed."""
    next_due: datetime | None
    """When the first is asked again; None where none has been asked."""
    error: str
    """The most frequent error of the last attempts; empty without any."""


@dataclass(frozen=True, slots=True)
class FeedArrivals:
    """When articles of a feed arrived. The first poll finds what had piled up, so it is left out of rates."""

    first: datetime
    newest: datetime
    recent: int
    """Arrived since some moment, but not with the first poll."""
    published: datetime | None = None
    """When the newest was published, at the latest at its arrival; None if it has no date."""


@dataclass(frozen=True, slots=True)
class Hub:
    """What a feed says of its hub."""

    address: str
    topic: str
    """The feed's own address, as the hub knows it."""
    base: str
    """Where the feed was fetched, without password: relative links in what the hub pushes are resolved against it."""


@dataclass(frozen=True, slots=True)
class HubSubscription:
    """The subscription of a feed at its hub."""

    feed_id: int
    hub: Hub
    key: str
    """The secret part of the callback address."""
    secret: str
    """With which the hub signs what it pushes."""
    callback: str
    """The callback address that the hub was given last; empty before it is asked."""
    ending: bool
    """Whether it is to end."""
    asked: datetime | None
    """When the hub was asked last."""
    lease_until: datetime | None
    """None until the hub has agreed."""
    next_attempt: datetime | None
    """When the hub is asked again."""
    failures: int
    """Requests since the hub has agreed last."""
    error: str
    """Why the last request failed, or what the hub refuses; empty otherwise."""
    pushed: datetime | None
    """When contents came last that could be read."""
    missed: datetime | None
    """When a poll found what the hub had not pushed; None again when it pushes."""

    def is_live(self, now: datetime) -> bool:
        """Whether what the hub pushes makes frequent polls unnecessary."""
        agreed = self.lease_until is not None and self.lease_until > now
        return agreed and not self.ending and self.missed is None


@dataclass(frozen=True, slots=True)
class PushedDocument:
    """What a hub pushed: a whole feed, or what is new of it."""

    id: int
    content_type: str
    body: bytes
