"""WebSub: subscriptions of feeds at hubs, and what these push."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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
