"""What hubs have pushed of the feeds of one poll, and what the poll learns about hubs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from iscore.feeds.websub.requests import new_key
from storage.engine.transaction import Transaction
from storage.opening.database import Database
from storage.records.feeds import Feed, Stored
from storage.records.hubs import Hub, PushedDocument
from storage.stream import hubs


@dataclass(frozen=True, slots=True)
class HubNews:
    """What one attempt at a feed learned."""

    read: tuple[int, ...] = ()
    """Numbers of the pushed documents that it has read."""
    delivered: bool = False
    """Whether one of them was the feed."""
    found: bool = False
    """Whether ``hub`` is what the feed says now."""
    hub: Hub | None = None
    usual_due: datetime | None = None
    """When the feed would be due if no hub pushed it; None if none does."""


NOTHING = HubNews()


class Pushes:
    """What hubs have pushed. ``used``: whether it is read instead of fetching the feed."""

    def __init__(self, database: Database, feeds: Sequence[Feed], *, used: bool) -> None:
        self._database = database
        self._used = used
        ids = [feed.id for feed in feeds]
        with database.read() as tx:
            self._subscriptions = hubs.of_feeds(tx, ids)
            self._waiting = hubs.with_documents(tx, ids)

    def documents(self, feed: Feed) -> tuple[PushedDocument, ...]:
        """Return what waits of a feed, the oldest first."""
        if feed.id not in self._waiting:
            return ()
        with self._database.read() as tx:
            return tuple(hubs.documents(tx, feed.id))

    def are_enough(self, feed: Feed) -> bool:
        """Whether what was pushed can be read as the feed itself.

        Where the items of a feed cannot be told apart by their ids, their keys depend on the others: it is fetched.
        """
        return self._used and bool(feed.items_seen)

    def until(self, feed: Feed, now: datetime) -> datetime | None:
        """Return until when a feed need not be polled often; None if no hub pushes it."""
        known = self._subscriptions.get(feed.id)
        return known.next_attempt if known is not None and known.is_live(now) else None

    def base(self, feed: Feed) -> str:
        """Return the address against which relative links of what was pushed are resolved."""
        known = self._subscriptions.get(feed.id)
        return known.hub.base if known is not None else feed.url


def record(tx: Transaction, feed_id: int, news: HubNews, stored: Stored, now: datetime) -> None:
    """Store what one attempt at a feed learned, with its articles."""
    if news.read:
        hubs.record(tx, feed_id, news.read, now, delivered=news.delivered)
    if news.found:
        hubs.name(tx, feed_id, news.hub, now, key=new_key(), secret=new_key())
    if news.usual_due is not None and stored.added:
        hubs.miss(tx, feed_id, now, news.usual_due)
