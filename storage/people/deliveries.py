"""Which article was in which digest under which number, and the contents of digests.

An article is delivered once over all digests.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks, insert_new
from storage.records.deliveries import Delivery
from storage.schema import deliveries, digests
from storage.schema.columns import microseconds

_DELIVERY = ("user_id", "seq", "digest", "number", "at")
_add = Bulk(insert_new(deliveries), _DELIVERY)
_KEPT = ("user_id", "digest", "at", "content")
_keep = Bulk(insert_new(digests), _KEPT)


def add(tx: Transaction, rows: Sequence[Delivery]) -> None:
    """Record deliveries; an article that was delivered before keeps its place."""
    _add.run(tx, [(row.user_id, row.seq, row.digest, row.number, microseconds(row.at)) for row in rows])


def digest(tx: Transaction, user_id: int, date: str) -> list[Delivery]:
    """List the deliveries of a user's digest of that date, by number; empty without one."""
    query = select(*(deliveries.c[name] for name in _DELIVERY)).where(
        deliveries.c.user_id == user_id, deliveries.c.digest == date
    )
    return [Delivery(*row) for row in tx.connection.execute(query.order_by(deliveries.c.number))]


def newest_digest(tx: Transaction, user_id: int) -> str | None:
    """Return the date of the user's last digest; None when there was none."""
    query = select(func.max(deliveries.c.digest)).where(deliveries.c.user_id == user_id)
    newest: str | None = tx.connection.execute(query).scalar_one()
    return newest


def delivered(tx: Transaction, user_id: int, seqs: Sequence[int]) -> set[int]:
    """Return which of these articles were in a digest of this user."""
    found: set[int] = set()
    for piece in chunks(seqs):
        query = select(deliveries.c.seq).where(deliveries.c.user_id == user_id, among(deliveries.c.seq, piece))
        found |= set(tx.connection.execute(query).scalars())
    return found


def digests_until(tx: Transaction, user_id: int, date: str, limit: int) -> list[str]:
    """List the dates of the user's last digests up to that date, the newest first."""
    mine = select(deliveries.c.digest).where(deliveries.c.user_id == user_id, deliveries.c.digest <= date).distinct()
    return list(tx.connection.execute(mine.order_by(deliveries.c.digest.desc()).limit(limit)).scalars())


def last_made(tx: Transaction, user_id: int, before: str) -> datetime | None:
    """Return when the newest digest of an earlier date was made; None without any."""
    at = deliveries.c.at
    query = select(func.max(at, type_=at.type)).where(deliveries.c.user_id == user_id, deliveries.c.digest < before)
    made: datetime | None = tx.connection.execute(query).scalar_one()
    return made


def store_content(tx: Transaction, user_id: int, date: str, content: str, at: datetime) -> None:
    """Store a digest's contents; one that is stored already does not change."""
    _keep.run(tx, [(user_id, date, microseconds(at), content)])


def content(tx: Transaction, user_id: int, date: str) -> str | None:
    """Return a digest's contents; None when they were not stored."""
    query = select(digests.c.content).where(digests.c.user_id == user_id, digests.c.digest == date)
    return tx.connection.execute(query).scalar_one_or_none()
