"""Sessions of browsers in which users are signed in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from storage.engine.base_database import Transaction
from storage.records.users import BrowserSession, LoginAttempt
from storage.schema import login_attempts, sessions

MOST_ATTEMPTS = 4096
"""Rows that stay; more would only come from somebody who tries many addresses."""

_FIELDS = (sessions.c.user_id, sessions.c.key, sessions.c.created, sessions.c.used, sessions.c.agent)


def add(tx: Transaction, session: BrowserSession, since: datetime) -> None:
    """Store a new session, and delete those that were created before ``since``."""
    tx.connection.execute(delete(sessions).where(sessions.c.created < since))
    values = {name: getattr(session, name) for name in ("user_id", "key", "created", "used", "agent")}
    tx.connection.execute(insert(sessions).values(values))


def find(tx: Transaction, key: str, since: datetime) -> BrowserSession | None:
    """Return the session of this key, if it was created at ``since`` or later."""
    row = tx.connection.execute(
        select(*_FIELDS).where(sessions.c.key == key, sessions.c.created >= since)
    ).one_or_none()
    return None if row is None else BrowserSession(*row)


def touch(tx: Transaction, key: str, at: datetime) -> None:
    """Note that a session was used."""
    tx.connection.execute(update(sessions).where(sessions.c.key == key).values(used=at))


def end(tx: Transaction, key: str) -> None:
    """Delete a session, if it is there."""
    tx.connection.execute(delete(sessions).where(sessions.c.key == key))


def end_all(tx: Transaction, user_id: int) -> None:
    """Delete all sessions of a user."""
    tx.connection.execute(delete(sessions).where(sessions.c.user_id == user_id))


def end_everything(tx: Transaction) -> None:
    """Delete all sessions of all users."""
    tx.connection.execute(delete(sessions))


def list_sessions(tx: Transaction, user_id: int, since: datetime) -> list[BrowserSession]:
    """List the sessions of a user that were created at ``since`` or later, the one used last first."""
    mine = select(*_FIELDS).where(sessions.c.user_id == user_id, sessions.c.created >= since)
    return [BrowserSession(*row) for row in tx.connection.execute(mine.order_by(sessions.c.used.desc()))]


def put_attempts(tx: Transaction, attempts: Iterable[LoginAttempt], since: datetime) -> None:
    """Store attempts in place of earlier ones, and delete old ones: before ``since``, or too many of a kind."""
    c = login_attempts.c
    for each in attempts:
        tx.connection.execute(delete(login_attempts).where(c.kind == each.kind, c.key == each.key))
        values = {"kind": each.kind, "key": each.key, "wrong": each.wrong, "at": each.at}
        tx.connection.execute(insert(login_attempts).values(values))
        newest = select(c.at).where(c.kind == each.kind).order_by(c.at.desc()).offset(MOST_ATTEMPTS).limit(1)
        oldest = tx.connection.execute(newest).scalar_one_or_none()
        if oldest is not None:
            tx.connection.execute(delete(login_attempts).where(c.kind == each.kind, c.at <= oldest))
    tx.connection.execute(delete(login_attempts).where(c.at < since))


def list_attempts(tx: Transaction, since: datetime) -> list[LoginAttempt]:
    """List the attempts of ``since`` and later, the oldest first."""
    c = login_attempts.c
    query = select(c.kind, c.key, c.wrong, c.at).where(c.at >= since).order_by(c.at)
    return [LoginAttempt(*row) for row in tx.connection.execute(query)]
