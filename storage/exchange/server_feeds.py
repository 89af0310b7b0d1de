"""Feeds and hosts of a whole server: how polling them goes. Nothing says who follows what."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import case, func, or_, select

from storage.engine.transaction import Transaction
from storage.records.server import BrokenFeed, HostState
from storage.schema import feeds, host_pauses, subscriptions
from storage.stream.feed_rows import is_followed

_FOLLOWED = is_followed(subscriptions.c.enabled)
_BROKEN = or_(feeds.c.failures > 0, feeds.c.gone_since.is_not(None))


def hosts(tx: Transaction, now: datetime) -> list[HostState]:
    """List the hosts of feeds that are polled: first those with most broken feeds, then by name."""
    broken = func.sum(case((_BROKEN, 1), else_=0)).label("broken")
    due = func.min(feeds.c.next_due, type_=feeds.c.next_due.type)
    query = select(feeds.c.host, func.count(), broken, due).where(_FOLLOWED).group_by(feeds.c.host)
    until = func.max(host_pauses.c.until, type_=host_pauses.c.until.type)
    pauses = select(host_pauses.c.host, until).where(host_pauses.c.until > now).group_by(host_pauses.c.host)
    paused: dict[str, datetime] = dict(tx.connection.execute(pauses).all())
    rows = tx.connection.execute(query.order_by(broken.desc(), feeds.c.host))
    return [HostState(host, count, int(bad), next_due, paused.get(host)) for host, count, bad, next_due in rows]


def broken_feeds(tx: Transaction, limit: int) -> list[BrokenFeed]:
    """List feeds whose last fetch failed, or that are gone: those first that have failed most often."""
    c = feeds.c
    query = select(c.url, c.error, c.failures, c.last_success, c.next_due).where(_FOLLOWED, _BROKEN)
    rows = tx.connection.execute(query.order_by(c.failures.desc(), c.id).limit(limit))
    return [BrokenFeed(*row) for row in rows]
