"""What a user's ranking is fitted to: their newest verdicts, examples, and what was never delivered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import nan
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, exists, func, select, union_all

from storage.bulk_insert import chunks, near, numbers_of, of_own
from storage.decisions import recent_counts
from storage.feedback import VERDICTS
from storage.records import Action, Kind
from storage.schema import (
    bases,
    decisions,
    features,
    feedback,
    late_deliveries,
    rounds,
    rule_changes,
    rulings,
    seeds,
    seen,
    standings,
)
from storage.transaction import Transaction

_COLUMNS = ("user_id", "seq", "score", "interesting", "explore", "at", "margin")

DELIVERED = union_all(
    select(*(decisions.c[name] for name in _COLUMNS)).where(decisions.c.interesting | decisions.c.explore),
    select(*(late_deliveries.c[name] for name in _COLUMNS)),
).subquery("delivered")
"""Stories that the filter delivered, at first or later, with their margins at that moment; whatever the rules say."""


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


def state(tx: Transaction, user_id: int) -> State:
    """Return how far a user's log and decisions have come; 0 for what there is none of yet."""
    last = (
        select(func.max(feedback.c.row)).where(feedback.c.user_id == user_id),
        select(func.max(rounds.c.number)).where(rounds.c.user_id == user_id),
        select(func.max(rule_changes.c.number)).where(rule_changes.c.user_id == user_id),
        select(func.max(bases.c.number)),
    )
    numbers = tx.connection.execute(select(*[func.coalesce(each.scalar_subquery(), 0) for each in last])).one()
    return State(*map(int, numbers))


def newest_verdicts(tx: Transaction, user_id: int, kind: Kind, limit: int, after_row: int) -> list[tuple[int, int]]:
    """List row and story of the ``limit`` newest verdicts of a kind behind row ``after_row``, in order of the log."""
    query = select(seen.c.row, seen.c.story).where(
        seen.c.user_id == user_id, seen.c.kind == kind, seen.c.row > after_row
    )
    rows = tx.connection.execute(query.order_by(seen.c.row.desc()).limit(limit)).all()
    return [(row, story) for row, story in rows][::-1]


def count_verdicts(tx: Transaction, user_id: int, after_row: int) -> dict[Kind, int]:
    """Count the effective verdicts of each kind behind row ``after_row``."""
    query = select(seen.c.kind, func.count()).where(
        seen.c.user_id == user_id, seen.c.kind.in_(VERDICTS), seen.c.row > after_row
    )
    return {Kind(kind): count for kind, count in tx.connection.execute(query.group_by(seen.c.kind))}


def examples(tx: Transaction, user_id: int, after_row: int) -> list[Example]:
    """List the imported items that are learned, and became examples behind row ``after_row``, in order of the log.

    Later rows of the same import change an example's weight, or undo such a change: it is no more recent for that.
    """
    own = and_(feedback.c.row == seen.c.row, feedback.c.story == seen.c.story)
    seed = and_(seeds.c.user_id == feedback.c.user_id, seeds.c.row == feedback.c.row)
    query = (
        select(feedback.c.seq, func.coalesce(seeds.c.form, ""), func.coalesce(seeds.c.weight, 1.0))
        .add_columns(func.coalesce(seeds.c.interest, ""))
        .select_from(seen.join(feedback, own).outerjoin(seeds, seed))
        .where(seen.c.user_id == user_id, seen.c.kind == Kind.IMPORTED, seen.c.row > after_row)
        .order_by(seen.c.row)
    )
    if after_row:
        query = query.where(_began() > after_row)
    return [Example(*row) for row in tx.connection.execute(query)]


def _began() -> ColumnElement[int]:
    """Return the row with which an imported item became an example, of a query that joins ``seeds``."""
    earlier, origin = feedback.alias("earlier_row"), seeds.alias("earlier_seed")
    of_import = exists().where(
        origin.c.user_id == earlier.c.user_id,
        origin.c.row == earlier.c.row,
        origin.c.import_id == seeds.c.import_id,
    )
    of_story = earlier.c.user_id == seen.c.user_id, earlier.c.story == seen.c.story
    first = select(func.min(earlier.c.row)).where(*of_story, of_import.correlate(earlier, seeds)).correlate(seen, seeds)
    return func.coalesce(first.scalar_subquery(), seen.c.row)


def undelivered(tx: Transaction, user_id: int, limit: int) -> list[int]:
    """List the newest ``limit`` scored stories that were not delivered and have no verdict, in order of arrival."""
    shown = select(DELIVERED.c.seq).where(DELIVERED.c.user_id == user_id)
    known = select(seen.c.story).where(seen.c.user_id == user_id)
    query = select(standings.c.seq).where(
        standings.c.user_id == user_id, standings.c.seq.not_in(shown), standings.c.seq.not_in(known)
    )
    return numbers_of(tx, query.order_by(standings.c.seq.desc()).limit(limit))


def candidates(tx: Transaction, user_id: int, since: datetime) -> list[int]:
    """List the stories that arrived ``since``, were not delivered and have no verdict, in order of arrival.

    Archive is left out.
    """
    shown = select(DELIVERED.c.seq).where(DELIVERED.c.user_id == user_id)
    known = select(seen.c.story).where(seen.c.user_id == user_id)
    query = select(standings.c.seq).where(standings.c.user_id == user_id, standings.c.arrived >= since)
    query = query.where(~standings.c.archive, standings.c.seq.not_in(shown), standings.c.seq.not_in(known))
    return numbers_of(tx, query)


class ScoredStories(NamedTuple):
    """Stories that were scored."""

    seqs: list[int]
    """In order of arrival."""
    verdicts: dict[int, Kind]
    """Of those that are liked or disliked."""
    delivered: list[int]
    """Those that were delivered, ascending."""


def newest_scored(tx: Transaction, user_id: int, limit: int) -> ScoredStories:
    """Return the newest ``limit`` scored stories."""
    query = select(standings.c.seq).where(standings.c.user_id == user_id).order_by(standings.c.seq.desc()).limit(limit)
    seqs = numbers_of(tx, query)
    if not seqs:
        return ScoredStories([], {}, [])
    # Joined, PostgreSQL takes three times as long.
    given = select(seen.c.story, seen.c.kind).where(seen.c.user_id == user_id, seen.c.kind.in_(VERDICTS))
    verdicts = {story: Kind(kind) for story, kind in tx.connection.execute(given.where(seen.c.story >= seqs[0]))}
    shown = select(DELIVERED.c.seq).where(DELIVERED.c.user_id == user_id, DELIVERED.c.seq >= seqs[0])
    return ScoredStories(seqs, verdicts, numbers_of(tx, shown))


def stated(tx: Transaction, user_id: int) -> list[int]:
    """List the rows of all effective likes, and those with which imported items became examples, in their order."""
    mine = seen.c.user_id == user_id
    likes = select(seen.c.row).where(mine, seen.c.kind == Kind.LIKE)
    seed = and_(seeds.c.user_id == seen.c.user_id, seeds.c.row == seen.c.row)
    imported = select(_began()).select_from(seen.outerjoin(seeds, seed)).where(mine, seen.c.kind == Kind.IMPORTED)
    found = {*tx.connection.execute(likes).scalars(), *tx.connection.execute(imported).scalars()}
    return sorted(found)


class DeliveryVerdictRow(NamedTuple):
    """A verdict on something that was delivered."""

    row: int
    liked: bool
    score: float
    """At delivery."""
    interesting: bool
    margin: float | None


def delivery_verdicts(tx: Transaction, user_id: int) -> list[DeliveryVerdictRow]:
    """List all effective verdicts on deliveries, in order of the log."""
    of_story = and_(DELIVERED.c.user_id == seen.c.user_id, DELIVERED.c.seq == seen.c.story)
    delivered = (DELIVERED.c.score, DELIVERED.c.interesting, DELIVERED.c.margin)
    query = (
        select(seen.c.row, seen.c.kind == Kind.LIKE, *delivered)
        .select_from(seen.join(DELIVERED, of_story))
        .where(seen.c.user_id == user_id, seen.c.kind.in_(VERDICTS))
        .order_by(seen.c.row)
    )
    return [DeliveryVerdictRow(*row) for row in tx.connection.execute(query)]


class Deliveries(NamedTuple):
    """What happened in some time."""

    decided: int
    """First decisions."""
    recommended: int
    explored: int


def deliveries_since(tx: Transaction, user_id: int, since: datetime) -> Deliveries:
    """Count the first decisions made ``since``, and what was delivered, as the rules have it."""
    first = recent_counts(tx, user_id, since)
    query = select(func.count().filter(~late_deliveries.c.explore), func.count().filter(late_deliveries.c.explore))
    muted = select(rulings.c.seq).where(rulings.c.user_id == user_id, rulings.c.action == Action.NEVER.value)
    query = query.where(late_deliveries.c.user_id == user_id, late_deliveries.c.at >= since)
    query = query.where(late_deliveries.c.seq.not_in(muted))
    recommended, explored = tx.connection.execute(query).one()
    return Deliveries(first.judged, first.recommended + recommended, first.explored + explored)


def votes(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, float]:
    """Return the feature classifier's score at the first decision about each of these stories; NaN where it gave none.

    Stories without a decision are left out; others may be there, too.
    """
    if not seqs:
        return {}
    query = select(decisions.c.seq, decisions.c.vote).where(decisions.c.user_id == user_id)
    rows = tx.connection.execute(query.where(of_own(decisions.c.seq, seqs))).all()
    return {seq: nan if vote is None else vote for seq, vote in rows}


def terms_and_sources(tx: Transaction, seqs: Sequence[int]) -> dict[int, tuple[bytes, str]]:
    """Return term vector and source of articles, which all have features; perhaps those of others, too."""
    found: dict[int, tuple[bytes, str]] = {}
    for piece in chunks(seqs):
        query = select(features.c.seq, features.c.terms, features.c.source).where(near(features.c.seq, piece))
        found |= {seq: (vector, source) for seq, vector, source in tx.connection.execute(query).all()}
    return found
