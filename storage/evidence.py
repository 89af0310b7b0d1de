"""What a user's ranking is fitted to: their newest verdicts, examples, and what was never delivered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from storage.bulk_insert import chunks
from storage.feedback import VERDICTS
from storage.records import Kind
from storage.rule_outcomes import DECIDED, MUTED, OVERRULED
from storage.schema import decisions, features, feedback, seeds, seen, standings
from storage.transaction import Transaction

_DELIVERED = and_(or_(decisions.c.interesting, decisions.c.explore) != OVERRULED, ~MUTED)
"""Whether a first decision delivered its story: the filter's or, where they reversed it, that of the rules."""


class Example(NamedTuple):
    """An imported item that is still learned."""

    seq: int
    form: str


def newest_verdicts(tx: Transaction, user_id: int, kind: Kind, limit: int) -> list[int]:
    """List the stories of the ``limit`` newest effective verdicts of a kind, in order of the log."""
    query = select(seen.c.story).where(seen.c.user_id == user_id, seen.c.kind == kind)
    return [*tx.connection.execute(query.order_by(seen.c.row.desc()).limit(limit)).scalars()][::-1]


def count_verdicts(tx: Transaction, user_id: int) -> dict[Kind, int]:
    """Count the effective verdicts of each kind."""
    query = select(seen.c.kind, func.count()).where(seen.c.user_id == user_id, seen.c.kind.in_(VERDICTS))
    return {Kind(kind): count for kind, count in tx.connection.execute(query.group_by(seen.c.kind))}


def examples(tx: Transaction, user_id: int) -> list[Example]:
    """List the imported items that are learned, in order of the log."""
    own = and_(feedback.c.row == seen.c.row, feedback.c.story == seen.c.story)
    query = (
        select(feedback.c.seq, func.coalesce(seeds.c.form, ""))
        .select_from(seen.join(feedback, own).outerjoin(seeds, seeds.c.row == feedback.c.row))
        .where(seen.c.user_id == user_id, seen.c.kind == Kind.IMPORTED)
        .order_by(seen.c.row)
    )
    return [Example(*row) for row in tx.connection.execute(query)]


def undelivered(tx: Transaction, user_id: int, limit: int) -> list[int]:
    """List the newest ``limit`` scored stories that were not delivered and have no verdict, in order of arrival."""
    shown = select(decisions.c.seq).select_from(DECIDED).where(decisions.c.user_id == user_id, _DELIVERED)
    known = select(seen.c.story).where(seen.c.user_id == user_id)
    query = select(standings.c.seq).where(
        standings.c.user_id == user_id, standings.c.seq.not_in(shown), standings.c.seq.not_in(known)
    )
    return [*tx.connection.execute(query.order_by(standings.c.seq.desc()).limit(limit)).scalars()][::-1]


def newest_scored(tx: Transaction, user_id: int, limit: int) -> list[tuple[int, Kind | None]]:
    """List the newest ``limit`` scored stories, each with its verdict, in order of arrival."""
    verdict = and_(seen.c.user_id == standings.c.user_id, seen.c.story == standings.c.seq, seen.c.kind.in_(VERDICTS))
    query = select(standings.c.seq, seen.c.kind).select_from(standings.outerjoin(seen, verdict))
    query = query.where(standings.c.user_id == user_id).order_by(standings.c.seq.desc()).limit(limit)
    return [(seq, Kind(kind) if kind else None) for seq, kind in tx.connection.execute(query)][::-1]


def newest_deliveries(tx: Transaction, user_id: int, limit: int) -> list[tuple[float, bool]]:
    """List score at delivery and whether liked, of the ``limit`` newest verdicts on deliveries, in order of the log."""
    decided = and_(decisions.c.user_id == seen.c.user_id, decisions.c.seq == seen.c.story)
    query = (
        select(decisions.c.score, seen.c.kind)
        .select_from(seen.join(decisions, decided))
        .where(seen.c.user_id == user_id, seen.c.kind.in_(VERDICTS), decisions.c.interesting | decisions.c.explore)
        .order_by(seen.c.row.desc())
        .limit(limit)
    )
    return [(score, kind == Kind.LIKE) for score, kind in tx.connection.execute(query)][::-1]


class Deliveries(NamedTuple):
    """First decisions of some time."""

    decided: int
    recommended: int
    explored: int


def deliveries_since(tx: Transaction, user_id: int, since: datetime) -> Deliveries:
    """Count the first decisions made after ``since``, and what was delivered."""

    def count(condition: ColumnElement[bool]) -> ColumnElement[int]:
        return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)

    recommended, explored = _DELIVERED & ~decisions.c.explore, _DELIVERED & decisions.c.explore
    query = select(func.count(), count(recommended), count(explored)).select_from(DECIDED)
    return Deliveries(*tx.connection.execute(query.where(decisions.c.user_id == user_id, decisions.c.at > since)).one())


def last_delivery(tx: Transaction, user_id: int) -> datetime | None:
    """Return when something was delivered last; None before the first time."""
    at = decisions.c.at
    query = select(func.max(at, type_=at.type)).where(decisions.c.user_id == user_id)
    found: datetime | None = tx.connection.execute(
        query.where(decisions.c.interesting | decisions.c.explore)
    ).scalar_one()
    return found


def terms(tx: Transaction, seqs: Sequence[int]) -> list[bytes]:
    """Return the term vectors of articles, which all have features, in the order of ``seqs``."""
    found: dict[int, bytes] = {}
    for piece in chunks(seqs):
        query = select(features.c.seq, features.c.terms).where(features.c.seq.in_(piece))
        found |= dict(tx.connection.execute(query).all())
    return [found[seq] for seq in seqs]
