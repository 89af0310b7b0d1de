"""The mail that delivers digests: the state of each. One row per user and digest."""

from __future__ import annotations

from sqlalchemy import Row, and_, insert, select, update

from storage.engine.base_database import Transaction
from storage.records.deliveries import Mailing, MailState
from storage.schema import mailings

_MAILING = (
    "user_id", "digest", "message_id", "recipient", "state", "attempts", "at", "next_attempt", "error",
)  # fmt: skip
_COLUMNS = [mailings.c[name] for name in _MAILING]


def get(tx: Transaction, user_id: int, digest: str) -> Mailing | None:
    """Return what became of the mail of one digest; None when none was ever to be sent."""
    query = select(*_COLUMNS).where(mailings.c.user_id == user_id, mailings.c.digest == digest)
    row = tx.connection.execute(query).one_or_none()
    return _mailing(row) if row is not None else None


def newest(tx: Transaction, user_id: int, limit: int, until: str = "") -> list[Mailing]:
    """List the mail of the last digests, or of those up to one, the newest digest first."""
    query = select(*_COLUMNS).where(mailings.c.user_id == user_id).order_by(mailings.c.digest.desc()).limit(limit)
    query = query.where(mailings.c.digest <= until) if until else query
    return [_mailing(row) for row in tx.connection.execute(query)]


def user_ids(tx: Transaction) -> list[int]:
    """List the users to whom digests were ever mailed."""
    return list(tx.connection.execute(select(mailings.c.user_id).distinct().order_by(mailings.c.user_id)).scalars())


def put(tx: Transaction, before: Mailing | None, after: Mailing) -> bool:
    """Write ``after`` if the stored row is still ``before`` (None: no row); return whether it was.

    Of two processes that want to send the same digest, only one succeeds.
    """
    values = {name: getattr(after, name) for name in _MAILING}
    if before is None:
        if get(tx, after.user_id, after.digest) is not None:
            return False
        tx.connection.execute(insert(mailings).values(values))
        return True
    unchanged = and_(*(mailings.c[name].is_not_distinct_from(getattr(before, name)) for name in _MAILING))
    return tx.connection.execute(update(mailings).where(unchanged).values(values)).rowcount == 1


def _mailing(row: Row[tuple[object, ...]]) -> Mailing:
    values = dict(row._mapping)
    return Mailing(**{**values, "state": MailState(values["state"])})
