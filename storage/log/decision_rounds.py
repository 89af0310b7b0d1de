"""Rounds: what was known when stories were decided about. Append-only."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import func, insert, select

from storage.engine.transaction import Transaction
from storage.records.decisions import DecisionRound
from storage.schema import decisions, rounds


def add(tx: Transaction, row: DecisionRound) -> None:
    """Store a round, in the transaction that stores its decisions."""
    tx.connection.execute(insert(rounds).values(asdict(row)))


def last_number(tx: Transaction, user_id: int) -> int:
    """Return the number of the user's last round; 0 before the first."""
    query = select(func.coalesce(func.max(rounds.c.number), 0)).where(rounds.c.user_id == user_id)
    return int(tx.connection.execute(query).scalar_one())


def time_before(tx: Transaction, known: DecisionRound) -> datetime | None:
    """Return when the last round before a round was that was not at the same time; None without any."""
    query = select(rounds.c.at).where(rounds.c.user_id == known.user_id, rounds.c.number < known.number)
    query = query.where(rounds.c.at < known.at).order_by(rounds.c.number.desc()).limit(1)
    return tx.connection.execute(query).scalar_one_or_none()


def newest(tx: Transaction, user_id: int, limit: int) -> list[DecisionRound]:
    """List the ``limit`` newest rounds, in order."""
    columns = (rounds.c[name] for name in DecisionRound.__dataclass_fields__)
    query = select(*columns).where(rounds.c.user_id == user_id).order_by(rounds.c.number.desc()).limit(limit)
    return [DecisionRound(*row) for row in tx.connection.execute(query)][::-1]


def decided_without(tx: Transaction, user_id: int) -> int:
    """Count the first decisions that former versions made, which recorded no rounds."""
    query = select(func.count()).where(decisions.c.user_id == user_id, decisions.c.round.is_(None))
    return int(tx.connection.execute(query).scalar_one())
