"""Interests: imported items grouped by name. All of it is in the log, so it is undone and replayed like verdicts.

An item is an example of one interest: that of its last row in the log. A row with less weight weakens it, an undo
removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from storage.engine.base_database import Transaction
from storage.log import feedback, imports
from storage.log.imports import StoredImportedItem
from storage.records.users import Kind, Verdict
from storage.schema import articles, effective_verdicts, imported_items
from storage.schema import feedback as log
from storage.stream.headings import beginning, heading


@dataclass(frozen=True, slots=True)
class Example:
    """A stored item as an example of an interest."""

    item: StoredImportedItem
    interest: str
    import_id: int


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example that is in use, with what people see of it."""

    example: Example
    id: str
    """Of its article."""
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the log about an item that is, or was, an example."""

    row: int
    id: str
    seq: int
    story: int
    kind: Kind
    example: Example | None
    """None when the row is no imported item: an undo, or a verdict."""


def names(tx: Transaction, user_id: int) -> list[str]:
    """List the names of all interests there have ever been, oldest first."""
    query = (
        select(imported_items.c.interest).where(imported_items.c.user_id == user_id).group_by(imported_items.c.interest)
    )
    return list(tx.connection.execute(query.order_by(func.min(imported_items.c.row))).scalars())


def in_use(tx: Transaction, user_id: int) -> list[ShownExample]:
    """List the examples of all interests that are learned now, in the order of the log."""
    query = (
        select(
            log.c.seq,
            imported_items.c.form,
            imported_items.c.weight,
            imported_items.c.interest,
            imported_items.c.import_id,
        )
        .add_columns(articles.c.id, articles.c.title, beginning, articles.c.url)
        .join(imported_items, (imported_items.c.user_id == log.c.user_id) & (imported_items.c.row == log.c.row))
        .join(
            effective_verdicts,
            (effective_verdicts.c.user_id == log.c.user_id)
            & (effective_verdicts.c.row == log.c.row)
            & (effective_verdicts.c.story == log.c.story),
        )
        .join(articles, articles.c.seq == log.c.seq)
        .where(log.c.user_id == user_id, effective_verdicts.c.kind == Kind.IMPORTED.value)
        .order_by(log.c.row)
    )
    return [
        ShownExample(Example(StoredImportedItem(seq, form, weight), interest, number), name, heading(title, text), url)
        for seq, form, weight, interest, number, name, title, text, url in tx.connection.execute(query)
    ]


def changes(tx: Transaction, user_id: int, interest: str) -> list[Change]:
    """List the rows of the log about all items that have ever been examples of an interest, in order."""
    stories = (
        select(log.c.story)
        .join(imported_items, (imported_items.c.user_id == log.c.user_id) & (imported_items.c.row == log.c.row))
        .where(log.c.user_id == user_id, imported_items.c.interest == interest)
    )
    query = (
        select(log.c.row, log.c.id, log.c.seq, log.c.story, log.c.kind)
        .add_columns(
            imported_items.c.form, imported_items.c.weight, imported_items.c.interest, imported_items.c.import_id
        )
        .outerjoin(imported_items, (imported_items.c.user_id == log.c.user_id) & (imported_items.c.row == log.c.row))
        .where(log.c.user_id == user_id, log.c.story.in_(stories))
        .order_by(log.c.row)
    )
    return [
        Change(
            row, name, seq, story, Kind(kind),
            None if form is None else Example(StoredImportedItem(seq, form, weight), name_of, number),
        )
        for row, name, seq, story, kind, form, weight, name_of, number in tx.connection.execute(query)
    ]  # fmt: skip


def change(tx: Transaction, user_id: int, wanted: Sequence[tuple[int, Example | None]], what: str, at: datetime) -> int:
    """Make these items examples as wanted, or of no interest (None); return how many changed.

    Items with a verdict keep it. ``what`` begins the ids of the rows, which have a number of the change behind it.
    """
    batch = f"{what}-{feedback.last_row(tx, user_id) + 1}"
    changed = 0
    for seq, example in wanted:
        kind = feedback.verdict(tx, user_id, feedback.story(tx, user_id, seq))
        if kind in feedback.READ or (kind is None and example is None):
            continue
        row_id = f"{batch}-{seq}"
        if example is None:
            feedback.append(tx, [Verdict(row_id, user_id, seq, Kind.UNDO, at)])
        else:
            imports.enter(tx, user_id, example.import_id, example.item, example.interest, row_id, at)
        changed += 1
    return changed
