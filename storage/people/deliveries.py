"""Which article was in which digest under which number, the contents of digests, and the mail that delivers them.

An article is delivered once over all digests. The state of the mail has one row per user and digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Row, and_, func, insert, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks, insert_new
from storage.records.deliveries import Delivery, Mailing, MailState
from storage.schema import deliveries, digests, mailings
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


_MAILING = (
    "user_id", "digest", "message_id", "recipient", "state", "attempts", "at", "next_attempt", "error",
)  # fmt: skip
_MAILING_COLUMNS = [mailings.c[name] for name in _MAILING]


def mailing(tx: Transaction, user_id: int, digest: str) -> Mailing | None:
    """Return what became of the mail of one digest; None when none was ever to be sent."""
    query = select(*_MAILING_COLUMNS).where(mailings.c.user_id == user_id, mailings.c.digest == digest)
    row = tx.connection.execute(query).one_or_none()
    return _mailing(row) if row is not None else None


def newest_mailings(tx: Transaction, user_id: int, limit: int, until: str = "") -> list[Mailing]:
    """List the mail of the last digests, or of those up to one, the newest digest first."""
    query = (
        select(*_MAILING_COLUMNS).where(mailings.c.user_id == user_id).order_by(mailings.c.digest.desc()).limit(limit)
    )
    query = query.where(mailings.c.digest <= until) if until else query
    return [_mailing(row) for row in tx.connection.execute(query)]


def mailed_users(tx: Transaction) -> list[int]:
    """List the users to whom digests were ever mailed."""
    return list(tx.connection.execute(select(mailings.c.user_id).distinct().order_by(mailings.c.user_id)).scalars())


def put_mailing(tx: Transaction, before: Mailing | None, after: Mailing) -> bool:
    """Write ``after`` if the stored row is still ``before`` (None: no row); return whether it was.

    Of two processes that want to send the same digest, only one succeeds.
    """
    values = {name: getattr(after, name) for name in _MAILING}
    if before is None:
        if mailing(tx, after.user_id, after.digest) is not None:
            return False
        tx.connection.execute(insert(mailings).values(values))
        return True
    unchanged = and_(*(mailings.c[name].is_not_distinct_from(getattr(before, name)) for name in _MAILING))
    return tx.connection.execute(update(mailings).where(unchanged).values(values)).rowcount == 1


def _mailing(row: Row[tuple[object, ...]]) -> Mailing:
    values = dict(row._mapping)
    return Mailing(**{**values, "state": MailState(values["state"])})
