"""How many of everything a server has, and what waits: of all users together, nothing about anybody."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from storage.engine.transaction import Transaction
from storage.records.deliveries import MailState
from storage.records.server import BrokenFeed, HostState, ServerCounts
from storage.records.work import Task
from storage.schema import connections, feeds, host_pauses, mailings, subscriptions, users
from storage.schema import work as work_rows
from storage.stream import articles
from storage.stream.addresses import is_remote
from storage.stream.feed_rows import is_due, is_followed
from storage.work import work

_FOLLOWED = is_followed(subscriptions.c.enabled)
_BROKEN = or_(feeds.c.failures > 0, feeds.c.gone_since.is_not(None))


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
