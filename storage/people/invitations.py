"""Invitations to become a user. Each is accepted once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select

from storage.engine.base_database import Transaction
from storage.records.users import Invitation, Role
from storage.schema import invitations

_FIELDS = (
    invitations.c.user_id,
    invitations.c.key,
    invitations.c.name,
    invitations.c.role,
    invitations.c.created,
)


def add(tx: Transaction, invitation: Invitation, since: datetime) -> None:
    """Store an invitation, and delete those that were created before ``since``."""
    tx.connection.execute(delete(invitations).where(invitations.c.created < since))
    values = {name: getattr(invitation, name) for name in ("user_id", "key", "name", "role", "created")}
    tx.connection.execute(insert(invitations).values(values))


def find(tx: Transaction, key: str, since: datetime) -> Invitation | None:
    """Return the invitation of this key, if it was created at ``since`` or later."""
    open_ = select(*_FIELDS).where(invitations.c.key == key, invitations.c.created >= since)
    row = tx.connection.execute(open_).one_or_none()
    return None if row is None else _invitation(*row)


def list_invitations(tx: Transaction, since: datetime) -> list[Invitation]:
    """List the invitations that were created at ``since`` or later, the oldest first."""
    open_ = select(*_FIELDS).where(invitations.c.created >= since).order_by(invitations.c.created)
    return [_invitation(*row) for row in tx.connection.execute(open_)]


def remove(tx: Transaction, key: str) -> bool:
    """Delete an invitation; return whether it was there."""
    return bool(tx.connection.execute(delete(invitations).where(invitations.c.key == key)).rowcount)


def remove_all(tx: Transaction) -> None:
    """Delete all invitations."""
    tx.connection.execute(delete(invitations))


def _invitation(user_id: int, key: str, name: str, role: str, created: datetime) -> Invitation:
    return Invitation(user_id, key, name, Role(role), created)
