"""The database as it was for a user before a round.

    with before(database, round) as tx:  # queries see the verdicts, decisions, rule outcomes and bases known then

Temporary views with the names of the tables hide from one connection what came later. The tables that change, the
effective log and the rule outcomes, are made again from their history. SQLite and PostgreSQL look a name up among
temporary objects first, so every query runs unchanged on the past.

Verdicts and decisions that came later are hidden, and so is what they changed: by an undo, a correction, another rule.
``current_scores`` has the stories that had a score then, but with their scores of today. Features, stories and
bases never change. Names and tags of feeds are those of today.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import MetaData, Select, Table, and_, exists, func, literal, or_, select, union_all
from sqlalchemy.sql.selectable import CompoundSelect

from storage import schema
from storage.engine.transaction import Transaction
from storage.opening.database import Database
from storage.records.decisions import DecisionRound
from storage.records.users import Kind


@contextmanager
def before(database: Database, known: DecisionRound) -> Iterator[Transaction]:
    """Yield the database, for reading only, as it was for the round's user when the round began.

    Rule outcomes are those at its end: they include those of its new stories. Ask for nothing of other users.
    """
    with database.read() as tx:
        tx.connection.detach()  # closed afterwards, and the views with it
        home = _home(tx)
        for name, view in _parts(known, home).items():
            tx.connection.exec_driver_sql(f"CREATE TEMPORARY VIEW {name} AS {_sql(tx, view)}")
        for name, key, table in (
            ("effective_verdicts", "story", _seen(known, home)),
            ("rule_outcomes", "seq", _rule_outcomes(known, home)),
        ):
            tx.connection.exec_driver_sql(f"CREATE TEMPORARY TABLE {name} AS {_sql(tx, table)}")
            where = "temp." if tx.connection.dialect.name == "sqlite" else ""  # PostgreSQL's are where their table is
            tx.connection.exec_driver_sql(f"CREATE UNIQUE INDEX {where}past_{name} ON {name} (user_id, {key})")
        yield tx


def _sql(tx: Transaction, query: Select[Any] | CompoundSelect[Any]) -> str:
    return str(query.compile(tx.connection, compile_kwargs={"literal_binds": True}))


def _parts(known: DecisionRound, home: str) -> dict[str, Select[Any]]:
    """Select the part of each table of facts that was known, by the table's name."""
    decisions, late, current_scores = (
        _stored(each, home) for each in (schema.decisions, schema.late_deliveries, schema.current_scores)
    )
    log, bases = _stored(schema.feedback, home), _stored(schema.bases, home)
    events, sums = _stored(schema.reading_events, home), _stored(schema.reading_sums, home)
    return {
        "decisions": select(decisions).where(
            decisions.c.user_id == known.user_id, or_(decisions.c.round.is_(None), decisions.c.round < known.number)
        ),
        "late_deliveries": select(late).where(
            late.c.user_id == known.user_id, or_(late.c.round.is_(None), late.c.round < known.number)
        ),
        "current_scores": select(current_scores).where(
            current_scores.c.user_id == known.user_id,
            or_(current_scores.c.round.is_(None), current_scores.c.round < known.number),
        ),
        "feedback": select(log).where(log.c.user_id == known.user_id, log.c.row <= known.row),
        "reading_events": select(events).where(events.c.user_id == known.user_id, events.c.row <= known.event),
        "reading_sums": select(sums).where(sums.c.user_id == known.user_id, sums.c.row <= known.event),
        "bases": select(bases).where(bases.c.number <= known.basis),
    }


def _seen(known: DecisionRound, home: str) -> CompoundSelect[Any]:
    """Select the effective log as of a row; see ``storage.log.feedback``."""
    log, arrived = _stored(schema.feedback, home), _stored(schema.arrived_items, home)
    mine = and_(log.c.user_id == known.user_id, log.c.row <= known.row)
    last = select(func.max(log.c.row)).where(mine).group_by(log.c.story)
    entries = select(log.c.user_id, log.c.story, log.c.row, log.c.kind).where(
        log.c.row.in_(last), log.c.kind != Kind.UNDO.value
    )
    item = entries.subquery("item")
    later = and_(mine, log.c.row > arrived.c.row)
    recognised = (
        select(arrived.c.user_id, arrived.c.story, func.max(item.c.row), func.max(item.c.kind))
        .join(item, item.c.story == arrived.c.item)
        .where(arrived.c.user_id == known.user_id, arrived.c.round <= known.number, item.c.kind == Kind.IMPORTED.value)
        .where(~exists().where(later, log.c.story == arrived.c.story))
        .group_by(arrived.c.user_id, arrived.c.story)
    )
    return union_all(entries, recognised)


def _rule_outcomes(known: DecisionRound, home: str) -> Select[Any]:
    changes = _stored(schema.rule_changes, home)
    mine = and_(changes.c.user_id == known.user_id, changes.c.number <= known.rule_change)
    last = select(func.max(changes.c.number)).where(mine).group_by(changes.c.seq)
    no_words = literal("[]").label("rules")
    columns = (changes.c.user_id, changes.c.seq, changes.c.action, changes.c.boost, no_words)
    return select(*columns).where(changes.c.number.in_(last), changes.c.action != "")


def _home(tx: Transaction) -> str:
    """Return the name of the schema that has the tables."""
    if tx.connection.dialect.name == "sqlite":
        return "main"
    return str(tx.connection.execute(select(func.current_schema())).scalar_one())


def _stored(table: Table, home: str) -> Table:
    """Return the table itself, under the name that no view hides."""
    return table.to_metadata(MetaData(), schema=home)
