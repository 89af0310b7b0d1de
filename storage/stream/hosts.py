"""Hosts that feeds come from, and what their robots.txt allows.

Workers claim hosts, not feeds, so that nobody asks a host while another does.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, insert, literal, or_, select

from storage.engine.transaction import Transaction
from storage.records.feeds import Feed
from storage.schema import feeds, host_pauses, robots, subscriptions
from storage.stream.addresses import host_of, login_of
from storage.stream.feed_rows import LONGEST_WAIT, feed_of, is_due, is_followed, is_free, select_followed

ROBOTS_LIFETIME = timedelta(hours=24)
"""RFC 9309, section 2.4: no copy should be used for longer."""


def due(tx: Transaction, now: datetime) -> dict[str, datetime]:
    """Return the hosts of which feeds are due, each with when the first was; ``now`` for one that was never asked."""
    since = func.min(func.coalesce(feeds.c.next_due, literal(now, feeds.c.next_due.type)), type_=feeds.c.next_due.type)
    followed = is_followed(subscriptions.c.enabled)
    query = select(feeds.c.host, since).where(is_due(now), is_free(now), followed).group_by(feeds.c.host)
    # A time in the future was set while a clock was wrong.
    return {host: min(at, now) for host, at in tx.connection.execute(query)}


def due_feeds(tx: Transaction, hosts: Sequence[str], now: datetime) -> list[Feed]:
    """List the feeds of some hosts that are due, without the hosts of which somebody else has taken a feed.

    The caller has claimed the hosts, so no feed is leased.
    """
    taken = select(feeds.c.host).where(feeds.c.host.in_(hosts), ~is_free(now))
    query = select_followed(subscriptions.c.enabled, feeds.c.host.in_(hosts), feeds.c.host.not_in(taken), is_due(now))
    return [feed_of(row) for row in tx.connection.execute(query.order_by(feeds.c.id))]


def pause(tx: Transaction, url: str, until: datetime, now: datetime) -> None:
    """Ask nothing of the host of an address until then, with the same login; pauses that are over are deleted."""
    host, login = host_of(url), login_of(url)
    c = host_pauses.c
    tx.connection.execute(delete(host_pauses).where((c.until <= now) | ((c.host == host) & (c.login == login))))
    tx.connection.execute(insert(host_pauses).values(host=host, login=login, until=min(until, now + LONGEST_WAIT)))


def robots_file(tx: Transaction, site: str, now: datetime) -> bytes | None:
    """Return the file of ``site``, empty if it had none; None when it is unknown or too old."""
    believed = (robots.c.site == site, robots.c.fetched > now - ROBOTS_LIFETIME, robots.c.fetched <= now)
    found: bytes | None = tx.connection.execute(select(robots.c.body).where(*believed)).scalar_one_or_none()
    return found


def save_robots_file(tx: Transaction, site: str, body: bytes, now: datetime) -> None:
    """Remember the file of ``site``; forget all that are too old, or seem to come from the future."""
    old = or_(robots.c.site == site, robots.c.fetched <= now - ROBOTS_LIFETIME, robots.c.fetched > now)
    tx.connection.execute(delete(robots).where(old))
    tx.connection.execute(insert(robots).values(site=site, fetched=now, body=body))
