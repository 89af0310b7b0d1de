"""Texts that users write, by user and name; and what users removed from them and can bring back, for some days."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, exists, insert, select, update

from storage.engine.transaction import Transaction
from storage.records.users import Removal, RemovalKind
from storage.schema import documents, removals, users


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


def add_removal(tx: Transaction, removal: Removal, since: datetime) -> None:
    """Store a removal, and delete those of before ``since``."""
    tx.connection.execute(delete(removals).where(removals.c.at < since))
    values = {name: getattr(removal, name) for name in ("user_id", "key", "at", "kind", "content")}
    tx.connection.execute(insert(removals).values(values))


def find_removal(tx: Transaction, user_id: int, key: str, since: datetime) -> Removal | None:
    """Return a user's removal of this key, if it was at ``since`` or later."""
    c = removals.c
    query = select(c.user_id, c.key, c.at, c.kind, c.content).where(c.user_id == user_id, c.key == key, c.at >= since)
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else Removal(row.user_id, row.key, row.at, RemovalKind(row.kind), row.content)


def undo_removal(tx: Transaction, user_id: int, key: str) -> None:
    """Delete a removal: it is undone."""
    tx.connection.execute(delete(removals).where(removals.c.user_id == user_id, removals.c.key == key))
