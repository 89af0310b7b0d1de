"""What users mark while they read: read, kept unread, saved, labels.

Marks are about stories (``articles.story``): who has read a story in one feed has read it in all. They are no
verdicts; what is learned of reading is in ``reading_events``. Stories older than the inbox count as read, so
``unread_counts`` and lists of what is unread take a time from which on stories count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, FromClause, ScalarSelect, delete, distinct, exists, func, not_, select, update

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import Bulk, among, chunks, insert_new
from storage.records.stories import UNMARKED, Mark
from storage.schema import articles, current_scores, labels, marks, subscriptions
from storage.schema.column_types import microseconds
from storage.stream.visibility import visible

_add = Bulk(insert_new(marks), ("user_id", "story", "kept_unread"))
_add_label = Bulk(insert_new(labels), ("user_id", "label", "story"))
_FIRST = current_scores.alias("first_current_score")


def is_read(user_id: int, article: FromClause = articles) -> ColumnElement[bool]:
    """Return the condition that the story of a row of ``articles`` is read."""
    mine = marks.c.user_id == user_id, marks.c.story == article.c.story
    return exists().where(*mine, marks.c.read_at.is_not(None)).correlate(article)


def is_saved(user_id: int, article: FromClause = articles) -> ColumnElement[bool]:
    """Return the condition that the story of a row of ``articles`` is saved."""
    saved = select(marks.c.story).where(marks.c.user_id == user_id, marks.c.saved_at.is_not(None))
    return article.c.story.in_(saved)  # few: SQLite starts from them


def has_label(user_id: int, label: str, article: FromClause = articles) -> ColumnElement[bool]:
    """Return the condition that the story of a row of ``articles`` has a label, which is written in the same way."""
    mine = labels.c.user_id == user_id, labels.c.label == label
    return article.c.story.in_(select(labels.c.story).where(*mine))


def stories(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, int]:
    """Return the stories of articles, by article; those without one, or that the user may not see, are left out."""
    found: dict[int, int] = {}
    for piece in chunks(seqs):
        query = select(articles.c.seq, articles.c.story).where(among(articles.c.seq, piece), articles.c.story > 0)
        found |= dict(tx.connection.execute(query.where(visible(user_id))).all())
    return found


def get(tx: Transaction, user_id: int, stories: Sequence[int]) -> dict[int, Mark]:
    """Return the marks on stories, by story; those without any are left out."""
    found: dict[int, Mark] = {}
    for piece in chunks(stories):
        query = select(marks.c.story, marks.c.read_at, marks.c.kept_unread, marks.c.saved_at)
        rows = tx.connection.execute(query.where(marks.c.user_id == user_id, among(marks.c.story, piece))).all()
        named: dict[int, list[str]] = {}
        query_labels = select(labels.c.story, labels.c.label).order_by(labels.c.label)
        query_labels = query_labels.where(labels.c.user_id == user_id, among(labels.c.story, piece))
        for story, label in tx.connection.execute(query_labels):
            named.setdefault(story, []).append(label)
        found |= {story: Mark(labels=tuple(each)) for story, each in named.items()}
        found |= {row.story: Mark(*row[1:], tuple(named.get(row.story, ()))) for row in rows}
    return found


def read(tx: Transaction, user_id: int, stories: Sequence[int], at: datetime) -> None:
    """Mark stories as read; one that is read already keeps its time."""
    _put(tx, user_id, stories, read_at=func.coalesce(marks.c.read_at, microseconds(at)), kept_unread=False)


def unread(tx: Transaction, user_id: int, stories: Sequence[int]) -> None:
    """Mark stories as unread."""
    _put(tx, user_id, stories, read_at=None)


def keep_unread(tx: Transaction, user_id: int, stories: Sequence[int]) -> None:
    """Mark stories as unread, and keep them so when all are marked as read."""
    _put(tx, user_id, stories, read_at=None, kept_unread=True)


def read_all(tx: Transaction, user_id: int, stories: Sequence[int], at: datetime) -> int:
    """Mark those of ``stories`` as read that are unread and were not kept so; return how many.

    ``undo_read_all`` with the same time makes them unread again.
    """
    _ensure(tx, user_id, stories)
    changed = 0
    for piece in chunks(stories):
        unread = among(marks.c.story, piece), marks.c.read_at.is_(None), not_(marks.c.kept_unread)
        query = update(marks).where(marks.c.user_id == user_id, *unread)
        changed += tx.connection.execute(query.values(read_at=at, read_all_at=at)).rowcount
    return changed


def undo_read_all(tx: Transaction, user_id: int, at: datetime) -> int:
    """Make the stories unread that ``read_all`` read at a time and that were not marked since; return how many."""
    query = update(marks).where(marks.c.user_id == user_id, marks.c.read_all_at == at)
    return tx.connection.execute(query.values(read_at=None, read_all_at=None)).rowcount


def last_read_all(tx: Transaction, user_id: int) -> datetime | None:
    """Return the time of the last ``read_all`` that can be undone; None without any."""
    at = marks.c.read_all_at
    query = select(func.max(at, type_=at.type)).where(marks.c.user_id == user_id, at.is_not(None))
    last: datetime | None = tx.connection.execute(query).scalar_one()
    return last


def save(tx: Transaction, user_id: int, stories: Sequence[int], at: datetime) -> None:
    """Save stories, each a microsecond after the one before; one that is saved already keeps its time."""
    for number, story in enumerate(stories):
        saved_at = microseconds(at) + number
        _put(tx, user_id, [story], saved_at=func.coalesce(marks.c.saved_at, saved_at))


def unsave(tx: Transaction, user_id: int, stories: Sequence[int]) -> None:
    """Save stories no longer."""
    _put(tx, user_id, stories, saved_at=None)


def add(tx: Transaction, user_id: int, wanted: Sequence[tuple[int, Mark]]) -> None:
    """Add marks to those that stories have: what is read, kept unread or saved already stays so.

    A label that the user has in another case is that one.
    """
    marked = get(tx, user_id, [story for story, _ in wanted])
    written = {each.casefold(): each for each in label_counts(tx, user_id)}
    for story, mark in wanted:
        known = marked.get(story, UNMARKED)
        values: dict[str, Any] = {}
        if known.read_at is None and not known.kept_unread and (mark.read_at or mark.kept_unread):
            values |= {"read_at": mark.read_at, "kept_unread": mark.kept_unread}
        if known.saved_at is None and mark.saved_at:
            values["saved_at"] = mark.saved_at
        if values:
            _put(tx, user_id, [story], **values)
        for label in mark.labels:
            add_label(tx, user_id, written.setdefault(label.casefold(), label), [story])


def add_label(tx: Transaction, user_id: int, label: str, stories: Sequence[int]) -> None:
    """Give stories a label."""
    _add_label.run(tx, [(user_id, label, story) for story in stories])


def remove_label(tx: Transaction, user_id: int, label: str, stories: Sequence[int]) -> None:
    """Take a label from stories."""
    for piece in chunks(stories):
        mine = labels.c.user_id == user_id, labels.c.label == label
        tx.connection.execute(delete(labels).where(*mine, among(labels.c.story, piece)))


def rename_label(tx: Transaction, user_id: int, old: str, new: str) -> None:
    """Give a label another name; stories that have both keep one."""
    mine = labels.c.user_id == user_id, labels.c.label == old
    add_label(tx, user_id, new, list(tx.connection.execute(select(labels.c.story).where(*mine)).scalars()))
    if old != new:
        delete_label(tx, user_id, old)


def delete_label(tx: Transaction, user_id: int, label: str) -> None:
    """Take a label from all stories."""
    tx.connection.execute(delete(labels).where(labels.c.user_id == user_id, labels.c.label == label))


def label_counts(tx: Transaction, user_id: int) -> dict[str, int]:
    """Return the user's labels in alphabetical order, with the number of stories that have each."""
    query = select(labels.c.label, func.count()).where(labels.c.user_id == user_id).group_by(labels.c.label)
    return dict(tx.connection.execute(query.order_by(labels.c.label)).all())


def saved_count(tx: Transaction, user_id: int) -> int:
    """Count the saved stories."""
    query = select(func.count()).where(marks.c.user_id == user_id, marks.c.saved_at.is_not(None))
    return int(tx.connection.execute(query).scalar_one())


def unread_counts(
    tx: Transaction, user_id: int, since: datetime, stories: Sequence[int] | None = None
) -> dict[int, int]:
    """Count the unread stories that arrived ``since``, by feed; feeds without any are left out.

    Of the feeds that the user follows, and only of ``stories`` if they are given. What was too old to be news when it
    arrived is not counted.
    """
    first = first_since(tx, user_id, since)
    if first is None:
        return {}
    followed = select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id)
    query = select(articles.c.feed_id, func.count(distinct(articles.c.story))).where(
        articles.c.seq >= first, articles.c.story > 0, articles.c.arrived >= since, not_(articles.c.archive)
    )
    query = query.where(articles.c.feed_id.in_(followed), not_(is_read(user_id))).group_by(articles.c.feed_id)
    if stories is None:
        return dict(tx.connection.execute(query).all())
    found: Counter[int] = Counter()
    for piece in chunks(sorted(set(stories))):
        found.update(dict(tx.connection.execute(query.where(among(articles.c.story, piece))).all()))
    return found


def first_since(tx: Transaction, user_id: int, since: datetime) -> int | None:
    """Return the number of the user's first story that arrived ``since``; None without any.

    Articles are numbered in order of arrival, so a list that starts there reads nothing older.
    """
    return tx.connection.execute(select(first_story(user_id, since))).scalar_one()


def first_story(user_id: int, since: datetime) -> ScalarSelect[int]:
    """Return the expression for what ``first_since`` returns; NULL if there is none."""
    c = _FIRST.c
    arrived = select(c.seq).where(c.user_id == user_id, c.arrived >= since)
    return arrived.order_by(c.arrived, c.seq).limit(1).scalar_subquery()


def _ensure(tx: Transaction, user_id: int, stories: Sequence[int]) -> None:
    _add.run(tx, [(user_id, story, False) for story in stories])


def _put(tx: Transaction, user_id: int, stories: Sequence[int], **values: Any) -> None:
    """Set columns of the marks on stories. Any mark of a single story ends what "mark all as read" could undo."""
    _ensure(tx, user_id, stories)
    if "read_at" in values:
        values["read_all_at"] = None
    for piece in chunks(stories):
        query = update(marks).where(marks.c.user_id == user_id, among(marks.c.story, piece))
        tx.connection.execute(query.values(**values))
