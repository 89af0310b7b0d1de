"""Snapshots of models and of the stream's state: a cache, which may be emptied without loss.

Those of the stream have ``user_id`` None and count articles; those of a user count rows of the log.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, delete, func, insert, select

from storage.engine.transaction import Transaction
from storage.records.users import Snapshot
from storage.schema import snapshots


def save(tx: Transaction, snapshot: Snapshot) -> None:
    """Keep a state; one with the same owner, place and fingerprint is replaced."""
    tx.connection.execute(
        delete(snapshots).where(
            _of(snapshot.user_id),
            snapshots.c.sequence == snapshot.sequence,
            snapshots.c.fingerprint == snapshot.fingerprint,
        )
    )
    tx.connection.execute(
        insert(snapshots).values(
            user_id=snapshot.user_id,
            sequence=snapshot.sequence,
            fingerprint=snapshot.fingerprint,
            state=snapshot.state,
        )
    )


def newest(tx: Transaction, user_id: int | None, *, fingerprint: str, up_to: int | None = None) -> Snapshot | None:
    """Return the state of this fingerprint that includes most, up to ``up_to``; None without any."""
    query = select(snapshots.c.user_id, snapshots.c.sequence, snapshots.c.fingerprint, snapshots.c.state)
    query = query.where(_of(user_id), snapshots.c.fingerprint == fingerprint)
    if up_to is not None:
        query = query.where(snapshots.c.sequence <= up_to)
    row = tx.connection.execute(query.order_by(snapshots.c.sequence.desc()).limit(1)).one_or_none()
    return None if row is None else Snapshot(*row)


def newest_sequence(tx: Transaction, user_id: int | None) -> int | None:
    """Return how far the newest state goes, whatever its fingerprint; None without any."""
    last: int | None = tx.connection.execute(select(func.max(snapshots.c.sequence)).where(_of(user_id))).scalar_one()
    return last


def newest_fingerprint(tx: Transaction, user_id: int | None) -> str | None:
    """Return the fingerprint of the newest state; None without any."""
    query = select(snapshots.c.fingerprint).where(_of(user_id)).order_by(snapshots.c.sequence.desc()).limit(1)
    found: str | None = tx.connection.execute(query).scalar_one_or_none()
    return found


def sequences(tx: Transaction, user_id: int | None, *, fingerprint: str | None = None) -> list[int]:
    """List the places of all states, or of those of a fingerprint, ascending."""
    query = select(snapshots.c.sequence).where(_of(user_id)).order_by(snapshots.c.sequence)
    if fingerprint is not None:
        query = query.where(snapshots.c.fingerprint == fingerprint)
    return list(tx.connection.execute(query).scalars())


def discard(tx: Transaction, user_id: int | None, *, after: int | None = None) -> None:
    """Drop all states, or those that include anything behind ``after``."""
    query = delete(snapshots).where(_of(user_id))
    if after is not None:
        query = query.where(snapshots.c.sequence > after)
    tx.connection.execute(query)


def discard_others(tx: Transaction, user_id: int | None, fingerprint: str) -> None:
    """Drop all states that are not of a fingerprint."""
    tx.connection.execute(delete(snapshots).where(_of(user_id), snapshots.c.fingerprint != fingerprint))


def thin(tx: Transaction, user_id: int | None, fingerprint: str, keep: Sequence[int]) -> None:
    """Drop all states of a fingerprint but those at these places."""
    others = snapshots.c.fingerprint == fingerprint, snapshots.c.sequence.not_in(keep)
    tx.connection.execute(delete(snapshots).where(_of(user_id), *others))


def _of(user_id: int | None) -> ColumnElement[bool]:
    return snapshots.c.user_id.is_(None) if user_id is None else snapshots.c.user_id == user_id
