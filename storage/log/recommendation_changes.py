"""The last large change of the number of a user's recommendations, with its causes."""

from __future__ import annotations

import json
from dataclasses import asdict

from sqlalchemy import select, update

from storage.engine.transaction import Transaction
from storage.records.decisions import RecommendationChange
from storage.schema import users
from storage.schema.columns import microseconds, moment_or_none


def save(tx: Transaction, user_id: int, change: RecommendationChange | None) -> None:
    """Store the last large change of the number of recommendations; None: there is none to explain any more."""
    values = "" if change is None else json.dumps(asdict(change) | {"at": microseconds(change.at)})
    tx.connection.execute(update(users).where(users.c.id == user_id).values(last_change=values))


def last(tx: Transaction, user_id: int) -> RecommendationChange | None:
    """Return the last large change of the number of recommendations."""
    stored = tx.connection.execute(select(users.c.last_change).where(users.c.id == user_id)).scalar_one()
    if not stored:
        return None
    values = json.loads(stored)
    return RecommendationChange(**values | {"at": moment_or_none(values["at"])})
