"""Accounts at a provider of OpenID Connect with which users sign in: each belongs to one user."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from storage.engine.transaction import Transaction
from storage.records.accounts import Identity
from storage.schema import identities

_c = identities.c


def holder(tx: Transaction, issuer: str, subject: str) -> int | None:
    """Return the number of the user who signs in with an account; None if nobody does."""
    found = tx.connection.execute(select(_c.user_id).where(_c.issuer == issuer, _c.subject == subject))
    return found.scalar_one_or_none()


def of_user(tx: Transaction, user_id: int, issuer: str) -> Identity | None:
    """Return a user's account at a provider; None if they have none there."""
    row = tx.connection.execute(select(identities).where(_c.user_id == user_id, _c.issuer == issuer)).one_or_none()
    return None if row is None else Identity(row.user_id, row.issuer, row.subject, row.created)


def put(tx: Transaction, identity: Identity) -> None:
    """Let a user sign in with an account, in place of another at the same provider."""
    remove(tx, identity.user_id, identity.issuer)
    values = {name: getattr(identity, name) for name in ("user_id", "issuer", "subject", "created")}
    tx.connection.execute(insert(identities).values(values))


def remove(tx: Transaction, user_id: int, issuer: str) -> bool:
    """Let a user sign in with their account at a provider no longer; return whether they could."""
    mine = _c.user_id == user_id, _c.issuer == issuer
    return bool(tx.connection.execute(delete(identities).where(*mine)).rowcount)
