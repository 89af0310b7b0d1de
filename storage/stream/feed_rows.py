"""Feeds as rows: how they are selected, and which are due."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, case, exists, func, or_, select

from storage.records.feeds import Feed
from storage.records.work import Task
from storage.schema import feeds, host_pauses, subscriptions, work

LONGEST_WAIT = timedelta(days=32)
"""A feed that is due later than this was put off while the clock was wrong."""
LONGEST_LEASE = timedelta(hours=1)
"""No feed is taken for longer; what seems to be, was taken while the clock was wrong."""
SMALL_STEP = timedelta(minutes=5)
"""A clock that is set back by no more than this makes nothing due."""


def select_followed(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Select followed feeds with what their followers ask for."""
    return (
        select(
            feeds,
            func.min(subscriptions.c.interval).label("interval"),
            func.max(case((subscriptions.c.fulltext, 1), else_=0)).label("fulltext"),
        )
        .join(subscriptions, subscriptions.c.feed_id == feeds.c.id)
        .where(*conditions)
        .group_by(feeds.c.id)
    )


def is_followed(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that somebody follows a feed, by a subscription that meets some conditions.

    One subscription of each feed is looked for: a join would read those of everybody.
    """
    one = select(subscriptions.c.user_id).where(subscriptions.c.feed_id == feeds.c.id, *conditions).limit(1)
    return one.correlate(feeds).scalar_subquery().is_not(None)


def is_free(now: datetime) -> ColumnElement[bool]:
    """Return the condition that nobody has taken a feed."""
    until = feeds.c.lease_until
    return or_(until.is_(None), until <= now, until > now + LONGEST_LEASE)


def has_free_host(now: datetime) -> ColumnElement[bool]:
    """Return the condition that no worker has claimed the host of a feed."""
    held = work.c.task == Task.POLL.value, work.c.key == feeds.c.host, work.c.lease_until > now
    return ~exists().where(*held, work.c.lease_until <= now + LONGEST_LEASE).correlate(feeds)


def is_due(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a feed may be asked again, and its host has not asked to be left alone."""
    until = host_pauses.c.until
    paused = host_pauses.c.host == feeds.c.host, host_pauses.c.login == feeds.c.login, until > now
    return and_(
        or_(
            feeds.c.next_due.is_(None),
            feeds.c.next_due <= now,
            feeds.c.next_due > now + LONGEST_WAIT,
            feeds.c.last_attempt > now + SMALL_STEP,
        ),
        ~exists().where(*paused, until <= now + LONGEST_WAIT).correlate(feeds),
    )


def feed_of(row: Row[Any]) -> Feed:
    """Return the feed of a row of ``select_followed``."""
    return Feed(
        id=row.id,
        url=row.url,
        title=row.title,
        site_url=row.site_url,
        interval=row.interval,
        fulltext=bool(row.fulltext),
        etag=row.etag,
        last_modified=row.last_modified,
        body_hash=row.body_hash,
        items_seen=row.items_seen,
        next_due=row.next_due,
        last_attempt=row.last_attempt,
        last_success=row.last_success,
        last_change=row.last_change,
        failures=row.failures,
        error=row.error,
        gone_since=row.gone_since,
        moved_to=row.moved_to,
        moved_since=row.moved_since,
        ttl_minutes=row.ttl_minutes,
        skip_hours=row.skip_hours,
        skip_days=row.skip_days,
        icon=row.icon,
    )
