"""Documents that hubs have pushed for the feeds of one poll, and what the poll learns about hubs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from iscore.feeds.websub.requests import new_key
from storage.engine.base_database import Transaction
from storage.opening.database import Database
from storage.records.feeds import Feed, Hub, PushedDocument, Stored
from storage.stream import hubs


@dataclass(frozen=True, slots=True)
class HubNews:
    """What one attempt to fetch a feed learned about its hub."""

    read: tuple[int, ...] = ()
    """Numbers of the pushed documents that it read."""
    delivered: bool = False
    """Whether one of them was the feed itself."""
    found: bool = False
    """Whether ``hub`` is what the feed names now."""
    hub: Hub | None = None
    usual_due: datetime | None = None
    """When the feed would be due if no hub pushed it; None if no hub does."""


NOTHING = HubNews()


class Pushes:
    """The pushed documents of some feeds. ``used``: whether they are read instead of fetching the feed."""

    def __init__(self, database: Database, feeds: Sequence[Feed], *, used: bool) -> None:
        self._database = database
        self._used = used
        ids = [feed.id for feed in feeds]
        with database.read() as tx:
            self._subscriptions = hubs.of_feeds(tx, ids)
            self._waiting = hubs.with_documents(tx, ids)

    def documents(self, feed: Feed) -> tuple[PushedDocument, ...]:
        """Return the waiting documents of a feed, oldest first."""
        if feed.id not in self._waiting:
            return ()
        with self._database.read() as tx:
            return tuple(hubs.documents(tx, feed.id))

    def are_enough(self, feed: Feed) -> bool:
        """Whether the pushed documents can be read instead of the feed.

        If the items of a feed cannot be told apart by their ids, their keys depend on each other, and it is fetched.
        """
        return self._used and bool(feed.items_seen)

    def until(self, feed: Feed, now: datetime) -> datetime | None:
        """Return until when a feed need not be polled often; None if no hub pushes it."""
        known = self._subscriptions.get(feed.id)
        return known.next_attempt if known is not None and known.is_live(now) else None

    def base(self, feed: Feed) -> str:
        """Return the base address of relative links in pushed documents."""
        known = self._subscriptions.get(feed.id)
        return known.hub.base if known is not None else feed.url


def record(tx: Transaction, feed_id: int, news: HubNews, stored: Stored, now: datetime) -> None:
    """Store what one attempt learned, in the transaction that stores its articles."""
    if news.read:
        hubs.record(tx, feed_id, news.read, now, delivered=news.delivered)
    if news.found:
        hubs.name(tx, feed_id, news.hub, now, key=new_key(), secret=new_key())
    if news.usual_due is not None and stored.added:
        hubs.miss(tx, feed_id, now, news.usual_due)
