"""Counts commits: those that change the marks of one user only, other rows of one user, and all others.

A cache of what was read tells by the numbers whether it still holds. ``Database.write`` counts, so that no writer has
to think of it; a writer that changes marks only may say so.

Each user has a row, and what all share has one: on PostgreSQL a row that everybody updates would let them wait for
each other's commits.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, update

from storage.engine.base_database import ARRIVALS, Transaction
from storage.engine.bulk_insert import insert_new
from storage.schema import changes


@dataclass(frozen=True, slots=True)
class Changes:
    """How many commits there have been; those that changed nothing count as marks or not at all."""

    marks: int = 0
    """Those that changed nothing but marks, labels and reading events of the user."""
    others: tuple[int, int] = (0, 0)
    """Those that changed anything else: of all, or of several users; and of this user."""


def count(tx: Transaction, user_id: int | None, *, marks_only: bool = False) -> None:
    """Count the change that a transaction makes, which writes rows of a user, of all (``ARRIVALS``) or (None) any."""
    whose = ARRIVALS if user_id is None else user_id
    column = changes.c.number if marks_only else changes.c.others
    add = update(changes).where(changes.c.user_id == whose).values({column: column + 1})
    if tx.connection.execute(add).rowcount == 0:
        tx.connection.execute(insert_new(changes).values(user_id=whose, number=0, others=0))
        tx.connection.execute(add)


def numbers(tx: Transaction, user_id: int) -> Changes:
    """Return the numbers as a transaction sees them, without its own change."""
    query = select(changes).where(changes.c.user_id.in_((ARRIVALS, user_id)))
    found = {row.user_id: row for row in tx.connection.execute(query)}
    own, shared = found.get(user_id), found.get(ARRIVALS)
    return Changes(own.number if own else 0, (shared.others if shared else 0, own.others if own else 0))
