"""Rounds: each call that decides. Append-only."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import func, insert, select

from storage.engine.transaction import Transaction
from storage.records.decisions import DecisionRound
from storage.schema import rounds


def add(tx: Transaction, row: DecisionRound) -> None:
    """Store a round, in the transaction that stores its decisions."""
    tx.connection.execute(insert(rounds).values(asdict(row)))


def last_number(tx: Transaction, user_id: int) -> int:
    """Return the number of the user's last round; 0 before the first."""
    query = select(func.coalesce(func.max(rounds.c.number), 0)).where(rounds.c.user_id == user_id)
    return int(tx.connection.execute(query).scalar_one())


def time_before(tx: Transaction, user_id: int, at: datetime) -> datetime | None:
    """Return when the user's last round before ``at`` was; None without any."""
    query = (
        select(rounds.c.at)
        .where(rounds.c.user_id == user_id, rounds.c.at < at)
        .order_by(rounds.c.number.desc())
        .limit(1)
    )
    return tx.connection.execute(query).scalar_one_or_none()
