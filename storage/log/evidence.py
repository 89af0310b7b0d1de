"""What a user's ranking is fitted to: their newest verdicts, examples, and what was never delivered.

Each statement is made once for the process, with parameters for the user and what else may differ: to make one takes
longer than the database needs for many of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from math import nan
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal,
    select,
    union_all,
)
from sqlalchemy.sql.selectable import CompoundSelect

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import as_one_value, chunks, near, numbers_of, of_own
from storage.log.decisions import recent_counts
from storage.log.feedback import VERDICTS
from storage.records.rules import Action
from storage.records.users import Kind
from storage.schema import (
    bases,
    current_scores,
    decisions,
    effective_verdicts,
    features,
    feedback,
    imported_items,
    late_deliveries,
    meanings,
    rounds,
    rule_changes,
    rule_outcomes,
)

_COLUMNS = ("user_id", "seq", "score", "interesting", "explore", "at", "margin", "round")

DELIVERED = union_all(
    select(*(decisions.c[name] for name in _COLUMNS)).where(decisions.c.interesting | decisions.c.explore),
    select(*(late_deliveries.c[name] for name in _COLUMNS)),
).subquery("delivered")
"""Stories that the filter delivered, at first or later, with their margins at that moment; whatever the rules say."""

_USER: BindParameter[int] = bindparam("user")
_AFTER: BindParameter[int] = bindparam("after")
_LIMIT = bindparam("limit", type_=BigInteger)


class State(NamedTuple):
    """How far a user's log and decisions have come: what rankings are fitted to follows from it."""

    row: int
    """The last of the log."""
    round: int
    rule_change: int
    basis: int


class Example(NamedTuple):
    """An imported item that is still learned."""

    seq: int
    form: str
    weight: float
    interest: str


@cache
def _state() -> Select[Any]:
    last = (
        select(func.max(feedback.c.row)).where(feedback.c.user_id == _USER),
        select(func.max(rounds.c.number)).where(rounds.c.user_id == _USER),
        select(func.max(rule_changes.c.number)).where(rule_changes.c.user_id == _USER),
        select(func.max(bases.c.number)),
    )
    return select(*[func.coalesce(each.scalar_subquery(), 0) for each in last])


def state(tx: Transaction, user_id: int) -> State:
    """Return how far a user's log and decisions have come; 0 for what there is none of yet."""
    return State(*map(int, tx.connection.execute(_state(), {"user": user_id}).one()))


class RoundStories(NamedTuple):
    """The stories that a round changed."""

    news: list[int]
    """Those that it was the first to decide about, in order of arrival."""
    late: list[int]
    """Those that it delivered though an earlier one had hidden them."""


@cache
def _of_newest_round() -> CompoundSelect[Any]:
    newest = select(rounds.c.number, rounds.c.at).where(rounds.c.user_id == _USER)
    newest = newest.order_by(rounds.c.number.desc()).limit(1)
    last = newest.subquery()
    # By the time, too, for which there are indices.
    first, late = (
        select(table.c.seq, literal(table is late_deliveries).label("is_late"))
        .where(table.c.user_id == _USER, table.c.at == last.c.at, table.c.round == last.c.number)
        .select_from(table.join(last, literal(True)))
        for table in (decisions, late_deliveries)
    )
    return union_all(first, late)


def of_newest_round(tx: Transaction, user_id: int) -> RoundStories:
    """Return the stories of the user's newest round."""
    rows = tx.connection.execute(_of_newest_round(), {"user": user_id}).all()
    return RoundStories(*(sorted(seq for seq, is_late in rows if is_late == wanted) for wanted in (False, True)))


@cache
def _newest_verdicts() -> Select[Any]:
    of_kind = (
        effective_verdicts.c.user_id == _USER,
        effective_verdicts.c.kind == bindparam("kind"),
        effective_verdicts.c.row > _AFTER,
    )
    return (
        select(effective_verdicts.c.row, effective_verdicts.c.story)
        .where(*of_kind)
        .order_by(effective_verdicts.c.row.desc())
        .limit(_LIMIT)
    )


def newest_verdicts(tx: Transaction, user_id: int, kind: Kind, limit: int, after_row: int) -> list[tuple[int, int]]:
    """List row and story of the ``limit`` newest verdicts of a kind behind row ``after_row``, in order of the log."""
    parameters = {"user": user_id, "kind": kind, "limit": limit, "after": after_row}
    return [(row, story) for row, story in tx.connection.execute(_newest_verdicts(), parameters)][::-1]


@cache
def _verdict_counts() -> Select[Any]:
    verdicts = (
        effective_verdicts.c.user_id == _USER,
        effective_verdicts.c.kind.in_(VERDICTS),
        effective_verdicts.c.row > _AFTER,
    )
    return select(effective_verdicts.c.kind, func.count()).where(*verdicts).group_by(effective_verdicts.c.kind)


def count_verdicts(tx: Transaction, user_id: int, after_row: int) -> dict[Kind, int]:
    """Count the effective verdicts of each kind behind row ``after_row``."""
    rows = tx.connection.execute(_verdict_counts(), {"user": user_id, "after": after_row})
    return {Kind(kind): count for kind, count in rows}


@cache
def _examples(*, are_some_older: bool) -> Select[Any]:
    own = and_(feedback.c.row == effective_verdicts.c.row, feedback.c.story == effective_verdicts.c.story)
    imported = and_(imported_items.c.user_id == feedback.c.user_id, imported_items.c.row == feedback.c.row)
    query = (
        select(feedback.c.seq, func.coalesce(imported_items.c.form, ""), func.coalesce(imported_items.c.weight, 1.0))
        .add_columns(func.coalesce(imported_items.c.interest, ""))
        .select_from(effective_verdicts.join(feedback, own).outerjoin(imported_items, imported))
        .where(
            effective_verdicts.c.user_id == _USER,
            effective_verdicts.c.kind == Kind.IMPORTED,
            effective_verdicts.c.row > _AFTER,
        )
        .order_by(effective_verdicts.c.row)
    )
    return query.where(_began() > _AFTER) if are_some_older else query


def examples(tx: Transaction, user_id: int, after_row: int) -> list[Example]:
    """List the imported items that are learned, and became examples behind row ``after_row``, in order of the log.

    Later rows of the same import change an example's weight, or undo such a change: it is no more recent for that.
    """
    statement = _examples(are_some_older=after_row > 0)
    return [Example(*row) for row in tx.connection.execute(statement, {"user": user_id, "after": after_row})]


def _began() -> ColumnElement[int]:
    """Return the row with which an imported item became an example, of a query that joins ``imported_items``."""
    earlier, origin = feedback.alias("earlier_row"), imported_items.alias("earlier_item")
    of_import = exists().where(
        origin.c.user_id == earlier.c.user_id,
        origin.c.row == earlier.c.row,
        origin.c.import_id == imported_items.c.import_id,
    )
    of_story = earlier.c.user_id == effective_verdicts.c.user_id, earlier.c.story == effective_verdicts.c.story
    first = (
        select(func.min(earlier.c.row))
        .where(*of_story, of_import.correlate(earlier, imported_items))
        .correlate(effective_verdicts, imported_items)
    )
    return func.coalesce(first.scalar_subquery(), effective_verdicts.c.row)


def _hidden() -> Select[Any]:
    """Select the user's scored stories that were not delivered and have no verdict."""
    shown = select(DELIVERED.c.seq).where(DELIVERED.c.user_id == _USER)
    known = select(effective_verdicts.c.story).where(effective_verdicts.c.user_id == _USER)
    mine = current_scores.c.user_id == _USER
    return select(current_scores.c.seq).where(
        mine, current_scores.c.seq.not_in(shown), current_scores.c.seq.not_in(known)
    )


@cache
def _newest_hidden() -> Select[Any]:
    return as_one_value(_hidden().order_by(current_scores.c.seq.desc()).limit(_LIMIT))


def hidden(tx: Transaction, user_id: int, limit: int) -> list[int]:
    """List the newest ``limit`` scored stories that were not delivered and have no verdict, in order of arrival."""
    return numbers_of(tx, _newest_hidden(), {"user": user_id, "limit": limit})


@cache
def _candidates() -> Select[Any]:
    return as_one_value(_hidden().where(current_scores.c.arrived >= bindparam("since"), ~current_scores.c.archive))


def candidates(tx: Transaction, user_id: int, since: datetime) -> list[int]:
    """List the stories that arrived ``since``, were not delivered and have no verdict, in order of arrival.

    Archive is left out.
    """
    return numbers_of(tx, _candidates(), {"user": user_id, "since": since})


class ScoredStories(NamedTuple):
    """Stories that were scored."""

    seqs: list[int]
    """In order of arrival."""
    verdicts: dict[int, Kind]
    """Of those that are liked or disliked."""
    delivered: list[int]
    """Those that were delivered, ascending."""


@cache
def _newest_scored() -> tuple[Select[Any], Select[Any], Select[Any]]:
    """Return the statements for the newest stories, for the verdicts and for the deliveries from the first of them on.

    Joined, PostgreSQL takes three times as long.
    """
    newest = (
        select(current_scores.c.seq)
        .where(current_scores.c.user_id == _USER)
        .order_by(current_scores.c.seq.desc())
        .limit(_LIMIT)
    )
    given = select(effective_verdicts.c.story, effective_verdicts.c.kind).where(
        effective_verdicts.c.user_id == _USER, effective_verdicts.c.kind.in_(VERDICTS)
    )
    shown = select(DELIVERED.c.seq).where(DELIVERED.c.user_id == _USER)
    first: BindParameter[int] = bindparam("first")
    return (
        as_one_value(newest),
        given.where(effective_verdicts.c.story >= first),
        as_one_value(shown.where(DELIVERED.c.seq >= first)),
    )


def newest_scored(tx: Transaction, user_id: int, limit: int) -> ScoredStories:
    """Return the newest ``limit`` scored stories."""
    newest, given, shown = _newest_scored()
    seqs = numbers_of(tx, newest, {"user": user_id, "limit": limit})
    if not seqs:
        return ScoredStories([], {}, [])
    parameters = {"user": user_id, "first": seqs[0]}
    verdicts = {story: Kind(kind) for story, kind in tx.connection.execute(given, parameters)}
    return ScoredStories(seqs, verdicts, numbers_of(tx, shown, parameters))


@cache
def _stated() -> tuple[Select[Any], Select[Any]]:
    """Return the statements for the rows of likes, and for those with which imported items became examples."""
    mine = effective_verdicts.c.user_id == _USER
    of_item = and_(
        imported_items.c.user_id == effective_verdicts.c.user_id, imported_items.c.row == effective_verdicts.c.row
    )
    imported = (
        select(_began())
        .select_from(effective_verdicts.outerjoin(imported_items, of_item))
        .where(mine, effective_verdicts.c.kind == Kind.IMPORTED)
    )
    return select(effective_verdicts.c.row).where(mine, effective_verdicts.c.kind == Kind.LIKE), imported


def stated(tx: Transaction, user_id: int) -> list[int]:
    """List the rows of all effective likes, and those with which imported items became examples, in their order."""
    return sorted({row for each in _stated() for row in tx.connection.execute(each, {"user": user_id}).scalars()})


class DeliveryVerdictRow(NamedTuple):
    """A verdict on something that had been delivered."""

    row: int
    liked: bool
    score: float
    """At delivery."""
    interesting: bool
    margin: float | None


@cache
def _delivery_verdicts() -> Select[Any]:
    of_story = and_(DELIVERED.c.user_id == effective_verdicts.c.user_id, DELIVERED.c.seq == effective_verdicts.c.story)
    delivered = (DELIVERED.c.score, DELIVERED.c.interesting, DELIVERED.c.margin)
    of_round = and_(rounds.c.user_id == DELIVERED.c.user_id, rounds.c.number == DELIVERED.c.round)
    return (
        select(effective_verdicts.c.row, effective_verdicts.c.kind == Kind.LIKE, *delivered)
        .select_from(effective_verdicts.join(DELIVERED, of_story).outerjoin(rounds, of_round))
        .where(
            effective_verdicts.c.user_id == _USER,
            effective_verdicts.c.kind.in_(VERDICTS),
            effective_verdicts.c.row > func.coalesce(rounds.c.row, 0),
        )
        .order_by(effective_verdicts.c.row)
    )


def delivery_verdicts(tx: Transaction, user_id: int) -> list[DeliveryVerdictRow]:
    """List all effective verdicts on deliveries, in order of the log; none that was given before the delivery."""
    return [DeliveryVerdictRow(*row) for row in tx.connection.execute(_delivery_verdicts(), {"user": user_id})]


class Deliveries(NamedTuple):
    """What happened in some time."""

    decided: int
    """First decisions."""
    recommended: int
    explored: int


@cache
def _late_counts() -> Select[int, int]:
    late = late_deliveries.c
    muted = select(rule_outcomes.c.seq).where(
        rule_outcomes.c.user_id == _USER, rule_outcomes.c.action == Action.NEVER.value
    )
    counts = select(func.count().filter(~late.explore), func.count().filter(late.explore))
    return counts.where(late.user_id == _USER, late.at >= bindparam("since"), late.seq.not_in(muted))


def deliveries_since(tx: Transaction, user_id: int, since: datetime) -> Deliveries:
    """Count the first decisions made ``since``, and what was delivered, as the rules have it."""
    first = recent_counts(tx, user_id, since)
    recommended, explored = tx.connection.execute(_late_counts(), {"user": user_id, "since": since}).one()
    return Deliveries(first.decided, first.recommended + recommended, first.explored + explored)


def votes(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, float]:
    """Return the feature classifier's score at the first decision about each of these stories; NaN where it gave none.

    Stories without a decision are left out; others may be there, too.
    """
    if not seqs:
        return {}
    query = select(decisions.c.seq, decisions.c.vote).where(decisions.c.user_id == user_id)
    rows = tx.connection.execute(query.where(of_own(decisions.c.seq, seqs))).all()
    return {seq: nan if vote is None else vote for seq, vote in rows}


class Words(NamedTuple):
    """What rankings know of an article."""

    terms: bytes
    source: str
    meaning: bytes | None = None


def words(tx: Transaction, seqs: Sequence[int], encoder: str) -> dict[int, Words]:
    """Return what rankings know of articles, which all have features; perhaps that of others, too.

    Only meanings by this ``encoder`` count.
    """
    found: dict[int, Words] = {}
    for piece in chunks(seqs):
        query = select(features.c.seq, features.c.terms, features.c.source).where(near(features.c.seq, piece))
        if encoder:
            same = (meanings.c.seq == features.c.seq) & (meanings.c.encoder == encoder)
            query = query.add_columns(meanings.c.vector).outerjoin(meanings, same)
        found |= {row[0]: Words(*row[1:]) for row in tx.connection.execute(query).all()}
    return found
