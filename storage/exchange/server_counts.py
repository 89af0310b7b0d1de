"""How many of everything a server has, and what waits: of all users together, nothing about anybody."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select

from storage.engine.transaction import Transaction
from storage.records.deliveries import MailState
from storage.records.server import ServerCounts
from storage.records.work import Task
from storage.schema import connections, feeds, mailings, subscriptions, users
from storage.schema import work as work_rows
from storage.stream import articles
from storage.stream.addresses import is_remote
from storage.stream.feed_rows import is_due, is_followed
from storage.work import work


def server_counts(tx: Transaction, now: datetime) -> ServerCounts:
    """Count what there is, and find what has been due longest."""
    enabled = is_followed(subscriptions.c.enabled)
    paused = and_(~enabled, is_followed(), ~is_remote(feeds.c.url))
    by_role = select(users.c.role, func.count()).group_by(users.c.role)
    waiting = mailings.c.state.in_((MailState.WAITING, MailState.SENDING))
    # Without workers nothing is in the table of work: what is due is then in the tables of its own.
    due = {queue.value: seconds for queue, seconds in work.oldest_due(tx, now).items()}
    since = func.coalesce(feeds.c.next_due, feeds.c.added, type_=feeds.c.added.type)
    polled = and_(enabled, is_due(now), ~_has_host_set_aside())
    due["poll"] = max(due["poll"], _waited(tx, since, polled, now))
    due["mail"] = _waited(tx, mailings.c.next_attempt, waiting, now)
    due["connect"] = max(due["connect"], _waited(tx, connections.c.next_due, connections.c.next_due.is_not(None), now))
    last = select(func.max(feeds.c.last_success, type_=feeds.c.last_success.type)).where(enabled)
    return ServerCounts(
        users=dict(tx.connection.execute(by_role).all()),
        feeds_enabled=_count(tx, enabled),
        feeds_disabled=_count(tx, paused),
        feeds_broken=_count(tx, and_(enabled, or_(feeds.c.failures > 0, feeds.c.gone_since.is_not(None)))),
        articles=articles.last_seq(tx),  # none is ever deleted, and counting takes long
        last_fetch=tx.connection.execute(last).scalar_one(),
        oldest_due=due,
        set_aside=len(work.set_aside(tx)),
    )


def _has_host_set_aside() -> ColumnElement[bool]:
    """Return the condition that nobody asks the host of a feed any more, since that has failed too often."""
    row = select(work_rows.c.key).where(work_rows.c.task == Task.POLL.value, work_rows.c.key == feeds.c.host)
    return row.where(work_rows.c.set_aside.is_not(None)).correlate(feeds).exists()


def _count(tx: Transaction, which: ColumnElement[bool]) -> int:
    return int(tx.connection.execute(select(func.count()).select_from(feeds).where(which)).scalar_one())


def _waited(tx: Transaction, due: ColumnElement[datetime | None], which: ColumnElement[bool], now: datetime) -> float:
    """Return for how many seconds the oldest that is due has been so; 0 if none is."""
    oldest = tx.connection.execute(select(func.min(due, type_=due.type)).where(which, due <= now)).scalar_one()
    return 0.0 if oldest is None else (now - oldest).total_seconds()
