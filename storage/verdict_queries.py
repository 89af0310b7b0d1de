"""What pages ask for reading and voting: what was said under which id, what was held back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, exists, func, select

from storage.bulk_insert import chunks
from storage.feedback import VERDICTS
from storage.records import Kind, RecentVerdict
from storage.rule_outcomes import LISTED, SCORE, STANDING
from storage.schema import articles, feedback, seen, standings
from storage.transaction import Transaction

READ = (*VERDICTS, Kind.SKIP)
"""What a person does with an article that they were shown."""


def verdicts(tx: Transaction, user_id: int, stories: Sequence[int]) -> dict[int, Kind]:
    """Tell what holds of these stories; those without a verdict are left out."""
    found: dict[int, Kind] = {}
    for piece in chunks(stories):
        query = select(seen.c.story, seen.c.kind).where(seen.c.user_id == user_id, seen.c.story.in_(piece))
        found |= {story: Kind(kind) for story, kind in tx.connection.execute(query)}
    return found


def spoken(tx: Transaction, user_id: int, verdict_id: str) -> RecentVerdict | None:
    """Find what was said under an id, and what holds of its story now; None when nothing was said under it."""
    query = _spoken(user_id).where(feedback.c.user_id == user_id, feedback.c.id == verdict_id)
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else _read(row)


def lately(tx: Transaction, user_id: int, limit: int) -> list[RecentVerdict]:
    """List the verdicts that hold and that the person gave last, the newest first; each story once, seeds left out."""
    holds = (seen.c.row == feedback.c.row) & (seen.c.kind.in_([kind.value for kind in READ]))
    query = _spoken(user_id).where(feedback.c.user_id == user_id, holds).order_by(feedback.c.row.desc()).limit(limit)
    return [_read(row) for row in tx.connection.execute(query)]


def held_back(tx: Transaction, user_id: int, since: datetime, limit: int) -> list[int]:
    """List the stories that arrived ``since``, wait, and are neither recommended nor explored; the best first."""
    verdict = exists().where(seen.c.user_id == user_id, seen.c.story == standings.c.seq)
    query = (
        select(standings.c.seq)
        .select_from(STANDING)
        .where(standings.c.user_id == user_id, standings.c.arrived >= since, ~LISTED, ~verdict)
        .order_by(SCORE.desc(), standings.c.seq.desc())
        .limit(limit)
    )
    return list(tx.connection.execute(query).scalars())


def _spoken(user_id: int) -> Select[Any]:
    return (
        select(
            feedback.c.id,
            articles.c.id.label("article_id"),
            articles.c.title,
            feedback.c.kind,
            seen.c.kind.label("current"),
            feedback.c.at,
            func.coalesce(seen.c.row == feedback.c.row, False).label("is_current"),
        )
        .select_from(feedback)
        .join(articles, articles.c.seq == feedback.c.story)
        .outerjoin(seen, (seen.c.user_id == user_id) & (seen.c.story == feedback.c.story))
    )


def _read(row: Any) -> RecentVerdict:
    return RecentVerdict(
        id=row.id,
        article_id=row.article_id,
        title=row.title,
        kind=Kind(row.kind),
        current=None if row.current is None else Kind(row.current),
        is_current=bool(row.is_current),
        at=row.at,
    )
