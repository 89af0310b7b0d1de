"""Bases of the stream's vectors: facts, since another processor would learn other bits from the same articles."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import insert_new
from storage.records.articles import StoredBasis
from storage.schema import bases


def add(tx: Transaction, basis: StoredBasis) -> None:
    """Store a basis. One that is stored under its number already stays as it is."""
    tx.connection.execute(
        insert_new(bases).values(
            number=basis.number, articles=basis.articles, sequence=basis.sequence, state=basis.state
        )
    )


def get(tx: Transaction, number: int) -> StoredBasis | None:
    """Return a basis; None when there is none of this number."""
    return _first(tx, _bases().where(bases.c.number == number))


def newest(tx: Transaction) -> StoredBasis | None:
    """Return the basis in force; None before the first."""
    return _first(tx, _bases().order_by(bases.c.number.desc()).limit(1))


def newest_number(tx: Transaction) -> int:
    """Return the number of the basis in force; 0 before the first."""
    return int(tx.connection.execute(select(func.coalesce(func.max(bases.c.number), 0))).scalar_one())


def load_all(tx: Transaction) -> list[StoredBasis]:
    """Return every basis, oldest first."""
    return [StoredBasis(*row) for row in tx.connection.execute(_bases().order_by(bases.c.number))]


def _bases() -> Select[Any]:
    return select(bases.c.number, bases.c.articles, bases.c.sequence, bases.c.state)


def _first(tx: Transaction, query: Select[Any]) -> StoredBasis | None:
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else StoredBasis(*row)
