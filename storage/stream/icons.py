"""Icons of feeds, one for all who follow a feed: small pictures that ``iscore.feeds.icons`` finds on their sites.

A site is asked once a month, whatever came of it. What is stored stays until another picture is found.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, insert, or_, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.records.feeds import IconSource
from storage.schema import feeds, icons, subscriptions
from storage.stream.addresses import is_remote
from storage.stream.feed_rows import SMALL_STEP, is_followed

LIFETIME = timedelta(days=30)
"""Until a site is asked again."""

_c = icons.c


def are_due(tx: Transaction, now: datetime) -> bool:
    """Return whether ``due`` would find a feed."""
    return tx.connection.execute(_due(now).limit(1)).first() is not None


def due(tx: Transaction, now: datetime, most: int) -> list[IconSource]:
    """List followed feeds whose sites are to be asked for an icon.

    Only those that answered the last poll: while the network is down, no site is asked in vain.
    """
    return [IconSource(*row) for row in tx.connection.execute(_due(now).order_by(feeds.c.id).limit(most))]


def record(tx: Transaction, found: Mapping[int, bytes], now: datetime) -> None:
    """Record that sites were asked, and the icons of their feeds; empty ones keep what there was."""
    known: dict[int, bytes] = {}
    for piece in chunks(sorted(found)):
        known |= dict(tx.connection.execute(select(_c.feed_id, _c.picture).where(among(_c.feed_id, piece))).all())
    for feed_id, picture in found.items():
        values: dict[str, Any] = {"asked": now}
        if picture and picture != known.get(feed_id):
            values |= {"picture": picture, "key": secrets.token_urlsafe(16)}
        if feed_id in known:
            tx.connection.execute(update(icons).where(_c.feed_id == feed_id).values(values))
        else:
            tx.connection.execute(insert(icons).values({"feed_id": feed_id, "picture": b"", "key": "", **values}))


def keys(tx: Transaction, user_id: int) -> dict[int, str]:
    """Return the keys of the icons of the feeds that a user follows; feeds without an icon are left out."""
    return dict(tx.connection.execute(_of_user(user_id, _c.key)).all())


def pictures(tx: Transaction, user_id: int) -> dict[int, bytes]:
    """Return these icons."""
    return dict(tx.connection.execute(_of_user(user_id, _c.picture)).all())


def with_key(tx: Transaction, key: str) -> bytes:
    """Return the icon with a key; empty if there is none."""
    found: bytes | None = tx.connection.execute(select(_c.picture).where(_c.key == key, _c.key != "")).scalar()
    return found or b""


def _due(now: datetime) -> Select[Any]:
    old = or_(_c.asked.is_(None), _c.asked <= now - LIFETIME, _c.asked > now + SMALL_STEP)
    answers = feeds.c.last_success.is_not(None), feeds.c.failures == 0
    query = select(feeds.c.id, feeds.c.url, feeds.c.site_url, feeds.c.icon).outerjoin(icons, _c.feed_id == feeds.c.id)
    return query.where(old, *answers, ~is_remote(feeds.c.url), is_followed(subscriptions.c.enabled))


def _of_user(user_id: int, column: Any) -> Select[Any]:
    mine = subscriptions.c.feed_id == _c.feed_id, subscriptions.c.user_id == user_id
    return select(_c.feed_id, column).join(subscriptions, mine[0]).where(mine[1], _c.key != "").order_by(_c.feed_id)
