"""What users removed and can bring back, for some days."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select

from storage.engine.transaction import Transaction
from storage.records.removals import Removal, RemovalKind
from storage.schema import removals


def add(tx: Transaction, removal: Removal, since: datetime) -> None:
    """Store a removal, and delete those of before ``since``."""
    tx.connection.execute(delete(removals).where(removals.c.at < since))
    values = {name: getattr(removal, name) for name in ("user_id", "key", "at", "kind", "content")}
    tx.connection.execute(insert(removals).values(values))


def find(tx: Transaction, user_id: int, key: str, since: datetime) -> Removal | None:
    """Return a user's removal of this key, if it was at ``since`` or later."""
    c = removals.c
    query = select(c.user_id, c.key, c.at, c.kind, c.content).where(c.user_id == user_id, c.key == key, c.at >= since)
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else Removal(row.user_id, row.key, row.at, RemovalKind(row.kind), row.content)


def remove(tx: Transaction, user_id: int, key: str) -> None:
    """Delete a removal: it is undone."""
    tx.connection.execute(delete(removals).where(removals.c.user_id == user_id, removals.c.key == key))
