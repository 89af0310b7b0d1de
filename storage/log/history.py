"""A user's history in numbers: verdicts, decisions batch by batch, arrivals.

The database does the counting where it can, so that answers stay small.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, and_, case, func, select, type_coerce, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.log.rule_outcomes import DECIDED, MUTED, OVERRULED
from storage.records.decisions import ArrivalCount, DecisionBatch, PastVerdict, RecommendationChange
from storage.records.users import Kind, Tally
from storage.schema import (
    articles,
    decisions,
    effective_verdicts,
    features,
    feedback,
    imported_items,
    late_deliveries,
    rule_outcomes,
    subscriptions,
    users,
)
from storage.schema.column_types import EPOCH, microseconds, moment_or_none

KEYWORDS = "keywords"
"""The form of an interest in words."""
QUARTER = timedelta(minutes=15)
"""Every zone's day begins on a quarter of an hour of UTC."""
_VERDICTS = (Kind.LIKE, Kind.DISLIKE, Kind.SKIP)
_STEP = QUARTER // timedelta(microseconds=1)


def tally(tx: Transaction, user_id: int, since: datetime | None = None) -> Tally:
    """Count the effective verdicts given ``since``, against the decisions about their stories.

    Positive is what was decided to be interesting, at first or when it was delivered later; an explored story was
    not. Verdicts on stories without a decision, or whose decision a rule reversed, count as likes and dislikes only.
    """
    last = func.coalesce(late_deliveries.c.interesting, decisions.c.interesting)
    decided = case((OVERRULED, None), else_=last)
    query = (
        select(effective_verdicts.c.kind, decided, func.count())
        .select_from(
            effective_verdicts.join(
                feedback,
                and_(effective_verdicts.c.row == feedback.c.row, effective_verdicts.c.story == feedback.c.story),
            )
            .outerjoin(
                decisions,
                and_(
                    decisions.c.user_id == effective_verdicts.c.user_id, decisions.c.seq == effective_verdicts.c.story
                ),
            )
            .outerjoin(
                late_deliveries,
                (late_deliveries.c.user_id == decisions.c.user_id) & (late_deliveries.c.seq == decisions.c.seq),
            )
            .outerjoin(
                rule_outcomes,
                (rule_outcomes.c.user_id == decisions.c.user_id) & (rule_outcomes.c.seq == decisions.c.seq),
            )
        )
        .where(effective_verdicts.c.user_id == user_id)
        .group_by(effective_verdicts.c.kind, decided)
    )
    if since is not None:
        query = query.where(feedback.c.at >= since)
    counts: dict[tuple[str, bool | None], int] = {
        (kind, interesting): count for kind, interesting, count in tx.connection.execute(query)
    }

    def total(kind: Kind) -> int:
        return sum(count for (given, _), count in counts.items() if given == kind)

    return Tally(
        true_positives=counts.get((Kind.LIKE, True), 0),
        false_positives=counts.get((Kind.DISLIKE, True), 0),
        false_negatives=counts.get((Kind.LIKE, False), 0),
        true_negatives=counts.get((Kind.DISLIKE, False), 0),
        likes=total(Kind.LIKE),
        dislikes=total(Kind.DISLIKE),
        skips=total(Kind.SKIP),
        imported=total(Kind.IMPORTED),
        interests=_interests(tx, user_id, since) if total(Kind.IMPORTED) else 0,
    )


def _interests(tx: Transaction, user_id: int, since: datetime | None) -> int:
    """Count the texts of interests in words that are in use."""
    mine = and_(feedback.c.user_id == user_id, effective_verdicts.c.user_id == user_id)
    query = (
        select(func.count())
        .select_from(
            effective_verdicts.join(
                feedback,
                and_(effective_verdicts.c.row == feedback.c.row, effective_verdicts.c.story == feedback.c.story),
            ).join(
                imported_items,
                (imported_items.c.user_id == feedback.c.user_id) & (imported_items.c.row == feedback.c.row),
            )
        )
        .where(mine, effective_verdicts.c.kind == Kind.IMPORTED.value, imported_items.c.form == KEYWORDS)
    )
    if since is not None:
        query = query.where(feedback.c.at >= since)
    return int(tx.connection.execute(query).scalar_one())


def verdicts(tx: Transaction, user_id: int) -> list[PastVerdict]:
    """List the effective likes, dislikes and skips in the order of the log."""
    last_word = and_(effective_verdicts.c.row == feedback.c.row, effective_verdicts.c.story == feedback.c.story)
    decision = and_(decisions.c.user_id == effective_verdicts.c.user_id, decisions.c.seq == effective_verdicts.c.story)
    rule_outcome = and_(
        rule_outcomes.c.user_id == effective_verdicts.c.user_id, rule_outcomes.c.seq == effective_verdicts.c.story
    )
    query = (
        select(
            effective_verdicts.c.row,
            effective_verdicts.c.story,
            effective_verdicts.c.kind,
            feedback.c.at,
            articles.c.arrived,
            decisions.c.at,
            decisions.c.score,
            decisions.c.interesting,
            decisions.c.explore,
            decisions.c.probability,
            func.coalesce(OVERRULED, False),
        )
        .select_from(
            effective_verdicts.join(feedback, last_word).join(articles, articles.c.seq == effective_verdicts.c.story)
        )
        .outerjoin(decisions, decision)
        .outerjoin(rule_outcomes, rule_outcome)
        .where(effective_verdicts.c.user_id == user_id, effective_verdicts.c.kind.in_(_VERDICTS))
        .order_by(effective_verdicts.c.row)
    )
    return [PastVerdict(row, story, Kind(kind), *rest) for row, story, kind, *rest in tx.connection.execute(query)]


def decision_batches(tx: Transaction, user_id: int) -> list[DecisionBatch]:
    """List the batches of decisions, in order of time."""
    by_model = ~OVERRULED
    groups = (
        select(
            decisions.c.at,
            func.count().label("decided"),
            func.count().filter(and_(by_model, decisions.c.interesting)).label("recommended"),
            func.count().filter(and_(by_model, ~decisions.c.interesting, decisions.c.explore)).label("explored"),
            func.count().filter(and_(by_model, ~decisions.c.interesting, ~decisions.c.explore, ~MUTED)).label("hidden"),
            func.max(decisions.c.seq).label("newest"),
        )
        .select_from(DECIDED)
        .where(decisions.c.user_id == user_id)
        .group_by(decisions.c.at)
        .subquery()
    )
    counts = (groups.c.at, groups.c.decided, groups.c.recommended, groups.c.explored, groups.c.hidden)
    query = (
        select(*counts, decisions.c.threshold)
        .join(decisions, and_(decisions.c.user_id == user_id, decisions.c.seq == groups.c.newest))
        .order_by(groups.c.at)
    )
    return [DecisionBatch(*row) for row in tx.connection.execute(query)]


def arrival_counts(tx: Transaction, user_id: int) -> list[ArrivalCount]:
    """Count what arrived through the user's feeds, by quarters of an hour in order; empty ones are left out."""
    quarter = (type_coerce(articles.c.arrived, BigInteger) // _STEP).label("quarter")
    followed = select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    query = select(quarter, func.count()).where(
        articles.c.feed_id.in_(followed), func.coalesce(articles.c.story, 1) > 0
    )
    found = tx.connection.execute(query.group_by(quarter).order_by(quarter))
    return [ArrivalCount(EPOCH + int(number) * QUARTER, count) for number, count in found]


def scores_without_verdict(tx: Transaction, user_id: int, after: datetime) -> list[float]:
    """List the scores of the first decisions made ``after`` a time, about stories without a verdict."""
    known = and_(effective_verdicts.c.user_id == decisions.c.user_id, effective_verdicts.c.story == decisions.c.seq)
    query = select(decisions.c.score).outerjoin(effective_verdicts, known)
    query = query.where(decisions.c.user_id == user_id, decisions.c.at > after, effective_verdicts.c.story.is_(None))
    return list(tx.connection.execute(query).scalars())


def terms(tx: Transaction, stories: Sequence[int]) -> dict[int, bytes]:
    """Return the term vectors of leading articles, as in ``records.Features``."""
    found: dict[int, bytes] = {}
    for piece in chunks(stories):
        query = select(features.c.seq, features.c.terms).where(among(features.c.seq, piece))
        found |= dict(tx.connection.execute(query).all())
    return found


def time_of_row(tx: Transaction, user_id: int, row: int) -> datetime | None:
    """Return the time of the last row of the log up to ``row``; None without any."""
    query = select(feedback.c.at).where(feedback.c.user_id == user_id, feedback.c.row <= row)
    found: datetime | None = tx.connection.execute(query.order_by(feedback.c.row.desc()).limit(1)).scalar_one_or_none()
    return found


def last_row_before(tx: Transaction, user_id: int, moment: datetime) -> int:
    """Return the last row before the first that is younger than a time; 0 when all are younger.

    Rows imported from another data folder are where they were imported, however old they are.
    """
    mine = feedback.c.user_id == user_id
    younger = select(func.min(feedback.c.row)).where(mine, feedback.c.at > moment)
    first: int | None = tx.connection.execute(younger).scalar_one()
    query = select(func.coalesce(func.max(feedback.c.row), 0)).where(mine)
    if first is not None:
        query = query.where(feedback.c.row < first)
    return int(tx.connection.execute(query).scalar_one())


def save_change(tx: Transaction, user_id: int, change: RecommendationChange | None) -> None:
    """Store the last large change of the number of recommendations; None: there is none to explain any more."""
    values = "" if change is None else json.dumps(asdict(change) | {"at": microseconds(change.at)})
    tx.connection.execute(update(users).where(users.c.id == user_id).values(last_change=values))


def last_change(tx: Transaction, user_id: int) -> RecommendationChange | None:
    """Return the last large change of the number of recommendations."""
    stored = tx.connection.execute(select(users.c.last_change).where(users.c.id == user_id)).scalar_one()
    if not stored:
        return None
    values = json.loads(stored)
    return RecommendationChange(**values | {"at": moment_or_none(values["at"])})
