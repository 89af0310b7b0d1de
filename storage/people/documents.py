"""Texts that users write, by user and name."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import exists, insert, select, update

from storage.engine.transaction import Transaction
from storage.schema import documents, users


def get(tx: Transaction, user_id: int, name: str) -> str | None:
    """Return a text; None if it was never stored."""
    query = select(documents.c.text).where(documents.c.user_id == user_id, documents.c.name == name)
    return tx.connection.execute(query).scalar_one_or_none()


def are_stored(tx: Transaction, user_id: int) -> bool:
    """Whether a user's texts are here, and not in files: those of the first user only once one was stored."""
    any_stored = exists().where(documents.c.user_id == user_id)
    earlier = exists().where(users.c.id < user_id)
    return bool(tx.connection.execute(select(any_stored | earlier)).scalar_one())


def put(tx: Transaction, user_id: int, name: str, text: str, at: datetime) -> None:
    """Store a text, in place of the one before."""
    values = {"text": text, "changed": at}
    mine = (documents.c.user_id == user_id, documents.c.name == name)
    if not tx.connection.execute(update(documents).where(*mine).values(values)).rowcount:
        tx.connection.execute(insert(documents).values(user_id=user_id, name=name, **values))
