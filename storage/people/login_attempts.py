"""Failed attempts to sign in, so that a restart of the server forgets none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, insert, select

from storage.engine.transaction import Transaction
from storage.records.accounts import LoginAttempt
from storage.schema import login_attempts

MOST = 4000
"""Rows that stay; more would only come from somebody who tries many addresses."""


def put(tx: Transaction, attempts: Iterable[LoginAttempt], since: datetime) -> None:
    """Store attempts in place of earlier ones, and delete those of before ``since`` and the oldest of too many."""
    c = login_attempts.c
    for each in attempts:
        tx.connection.execute(delete(login_attempts).where(c.kind == each.kind, c.key == each.key))
        values = {"kind": each.kind, "key": each.key, "wrong": each.wrong, "at": each.at}
        tx.connection.execute(insert(login_attempts).values(values))
    newest = select(c.at).order_by(c.at.desc()).offset(MOST).limit(1)
    oldest = tx.connection.execute(newest).scalar_one_or_none()
    tx.connection.execute(delete(login_attempts).where(c.at < since if oldest is None else c.at <= oldest))


def list_attempts(tx: Transaction, since: datetime) -> list[LoginAttempt]:
    """List the attempts of ``since`` and later, the oldest first."""
    c = login_attempts.c
    query = select(c.kind, c.key, c.wrong, c.at).where(c.at >= since).order_by(c.at)
    return [LoginAttempt(*row) for row in tx.connection.execute(query)]
