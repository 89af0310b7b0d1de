"""Connections to other reader servers, at most one for each user, and the feeds that come from there.

Such a feed is an ordinary feed of this one user: subscribed, so that its articles are judged and listed, and switched
off, so that nobody polls it. Its address begins with ``iscore:remote/``; feeds.yaml does not know it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, update

from storage.engine.base_database import Transaction
from storage.records.connections import Connection, ReaderKind, RemoteFeed
from storage.schema import connections, feeds, subscriptions
from storage.stream.addresses import is_remote, remote_address
from storage.stream.feeds import add as add_feed

AFTER_OTHERS = 1_000_000
"""The first position of feeds from elsewhere: behind those of feeds.yaml."""


def get(tx: Transaction, user_id: int) -> Connection | None:
    """Return a user's connection; None without one."""
    row = tx.connection.execute(select(connections).where(connections.c.user_id == user_id)).one_or_none()
    return None if row is None else Connection(row.user_id, ReaderKind(row.kind), *row[2:])


def put(tx: Transaction, connection: Connection) -> None:
    """Store a connection, in place of an earlier one of the same user."""
    values: dict[str, Any] = {name: getattr(connection, name) for name in connection.__slots__}
    values["kind"] = connection.kind.value
    tx.connection.execute(delete(connections).where(connections.c.user_id == connection.user_id))
    tx.connection.execute(insert(connections).values(values))


def remove(tx: Transaction, user_id: int) -> None:
    """Delete a connection, and follow its feeds no longer; their articles stay."""
    tx.connection.execute(delete(subscriptions).where(_remote(user_id)))
    tx.connection.execute(delete(connections).where(connections.c.user_id == user_id))


def is_due(tx: Transaction, user_id: int, now: datetime) -> bool:
    """Whether a user has a connection whose time has come."""
    due = or_(connections.c.next_due.is_(None), connections.c.next_due <= now)
    query = select(connections.c.user_id).where(connections.c.user_id == user_id, due)
    return tx.connection.execute(query).first() is not None


def follow(tx: Transaction, connection: Connection, found: Sequence[RemoteFeed]) -> dict[str, int]:
    """Make the feeds from elsewhere exactly ``found``, in this order; return their numbers, by stream.

    Feeds that are not there any more are followed no longer; their articles stay.
    """
    user_id, numbers = connection.user_id, {}
    tx.connection.execute(delete(subscriptions).where(_remote(user_id)))
    for position, each in enumerate({feed.stream: feed for feed in found}.values()):
        address = _address(connection, each.stream)
        known = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == address)).scalar_one_or_none()
        number = add_feed(tx, address, each.title) if known is None else int(known)
        names = {"name": each.title, "title": each.title, "site_url": each.site_url}
        tx.connection.execute(update(feeds).where(feeds.c.id == number).values(**names))
        row = {
            "user_id": user_id,
            "feed_id": number,
            "url": address,
            "title": "",
            "tags": each.folders,
            "interval": None,
            "fulltext": False,
            "enabled": False,  # nobody polls it
            "position": AFTER_OTHERS + position,
        }
        tx.connection.execute(insert(subscriptions).values(row))
        numbers[each.stream] = number
    return numbers


def feed_addresses(tx: Transaction, user_id: int) -> dict[int, str]:
    """Return the addresses of the feeds that come from elsewhere, by number."""
    query = select(subscriptions.c.feed_id, subscriptions.c.url).where(_remote(user_id))
    return dict(tx.connection.execute(query.order_by(subscriptions.c.position)).all())


def count_feeds(tx: Transaction, user_id: int) -> int:
    """Count the feeds that come from elsewhere."""
    query = select(func.count()).select_from(subscriptions).where(_remote(user_id))
    return int(tx.connection.execute(query).scalar_one())


def _remote(user_id: int) -> ColumnElement[bool]:
    return (subscriptions.c.user_id == user_id) & is_remote(subscriptions.c.url)


def _address(connection: Connection, stream: str) -> str:
    """Return the address of a feed: the same whenever this account is connected, without naming it, since exports
    contain addresses of feeds."""
    account = hashlib.sha256(f"{connection.address}\0{connection.name}".encode()).hexdigest()[:16]
    return f"{remote_address(connection.user_id)}{account}/{quote(stream, safe='')}"
