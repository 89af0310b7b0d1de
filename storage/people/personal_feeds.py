"""The key from which the addresses of a user's personal feeds are made."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select, update

from storage.engine.bulk_insert import among, chunks
from storage.engine.transaction import Transaction
from storage.schema import users


def key(tx: Transaction, user_id: int) -> str:
    """Return a user's key; empty if they have no addresses, or there is no such user."""
    query = select(users.c.feeds_key).where(users.c.id == user_id)
    return tx.connection.execute(query).scalar_one_or_none() or ""


def with_key(tx: Transaction, user_ids: Collection[int]) -> set[int]:
    """Return which of some users have addresses."""
    found: set[int] = set()
    for piece in chunks(sorted(user_ids)):
        query = select(users.c.id).where(among(users.c.id, piece), users.c.feeds_key != "")
        found |= set(tx.connection.execute(query).scalars())
    return found


def set_key(tx: Transaction, user_id: int, value: str) -> None:
    """Give a user another key, or with an empty one none: earlier addresses lead nowhere then."""
    tx.connection.execute(update(users).where(users.c.id == user_id).values(feeds_key=value))
