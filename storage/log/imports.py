"""Imported items: what a user liked elsewhere, stored beside the articles and entered into the log.

An imported item that no feed has delivered is an article of a feed of the user's own, which has no subscribers and is
never polled. It is in no story (``articles.story`` 0), so that it is never scored, delivered or counted. Its features
are frozen like any other's, and a row of the log has the kind ``imported``; from then on it is learned, undone and
replayed like a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, Integer, case, cast, delete, exists, func, insert, or_, select

from storage.engine.bulk_insert import insert_new
from storage.engine.transaction import Transaction
from storage.log import feedback, marks
from storage.log.saved_items import is_saved_item, saved_address
from storage.people import users as stored_users
from storage.records.articles import Features, NewArticle
from storage.records.stories import UNMARKED, Mark
from storage.records.users import Kind, Verdict
from storage.schema import arrived_items, effective_verdicts, feeds, import_marks, imported_items, imports
from storage.schema import articles as stored
from storage.schema import feedback as log
from storage.stream import articles, features
from storage.stream.addresses import IMPORTED_ITEMS
from storage.stream.feeds import add as add_feed
from storage.stream.visibility import lead, visible

UNNAMED = "imported"
"""The interest of what was imported without a name."""


@dataclass(frozen=True, slots=True)
class NewImportedItem:
    """Something liked elsewhere, ready to be stored."""

    entry: NewArticle
    """``key`` identifies it among the user's imported items."""
    features: Features
    """``seq`` and ``story`` do not matter."""
    form: str
    """How much is known of it, in the importer's terms."""
    weight: float
    """How much it teaches; a verdict on an article has weight 1."""


@dataclass(frozen=True, slots=True)
class StoredImportedItem:
    """Something liked elsewhere that is stored already, through a feed or by an earlier import."""

    seq: int
    form: str
    weight: float


@dataclass(frozen=True, slots=True)
class Address:
    """The address of an article."""

    seq: int
    url: str
    key: str
    """Of an imported item: what identifies it among the user's; else empty."""
    saved: bool = False
    """Whether it was saved elsewhere and is an article of the user's own."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import of things liked elsewhere."""

    id: int
    name: str
    """What was read, in short."""
    at: datetime
    items: int
    """How many items it added."""
    in_use: int
    """How many of these are still learned: they have no later verdict and were not undone."""
    saved: int = 0
    """Stories that it saved or labelled, unless it was undone."""


def add_import(
    tx: Transaction,
    user_id: int,
    name: str,
    new: Sequence[NewImportedItem],
    known: Sequence[StoredImportedItem],
    at: datetime,
    interest: str = UNNAMED,
) -> tuple[int | None, list[int]]:
    """Store imported items and enter them into the log, in their order, the known ones before the new ones.

    Return the number of the import and the articles that it added. Items with a verdict are left out, and those that
    are examples of ``interest`` with their weight already; an example of another interest becomes one of this, except
    of ``UNNAMED``. Without anything left there is no import.
    """
    items = [*known, *_stored(tx, user_id, new, at)]
    if not any(_is_news(tx, user_id, item, interest) for item in items):
        return None, []
    number = create(tx, user_id, name, at)
    done = []
    for item in items:
        if _is_news(tx, user_id, item, interest):  # not the same item twice, nor two addresses of one story
            enter(tx, user_id, number, item, interest, f"imported-{number}-{item.seq}", at)
            done.append(item.seq)
    return number, done


def create(tx: Transaction, user_id: int, name: str, at: datetime) -> int:
    """Create an import without items, and return its number."""
    key = tx.connection.execute(insert(imports).values(user_id=user_id, name=name, at=at)).inserted_primary_key
    assert key is not None  # noqa: S101 -- an insert of one row always gives it
    return int(key[0])


def record_marks(
    tx: Transaction, user_id: int, import_id: int, before: Mapping[int, Mark], after: Mapping[int, Mark]
) -> int:
    """Record which stories an import saved or labelled, from the marks on them before and after; return how many."""
    rows = []
    for story, mark in after.items():
        had = before.get(story, UNMARKED)
        saved, labels = mark.saved_at is not None and had.saved_at is None, set(mark.labels) - set(had.labels)
        if saved or labels:
            rows.append({"story": story, "saved": saved, "labels": tuple(sorted(labels))})
    if rows:
        values = {"user_id": user_id, "import_id": import_id}
        tx.connection.execute(insert(import_marks), [values | row for row in rows])
    return len(rows)


def enter(
    tx: Transaction, user_id: int, import_id: int, item: StoredImportedItem, interest: str, row_id: str, at: datetime
) -> None:
    """Append the row of the log that makes a stored item an example of an interest, in place of an earlier one."""
    feedback.append(tx, [Verdict(row_id, user_id, item.seq, Kind.IMPORTED, at)])
    row = select(log.c.row).where(log.c.user_id == user_id, log.c.id == row_id).scalar_subquery()
    values = {"user_id": user_id, "row": row, "import_id": import_id, "interest": interest}
    tx.connection.execute(insert(imported_items).values(form=item.form, weight=item.weight, **values))


def undo_import(tx: Transaction, user_id: int, import_id: int, at: datetime) -> int | None:
    """Undo an import, and return how many items that concerned; None without such an import.

    Appends an undo for every item that is still learned, and takes the marks back that it added.
    """
    found = list_items(tx, user_id, import_id)
    if found is None:
        return None
    last = feedback.last_row(tx, user_id)
    in_use = [seq for seq, _, teaches in found if teaches]
    undo = [Verdict(f"undo-{import_id}-{last}-{seq}", user_id, seq, Kind.UNDO, at) for seq in in_use]
    feedback.append(tx, undo)
    return len({*in_use, *_undo_marks(tx, user_id, import_id)})


def _undo_marks(tx: Transaction, user_id: int, import_id: int) -> list[int]:
    """Take back the marks that an import added and that are still there; return their stories."""
    mine = import_marks.c.user_id == user_id, import_marks.c.import_id == import_id
    rows = tx.connection.execute(select(import_marks).where(*mine)).all()
    now = marks.get(tx, user_id, [row.story for row in rows])
    marks.unsave(tx, user_id, [row.story for row in rows if row.saved])
    by_label: dict[str, list[int]] = {}
    for row in rows:
        for label in row.labels:
            by_label.setdefault(label, []).append(row.story)
    for label, stories in by_label.items():
        marks.remove_label(tx, user_id, label, stories)
    tx.connection.execute(delete(import_marks).where(*mine))
    return [row.story for row in rows if (row.saved and now[row.story].saved_at) or row.labels]


def list_items(tx: Transaction, user_id: int, import_id: int) -> list[tuple[int, str, bool]] | None:
    """List an import's articles, in its order, each with its form and whether it is still learned; None without one."""
    if tx.connection.execute(select(imports.c.id).where(*_of(user_id, import_id))).first() is None:
        return None
    query = (
        select(func.max(log.c.seq), func.max(imported_items.c.form), func.max(case((_in_use(), 1), else_=0)))
        .join(imported_items, (imported_items.c.user_id == log.c.user_id) & (imported_items.c.row == log.c.row))
        .where(imported_items.c.user_id == user_id, imported_items.c.import_id == import_id)
        .group_by(log.c.story)
        .order_by(func.min(log.c.row))
    )
    return [(seq, form, bool(in_use)) for seq, form, in_use in tx.connection.execute(query)]


def list_imports(tx: Transaction, user_id: int) -> list[Import]:
    """List a user's imports, oldest first."""
    saved = select(func.count()).where(import_marks.c.user_id == user_id, import_marks.c.import_id == imports.c.id)
    query = (
        select(
            imports.c.id,
            imports.c.name,
            imports.c.at,
            func.count(log.c.story.distinct()),
            func.coalesce(func.sum(cast(_in_use(), Integer)), 0),
            saved.scalar_subquery(),
        )
        .outerjoin(imported_items, imported_items.c.import_id == imports.c.id)
        .outerjoin(log, log.c.row == imported_items.c.row)
        .where(imports.c.user_id == user_id)
        .group_by(imports.c.id)
        .order_by(imports.c.id)
    )
    return [Import(*row) for row in tx.connection.execute(query)]


def addresses(tx: Transaction, user_id: int) -> list[Address]:
    """List the addresses of the articles that the user may see and that are ingested, in order of arrival."""
    query = (
        select(stored.c.seq, stored.c.url, stored.c.key, feeds.c.url.label("feed"), stored.c.story)
        .join(feeds, feeds.c.id == stored.c.feed_id)
        .where(stored.c.story.is_not(None), visible(user_id, stored))
        .order_by(stored.c.seq)
    )
    own, saved = items_address(user_id), saved_address(user_id)
    return [
        Address(row.seq, row.url, row.key if row.story == 0 else "", saved=row.feed.startswith(saved))
        for row in tx.connection.execute(query)
        if row.story != 0 or row.feed == own
    ]


def learned_addresses(tx: Transaction, user_id: int) -> list[Address]:
    """List the user's imported items that no feed delivered, that are still learned, and that have an address.

    Those that were saved, too.
    """
    query = (
        select(stored.c.seq, stored.c.url, stored.c.key)
        .join(
            effective_verdicts, (effective_verdicts.c.story == stored.c.seq) & (effective_verdicts.c.user_id == user_id)
        )
        .where(or_(stored.c.story == 0, is_saved_item(user_id)))
        .where(effective_verdicts.c.kind == Kind.IMPORTED.value, stored.c.url != "")
        .order_by(stored.c.seq)
    )
    return [Address(*row) for row in tx.connection.execute(query)]


def new_arrivals(tx: Transaction, user_id: int) -> list[tuple[int, str]]:
    """List story and address of the articles that the user may see, ingested since the user's last decisions."""
    decided_to = stored_users.decided_to(tx, user_id)
    query = select(lead(user_id, stored), stored.c.url).where(stored.c.seq > decided_to, stored.c.story > 0)
    query = query.where(stored.c.url != "", visible(user_id, stored))
    return [(story, url) for story, url in tx.connection.execute(query.order_by(stored.c.seq))]


def mark_arrived(tx: Transaction, user_id: int, found: Mapping[int, int]) -> None:
    """Mark stories (by leading articles) as seen that are imported items (by articles); verdicts on them stay."""
    last = feedback.last_row(tx, user_id)
    for story, imported in found.items():
        row = select(effective_verdicts.c.row).where(
            effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == imported
        )
        values = {"user_id": user_id, "story": story, "row": row.scalar_subquery(), "kind": Kind.IMPORTED.value}
        if tx.connection.execute(row).first() is None:
            continue
        if tx.connection.execute(insert_new(effective_verdicts).values(values)).rowcount:
            fact = {"user_id": user_id, "story": story, "item": imported, "row": last}
            tx.connection.execute(insert_new(arrived_items).values(fact))


def _stored(tx: Transaction, user_id: int, new: Sequence[NewImportedItem], at: datetime) -> list[StoredImportedItem]:
    feed = _feed(tx, user_id)
    entries = [imported.entry for imported in new]
    articles.store(tx, feed, items_address(user_id), entries, at)
    places = articles.seqs_by_key(tx, feed, [entry.key for entry in entries])
    fresh = {imported.seq for imported in articles.get(tx, list(places.values())) if imported.story is None}
    features.add(
        tx,
        [
            replace(imported.features, seq=seq, story=0)
            for seq, imported in {places[imported.entry.key]: imported for imported in reversed(new)}.items()
            if seq in fresh
        ],
    )
    return [StoredImportedItem(places[imported.entry.key], imported.form, imported.weight) for imported in new]


def _is_news(tx: Transaction, user_id: int, item: StoredImportedItem, interest: str) -> bool:
    """Whether entering an item would change what is learned, and overrules no verdict."""
    story = feedback.story(tx, user_id, item.seq)
    kind = feedback.verdict(tx, user_id, story)
    if kind is not Kind.IMPORTED or interest == UNNAMED:
        return kind is None
    query = select(imported_items.c.interest, imported_items.c.weight).join(effective_verdicts, _same_row())
    held = tx.connection.execute(
        query.where(effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == story)
    ).one()
    return tuple(held) != (interest, item.weight)


def _feed(tx: Transaction, user_id: int) -> int:
    """Return the feed of a user's imported items, made if missing. It has no name, since it is no source."""
    query = select(feeds.c.id).where(feeds.c.url == items_address(user_id))
    found: int | None = tx.connection.execute(query).scalar_one_or_none()
    return add_feed(tx, items_address(user_id), name="") if found is None else found


def items_address(user_id: int) -> str:
    """Return the address of the feed of a user's imported items."""
    return f"{IMPORTED_ITEMS}{user_id}"


def _of(user_id: int, import_id: int) -> tuple[ColumnElement[bool], ...]:
    return imports.c.user_id == user_id, imports.c.id == import_id


def _in_use() -> ColumnElement[bool]:
    """Whether an imported item's row of the log is the last one about it."""
    return exists().where(_same_row(), effective_verdicts.c.kind == Kind.IMPORTED.value)


def _same_row() -> ColumnElement[bool]:
    """Join what a user has seen with the imported item whose row it has."""
    return (effective_verdicts.c.user_id == imported_items.c.user_id) & (
        effective_verdicts.c.row == imported_items.c.row
    )
