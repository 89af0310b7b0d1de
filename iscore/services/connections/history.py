"""Imports what was starred or liked on another server before the connection, as ``iscore interests learn-from`` does.

It is one import, which can be listed and undone; what was starred is also saved here, and only that if the user wants
stars to be no likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from iscore.feeds.remote_server.answers import FoundItem
from iscore.services.interests import import_store as store
from iscore.services.interests.formats.builder import item_of
from iscore.services.interests.import_store import Measure
from storage.exchange import remote_items
from storage.opening.database import Database
from storage.records.connections import Connection, ConnectionOption, RemoteItem


def import_history(
    database: Database, connection: Connection, found: Sequence[FoundItem], measure: Measure, at: datetime
) -> int:
    """Learn from items, and remember them; return how many were learned. What is known already is not learned again."""
    made = [
        item_of(
            each.url,
            each.title,
            each.markup,
            author=each.author,
            categories=each.tags,
            added=each.arrived,
            saved=each.starred,
        )
        for each in found
    ]
    items = list({item.key: item for item in made if item is not None}.values())
    user = connection.user_id
    unliked = set()
    if ConnectionOption.STAR_ONLY_SAVES in connection.options:
        unliked = {item.key for each, item in zip(found, made, strict=True) if item and not each.liked}
    sorted_ = store.classify(database, user, [item for item in items if item.key not in unliked])
    name = f"{connection.kind}, starred before {connection.connected:%Y-%m-%d}"
    saved = [item for item in items if item.saved]
    learned = store.store(database, user, name, sorted_, measure, at=at, save=saved).learned
    numbers = store.numbers(database, user, items)
    remembered = [
        RemoteItem(
            each.item, numbers.get(item.key) if item else None, each.starred, each.liked, each.disliked, read=True
        )
        for each, item in zip(found, made, strict=True)
    ]
    with database.write(user) as tx:
        remote_items.add(tx, user, remembered)
    return learned
