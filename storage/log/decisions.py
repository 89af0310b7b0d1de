"""First decisions about stories, and their current scores.

A decision is about the leading article of a story, whose ``seq`` is the story's. First decisions never change; current
scores follow the model, also of stories that have a verdict. About a story that is archive nothing is decided; it has a
current score only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, case, exists, func, insert, or_, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, array_rows, as_one_value, chunks, insert_new, numbers_of
from storage.log.rule_outcomes import DECIDED, INTERESTING, MUTED, OVERRULED, SCORED
from storage.people import users as stored_users
from storage.records.articles import IngestedArticle
from storage.records.decisions import CurrentScore, Decision, DecisionCounts, DecisionRound
from storage.schema import (
    articles,
    current_scores,
    decisions,
    effective_verdicts,
    features,
    feedback,
    late_deliveries,
    rounds,
    subscriptions,
    users,
)
from storage.schema.column_types import microseconds
from storage.stream import articles as stored
from storage.stream.features import load, select_ingested
from storage.stream.visibility import is_first, is_scored

_DECISION = (
    *("user_id", "seq", "score", "threshold", "interesting", "explore", "probability", "at", "margin", "vote"),
    "round",
)
_CURRENT_SCORE = ("user_id", "seq", "score", "threshold", "interesting", "explore")
_SCORE = tuple(current_scores.c[name] for name in ("seq", "score", "threshold", "interesting", "archive", "interest"))
_ARCHIVE = current_scores.c.archive
_ARRIVED, _WAITING = articles.alias("arrived_article"), articles.alias("waiting_article")

MORE = 4
"""Articles that are looked at, for each that is asked for: some are in a story with an earlier one."""

_decide = Bulk(insert_new(decisions), _DECISION)
_stand = Bulk(
    insert_new(current_scores).from_select(
        [*_CURRENT_SCORE, "arrived", "archive", "dated"],
        select(
            *(bindparam(name, type_=current_scores.c[name].type) for name in _CURRENT_SCORE),
            articles.c.arrived,
            articles.c.archive,
            articles.c.dated,
        ).where(articles.c.seq == bindparam("article")),
    ),
    others=(*_CURRENT_SCORE, "article"),
)
_NEW = ("score", "threshold", "interesting", "interest")
_new = {name: bindparam(f"new_{name}", type_=current_scores.c[name].type) for name in _NEW}
_restand = Bulk(
    update(current_scores)
    .values(_new)
    .where(current_scores.c.user_id == bindparam("person"), current_scores.c.seq == bindparam("article"))
    .where(or_(*(current_scores.c[name].is_distinct_from(value) for name, value in _new.items()))),
    others=(*(value.key for value in _new.values()), "person", "article"),
)

_LATE = ("user_id", "seq", "score", "threshold", "interesting", "explore", "at", "margin", "round")
_deliver_late = Bulk(insert_new(late_deliveries), _LATE)
_explore = Bulk(
    update(current_scores).where(
        current_scores.c.user_id == bindparam("person"), current_scores.c.seq == bindparam("article")
    ),
    ["explore"],
    ["person", "article"],
)


def add(tx: Transaction, rows: Sequence[Decision], archive: Sequence[tuple[int, int, float]] = ()) -> None:
    """Store first decisions about leading articles, which are their first current scores too.

    ``archive`` are user, number and score of stories about which nothing is decided. What has been stored before stays
    as it was.
    """
    _decide.run(
        tx,
        [
            (
                *(r.user_id, r.seq, r.score, r.threshold, r.interesting, r.explore, r.probability),
                *(microseconds(r.at), r.margin, r.vote, r.round),
            )
            for r in rows
        ],
    )
    _stand.run(
        tx,
        [(r.user_id, r.seq, r.score, r.threshold, r.interesting, r.explore, r.seq) for r in rows],
    )
    _stand.run(tx, [(user, seq, score, score, False, False, seq) for user, seq, score in archive])
    for user_id in {row.user_id for row in rows} | {user_id for user_id, _, _ in archive}:
        _advance(tx, user_id)


def add_late(tx: Transaction, rows: Sequence[Decision]) -> None:
    """Store that stories are delivered which an earlier decision had hidden. First decisions stay as they are."""
    late = [
        (r.user_id, r.seq, r.score, r.threshold, r.interesting, r.explore, microseconds(r.at), r.margin, r.round)
        for r in rows
    ]
    _deliver_late.run(tx, late)
    _explore.run(tx, [(True, row.user_id, row.seq) for row in rows if row.explore])


def late(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, Decision]:
    """Return the later decisions that delivered some of these stories; those without one are left out."""
    found: dict[int, Decision] = {}
    for piece in chunks(seqs):
        query = _late().where(late_deliveries.c.user_id == user_id, among(late_deliveries.c.seq, piece))
        found |= {row.seq: _late_decision(row) for row in tx.connection.execute(query)}
    return found


def late_of_round(tx: Transaction, user_id: int, number: int) -> dict[int, Decision]:
    """Return what a round delivered of the stories that an earlier decision had hidden."""
    query = _late().where(late_deliveries.c.user_id == user_id, late_deliveries.c.round == number)
    return {row.seq: _late_decision(row) for row in tx.connection.execute(query)}


def unscored(tx: Transaction, user_id: int, limit: int) -> list[IngestedArticle]:
    """List the user's leading articles with features and without a score, in order of arrival."""
    query = (
        select_ingested(user_id)
        .where(features.c.seq.in_(_unscored_after(user_id, stored_users.decided_to(tx, user_id), MORE * limit)))
        .where(is_first(user_id))
        .order_by(features.c.seq)
        .limit(limit)
    )
    return load(tx, query)


@cache
def _window() -> tuple[Select[Any], Select[Any]]:
    every = select(current_scores.c.seq).where(current_scores.c.user_id == bindparam("user"))
    every = every.where(current_scores.c.arrived >= bindparam("since"))
    return as_one_value(every), as_one_value(every.where(_ARCHIVE))


def window(tx: Transaction, user_id: int, since: datetime) -> list[tuple[int, bool]]:
    """List the stories with a score that arrived ``since``, each with whether it is archive, in order of arrival."""
    every, archive = (numbers_of(tx, each, {"user": user_id, "since": since}) for each in _window())
    old = frozenset(archive)
    return [(seq, seq in old) for seq in every]


def rescore(tx: Transaction, user_id: int, rows: Sequence[CurrentScore]) -> None:
    """Write what a newer model thinks of articles scored before; others are passed over, and what is as it was."""
    if tx.connection.dialect.name != "postgresql":
        _restand.run(tx, [(row.score, row.threshold, row.interesting, row.interest, user_id, row.seq) for row in rows])
        return
    if not rows:
        return
    seqs = [row.seq for row in rows]
    # One statement for all rows is a third of the cost; SQLite takes no arrays. Mostly all thresholds are the same.
    values: dict[str, Any] = {name: [getattr(row, name) for row in rows] for name in _NEW}
    same = {name: each[0] for name, each in values.items() if len(set(each)) == 1}
    arrays = {current_scores.c[name]: each for name, each in values.items() if name not in same}
    new = array_rows({current_scores.c.seq: seqs} | arrays)
    values = {name: same[name] if name in same else new.c[name] for name in _NEW}
    differs = or_(*(current_scores.c[name].is_distinct_from(value) for name, value in values.items()))
    mine = (
        current_scores.c.user_id == user_id,
        current_scores.c.seq.between(min(seqs), max(seqs)),
    )  # not all that there ever were
    change = update(current_scores).values(values).where(*mine, current_scores.c.seq == new.c.seq)
    tx.connection.execute(change.where(differs))


def scores(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[tuple[CurrentScore, bool]]:
    """Return the current scores of these stories, each with whether it is explored, in no order."""
    found: list[tuple[CurrentScore, bool]] = []
    for piece in chunks(seqs):
        query = select(*_SCORE, current_scores.c.explore)
        query = query.where(current_scores.c.user_id == user_id, among(current_scores.c.seq, piece))
        found += [(CurrentScore(*row), explore) for *row, explore in tx.connection.execute(query)]
    return found


def get(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, Decision]:
    """Return the first decisions about these stories; those without one are left out."""
    found: dict[int, Decision] = {}
    for piece in chunks(seqs):
        query = select(*(decisions.c[name] for name in _DECISION)).where(
            decisions.c.user_id == user_id, among(decisions.c.seq, piece)
        )
        found |= {row.seq: Decision(*row) for row in tx.connection.execute(query)}
    return found


def current_score(tx: Transaction, user_id: int, seq: int) -> CurrentScore | None:
    """Return a story's current score; None before it has one."""
    row = tx.connection.execute(
        select(*_SCORE).where(current_scores.c.user_id == user_id, current_scores.c.seq == seq)
    ).one_or_none()
    return None if row is None else CurrentScore(*row)


def newest_threshold(tx: Transaction, user_id: int, *, default: float) -> float:
    """Return the current threshold of the newest story; ``default`` without any."""
    query = select(current_scores.c.threshold).where(current_scores.c.user_id == user_id, ~_ARCHIVE)
    found = tx.connection.execute(query.order_by(current_scores.c.seq.desc()).limit(1)).scalar_one_or_none()
    return default if found is None else float(found)


def decided_count(tx: Transaction, user_id: int, start: datetime, end: datetime) -> int:
    """Count the stories that arrived from ``start`` to before ``end`` and have a decision."""
    query = select(func.count()).select_from(current_scores).where(~_ARCHIVE)
    query = query.where(
        current_scores.c.user_id == user_id, current_scores.c.arrived >= start, current_scores.c.arrived < end
    )
    return int(tx.connection.execute(query).scalar_one())


def recent_counts(tx: Transaction, user_id: int, since: datetime | None) -> DecisionCounts:
    """Count first decisions made ``since``, or ever, by what became of them."""
    kinds = case(
        (OVERRULED, "overruled"),
        (decisions.c.interesting, "recommended"),
        (decisions.c.explore, "explored"),
        (MUTED, "muted"),
        else_="held back",
    )
    query = (
        select(kinds, func.count(), func.max(decisions.c.at, type_=decisions.c.at.type))
        .select_from(DECIDED)
        .where(decisions.c.user_id == user_id)
        .group_by(kinds)
    )
    if since is not None:
        query = query.where(decisions.c.at >= since)
    found = {kind: (count, latest) for kind, count, latest in tx.connection.execute(query)}

    def count(kind: str) -> int:
        return int(found.get(kind, (0,))[0])

    return DecisionCounts(
        recommended=count("recommended"),
        explored=count("explored"),
        hidden=count("held back"),
        muted=count("muted"),
        overruled=count("overruled"),
        last_explored=found["explored"][1] if "explored" in found else None,
    )


def decided_times(tx: Transaction, user_id: int, since: datetime) -> tuple[datetime, datetime, int]:
    """Return when the first and the last first decision were made ``since``, and of how many times there are decisions;
    twice ``since`` and 0 without any.
    """
    at = decisions.c.at
    query = select(func.min(at, type_=at.type), func.max(at, type_=at.type), func.count(at.distinct()))
    first, last, times = tx.connection.execute(query.where(decisions.c.user_id == user_id, at >= since)).one()
    return (first, last, times) if times else (since, since, 0)


def delivered(tx: Transaction, user_id: int, limit: int) -> list[IngestedArticle]:
    """List the leading articles of the ``limit`` newest deliveries: recommended, explored or demanded by a rule, at
    first or later. In order of arrival.
    """
    shown = or_(decisions.c.interesting, decisions.c.explore) != OVERRULED
    first = select(decisions.c.at, decisions.c.seq).select_from(DECIDED).where(shown, ~MUTED)
    later = select(late_deliveries.c.at, late_deliveries.c.seq)
    found: list[Any] = []
    for table, query in ((decisions, first), (late_deliveries, later)):
        newest = query.where(table.c.user_id == user_id).order_by(table.c.at.desc(), table.c.seq.desc()).limit(limit)
        found += tx.connection.execute(newest).all()
    seqs = [seq for _, seq in sorted(found)[-limit:]]
    return load(tx, select_ingested(user_id).where(features.c.seq.in_(seqs)).order_by(features.c.seq))


@cache
def _recommended() -> Select[Any]:
    user: BindParameter[int] = bindparam("user")
    verdict = exists().where(effective_verdicts.c.user_id == user, effective_verdicts.c.story == current_scores.c.seq)
    query = select(func.count()).select_from(SCORED).where(INTERESTING, ~verdict)
    return query.where(current_scores.c.user_id == user, current_scores.c.arrived >= bindparam("since"))


def recommended(tx: Transaction, user_id: int, since: datetime) -> int:
    """Count the stories that arrived ``since``, have no verdict, and are recommended by score or by a rule."""
    return int(tx.connection.execute(_recommended(), {"user": user_id, "since": since}).scalar_one())


def _late() -> Select[Any]:
    return select(*(late_deliveries.c[name] for name in _LATE))


def _late_decision(row: Any) -> Decision:
    user_id, seq, score, threshold, interesting, explore, at, margin, number = row
    return Decision(user_id, seq, score, threshold, interesting, explore, 1.0, at, margin, round=number)


def _unscored_after(user_id: int, after: int, limit: int) -> Select[Any]:
    """Select the first articles after a number that a user may see, and whose stories have no score for them.

    Through the user's feeds, since most articles are of other feeds; what is visible for its score has one.
    """
    followed = select(_ARRIVED.c.seq).join_from(subscriptions, _ARRIVED, _ARRIVED.c.feed_id == subscriptions.c.feed_id)
    followed = followed.where(subscriptions.c.user_id == user_id, _ARRIVED.c.seq > after)
    rated = select(feedback.c.story).where(feedback.c.user_id == user_id, feedback.c.story > after)
    query = select(_WAITING.c.seq).where(_WAITING.c.seq.in_(followed.union(rated)), _WAITING.c.story > 0)
    return query.where(~is_scored(user_id, _WAITING)).order_by(_WAITING.c.seq).limit(limit)


def _advance(tx: Transaction, user_id: int) -> None:
    """Move ``decided_to`` to just before the first article that still has no features, or no score and is visible.

    Articles get their numbers inside transactions of which there is one at a time, so no lower number can appear later.
    Higher ones can, between two statements: the last number is read first.
    """
    last, after = stored.last_seq(tx), stored_users.decided_to(tx, user_id)
    unmeasured = select(func.min(articles.c.seq)).where(articles.c.story.is_(None), articles.c.seq > after)
    first = [tx.connection.execute(each).scalar() for each in (unmeasured, _unscored_after(user_id, after, 1))]
    decided_to = min([last, *(seq - 1 for seq in first if seq is not None)])
    tx.connection.execute(update(users).where(users.c.id == user_id).values(decided_to=decided_to))


def add_round(tx: Transaction, row: DecisionRound) -> None:
    """Store a round, in the transaction that stores its decisions."""
    tx.connection.execute(insert(rounds).values(asdict(row)))


def last_round(tx: Transaction, user_id: int) -> int:
    """Return the number of the user's last round; 0 before the first."""
    query = select(func.coalesce(func.max(rounds.c.number), 0)).where(rounds.c.user_id == user_id)
    return int(tx.connection.execute(query).scalar_one())


def time_of_round_before(tx: Transaction, user_id: int, at: datetime) -> datetime | None:
    """Return when the user's last round before ``at`` was; None without any."""
    query = (
        select(rounds.c.at)
        .where(rounds.c.user_id == user_id, rounds.c.at < at)
        .order_by(rounds.c.number.desc())
        .limit(1)
    )
    return tx.connection.execute(query).scalar_one_or_none()
