"""What sites allow programs to fetch: their robots.txt as it was last had. A cache, kept for a day."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, or_, select

from storage.engine.transaction import Transaction
from storage.schema import robots

LIFETIME = timedelta(hours=24)
"""RFC 9309, section 2.4: no copy should be used for longer."""


def get(tx: Transaction, site: str, now: datetime) -> bytes | None:
    """Return the file of ``site``, empty if it had none; None when it is unknown or too old."""
    believed = (robots.c.site == site, robots.c.fetched > now - LIFETIME, robots.c.fetched <= now)
    found: bytes | None = tx.connection.execute(select(robots.c.body).where(*believed)).scalar_one_or_none()
    return found


def save(tx: Transaction, site: str, body: bytes, now: datetime) -> None:
    """Remember the file of ``site``; forget all that are too old, or seem to come from the future."""
    old = or_(robots.c.site == site, robots.c.fetched <= now - LIFETIME, robots.c.fetched > now)
    tx.connection.execute(delete(robots).where(old))
    tx.connection.execute(insert(robots).values(site=site, fetched=now, body=body))
