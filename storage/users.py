"""People. A private installation has one: ``storage.records.LOCAL_USER``."""

from __future__ import annotations

from sqlalchemy import insert, select

from storage import articles
from storage.errors import UnknownUser
from storage.records import User
from storage.schema import users
from storage.transaction import Transaction


def add(tx: Transaction, name: str, seed: int) -> User:
    """Add a user; the first has the id 1. What is older than their subscriptions is not decided about."""
    values = {"name": name, "seed": seed, "judged_to": articles.last_seq(tx)}
    key = tx.connection.execute(insert(users).values(values)).inserted_primary_key
    return get(tx, key[0] if key else 0)


def get(tx: Transaction, user_id: int) -> User:
    """Return a user. Raises ``UnknownUser``."""
    row = tx.connection.execute(
        select(users.c.id, users.c.name, users.c.seed).where(users.c.id == user_id)
    ).one_or_none()
    if row is None:
        raise UnknownUser(user_id)
    return User(*row)
