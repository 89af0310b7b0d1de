"""Passwords of client apps: one for each app of a user."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update

from storage.engine.base_database import Transaction
from storage.records.users import AppPassword
from storage.schema import app_passwords

_FIELDS = (
    app_passwords.c.user_id,
    app_passwords.c.name,
    app_passwords.c.key,
    app_passwords.c.created,
    app_passwords.c.used,
    app_passwords.c.options,
    app_passwords.c.fever_key,
)
_NAMES = tuple(column.name for column in _FIELDS)


def put(tx: Transaction, password: AppPassword) -> None:
    """Store the password of an app, in place of an earlier one."""
    revoke(tx, password.user_id, password.name)
    values = {name: getattr(password, name) for name in _NAMES}
    tx.connection.execute(insert(app_passwords).values(values))


def revoke(tx: Transaction, user_id: int, name: str) -> bool:
    """Delete the password of an app; return whether it was there."""
    mine = delete(app_passwords).where(app_passwords.c.user_id == user_id, app_passwords.c.name == name)
    return bool(tx.connection.execute(mine).rowcount)


def list_passwords(tx: Transaction, user_id: int) -> list[AppPassword]:
    """List the app passwords of a user by the names of the apps."""
    mine = select(*_FIELDS).where(app_passwords.c.user_id == user_id).order_by(app_passwords.c.name)
    return [AppPassword(*row) for row in tx.connection.execute(mine)]


def find_key(tx: Transaction, key: str) -> AppPassword | None:
    """Return the app with this digest of a password; None if there is none."""
    row = tx.connection.execute(select(*_FIELDS).where(app_passwords.c.key == key)).first()
    return AppPassword(*row) if row else None


def find_fever_key(tx: Transaction, fever_key: str) -> AppPassword | None:
    """Return the app with this digest of a key for the Fever API; None if there is none."""
    found = select(*_FIELDS).where(app_passwords.c.fever_key == fever_key, app_passwords.c.fever_key != "")
    row = tx.connection.execute(found.limit(1)).first()
    return AppPassword(*row) if row else None


def touch(tx: Transaction, user_id: int, name: str, at: datetime) -> None:
    """Record that an app has used its password."""
    _set(tx, user_id, name, used=at)


def set_options(tx: Transaction, user_id: int, name: str, options: tuple[str, ...]) -> bool:
    """Choose what marks of an app mean; return whether it has a password."""
    return _set(tx, user_id, name, options=options)


def _set(tx: Transaction, user_id: int, name: str, **values: Any) -> bool:
    mine = update(app_passwords).where(app_passwords.c.user_id == user_id, app_passwords.c.name == name)
    return bool(tx.connection.execute(mine.values(**values)).rowcount)
