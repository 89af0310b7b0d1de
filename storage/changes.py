"""Counts commits: those that change the marks of one user only, and all others.

Who caches what was read can tell by the numbers whether it still holds. ``Database.write`` counts, so that whoever
writes has to think of nothing; who changes marks only may say so.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, update

from storage.bulk_insert import insert_new
from storage.schema import changes
from storage.transaction import Transaction

_OTHERS = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """How many commits there have been; those that changed nothing count as marks or not at all."""

    marks: int = 0
    """Those that changed nothing but marks, labels and reading events of the user."""
    others: int = 0
    """Those that changed anything else, marks of several users among them."""


def count(tx: Transaction, user_id: int | None) -> None:
    """Count the change that a transaction makes: one of a user's marks only, or (None) any other."""
    whose = _OTHERS if user_id is None else user_id
    add = update(changes).where(changes.c.user_id == whose).values(number=changes.c.number + 1)
    if tx.connection.execute(add).rowcount == 0:
        tx.connection.execute(insert_new(changes).values(user_id=whose, number=0))
        tx.connection.execute(add)


def numbers(tx: Transaction, user_id: int) -> Changes:
    """Return the numbers as a transaction sees them, without its own change."""
    query = select(changes.c.user_id, changes.c.number).where(changes.c.user_id.in_((_OTHERS, user_id)))
    found = dict(tx.connection.execute(query).all())
    return Changes(found.get(user_id, 0), found.get(_OTHERS, 0))
