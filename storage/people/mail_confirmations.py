"""Mails with a code that confirm the addresses of users, and which addresses are confirmed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, func, insert, or_, select, update

from storage.engine.base_database import Transaction
from storage.records.deliveries import Confirmation, MailState
from storage.schema import mail_confirmations, mailings

_c = mail_confirmations.c
_NAMES = ("user_id", "number", "address", "asked", "due", "key", "wrong", "confirmed")
_SENT = (MailState.SENT.value, MailState.SENT_BY_HAND.value)


def is_confirmed(tx: Transaction, user_id: int, address: str) -> bool:
    """Return whether a user has confirmed an address, or was sent a digest there."""
    by_code = exists().where(_c.user_id == user_id, _c.address == address, _c.confirmed.is_not(None))
    m = mailings.c
    by_digest = exists().where(m.user_id == user_id, func.lower(m.recipient) == address, m.state.in_(_SENT))
    return bool(tx.connection.execute(select(or_(by_code, by_digest))).scalar_one())


def list_confirmations(tx: Transaction, user_id: int, address: str) -> list[Confirmation]:
    """List the mails of a user to an address, the newest first."""
    query = select(*(_c[name] for name in _NAMES)).where(_c.user_id == user_id, _c.address == address)
    return [Confirmation(*row) for row in tx.connection.execute(query.order_by(_c.number.desc()))]


def nth_asked(tx: Transaction, user_id: int, n: int, since: datetime, until: datetime) -> datetime | None:
    """Return when a user asked for the ``n``-th of their mails between two times, from the newest; None: for fewer."""
    return _nth(tx, _c.user_id == user_id, n, since, until)


def nth_to(tx: Transaction, address: str, n: int, since: datetime, until: datetime) -> datetime | None:
    """Return the same for the mails of all users to an address."""
    return _nth(tx, _c.address == address, n, since, until)


def _nth(tx: Transaction, of: ColumnElement[bool], n: int, since: datetime, until: datetime) -> datetime | None:
    query = select(_c.asked).where(of, _c.asked > since, _c.asked <= until).order_by(_c.asked.desc())
    found: datetime | None = tx.connection.execute(query.limit(1).offset(n - 1)).scalar()
    return found


def add(tx: Transaction, user_id: int, address: str, at: datetime, since: datetime) -> None:
    """Add a mail that is due now, and delete those that the user asked for before ``since`` and never confirmed."""
    tx.connection.execute(
        delete(mail_confirmations).where(_c.user_id == user_id, _c.asked < since, _c.confirmed.is_(None))
    )
    last = tx.connection.execute(select(func.max(_c.number)).where(_c.user_id == user_id)).scalar() or 0
    values = {"user_id": user_id, "number": last + 1, "address": address, "asked": at, "due": at}
    tx.connection.execute(insert(mail_confirmations).values(**values, key="", wrong=0))


def put(tx: Transaction, changed: Confirmation) -> None:
    """Store a mail that has changed."""
    values = {name: getattr(changed, name) for name in _NAMES}
    mine = _c.user_id == changed.user_id, _c.number == changed.number
    tx.connection.execute(update(mail_confirmations).where(*mine).values(values))
