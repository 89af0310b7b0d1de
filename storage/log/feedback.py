"""The verdict log, append-only, and the effective log that models learn.

The effective log has one entry for each story with a valid verdict, at the place of the story's last row; a story whose
last row is an undo has none. It is updated with every append. An imported item is a story of its own; when a feed
delivers it later, that story is marked as seen, and the imported item's row counts for both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks, insert_new
from storage.engine.errors import UnknownArticle
from storage.records.users import CurrentVerdict, Kind, LogEntry, RecentVerdict, Verdict
from storage.schema import (
    arrived_items,
    articles,
    decisions,
    effective_verdicts,
    feedback,
    imported_items,
    subscriptions,
)
from storage.schema.column_types import Words
from storage.stream.headings import beginning, heading
from storage.stream.visibility import leads

VERDICTS = (Kind.LIKE, Kind.DISLIKE)
"""Verdicts on articles of feeds."""
READ = (*VERDICTS, Kind.SKIP)
"""Verdicts on articles that were shown."""
LEARNED_KINDS = (*VERDICTS, Kind.IMPORTED)
"""What learners learn from."""
CHECK = "check-"
"""Ids of verdicts on hidden stories that were drawn at random begin with it."""
NEWEST_CHECKED = 100
"""Such stories that are counted: the filter changes, and older ones were hidden by another."""
_END = (1 << 63) - 1
"""A row behind all others."""


def append(tx: Transaction, verdicts: Sequence[Verdict]) -> list[tuple[bool, Kind | None]]:
    """Append to the log; return for each verdict whether it is new, and the story's verdict before.

    An id that the user has used already changes nothing; then the second part is the verdict now. Raises
    ``UnknownArticle`` before anything is written.
    """
    stories: dict[tuple[int, int], int] = {}
    for user_id in {verdict.user_id for verdict in verdicts}:
        found = leads(tx, user_id, [verdict.seq for verdict in verdicts if verdict.user_id == user_id])
        stories |= {(user_id, seq): story for seq, story in found.items()}
    for verdict in verdicts:
        if (verdict.user_id, verdict.seq) not in stories:
            raise UnknownArticle(verdict.seq)
    return [_append(tx, verdict, stories[verdict.user_id, verdict.seq]) for verdict in verdicts]


@cache
def _effective() -> Select[Any]:
    mine = (
        effective_verdicts.c.user_id == bindparam("user"),
        effective_verdicts.c.row > bindparam("after"),
        effective_verdicts.c.row <= bindparam("up_to"),
    )
    return _entries().join(effective_verdicts, _last_word()).where(*mine).order_by(effective_verdicts.c.row)


def effective(tx: Transaction, user_id: int, after_row: int = 0, up_to_row: int = _END) -> list[LogEntry]:
    """List the effective log as it is now, in order; only the rows behind ``after_row``, up to
    ``up_to_row``.
    """
    return _load(tx, _effective(), {"user": user_id, "after": after_row, "up_to": up_to_row})


def verdict(tx: Transaction, user_id: int, story: int) -> Kind | None:
    """Return the user's verdict on a story; None without one, or when it was undone."""
    kind = tx.connection.execute(
        select(effective_verdicts.c.kind).where(
            effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == story
        )
    ).scalar_one_or_none()
    return None if kind is None else Kind(kind)


def verdicts(tx: Transaction, user_id: int, stories: Sequence[int]) -> dict[int, Kind]:
    """Return the verdicts on these stories, by story; those without one are left out."""
    found: dict[int, Kind] = {}
    for piece in chunks(stories):
        query = select(effective_verdicts.c.story, effective_verdicts.c.kind).where(
            effective_verdicts.c.user_id == user_id, among(effective_verdicts.c.story, piece)
        )
        found |= {story: Kind(kind) for story, kind in tx.connection.execute(query)}
    return found


def current(tx: Transaction, user_id: int, stories: Sequence[int]) -> dict[int, CurrentVerdict]:
    """Return the verdicts on these stories with their ids and times, by story; those without one are left out."""
    found: dict[int, CurrentVerdict] = {}
    for piece in chunks(stories):
        query = select(effective_verdicts.c.story, feedback.c.id, effective_verdicts.c.kind, feedback.c.at).join(
            feedback, _last_word()
        )
        rows = tx.connection.execute(
            query.where(effective_verdicts.c.user_id == user_id, among(effective_verdicts.c.story, piece))
        )
        found |= {story: CurrentVerdict(name, Kind(kind), at) for story, name, kind, at in rows}
    return found


def count(tx: Transaction, user_id: int, kind: Kind, most: int) -> int:
    """Count the stories with an effective verdict of a kind, up to ``most``."""
    mine = effective_verdicts.c.user_id == user_id, effective_verdicts.c.kind == kind.value
    found = select(effective_verdicts.c.story).where(*mine).limit(most).subquery()
    return int(tx.connection.execute(select(func.count()).select_from(found)).scalar_one())


def times(tx: Transaction, user_id: int, stories: Sequence[int]) -> dict[int, set[datetime]]:
    """Return the times of all rows of the log about these stories, by story."""
    found: dict[int, set[datetime]] = {}
    for piece in chunks(stories):
        query = select(feedback.c.story, feedback.c.at).where(feedback.c.user_id == user_id)
        for story, at in tx.connection.execute(query.where(among(feedback.c.story, piece))):
            found.setdefault(story, set()).add(at)
    return found


def recent_verdict(tx: Transaction, user_id: int, verdict_id: str) -> RecentVerdict | None:
    """Return the verdict that was given under an id; None when there is none."""
    query = _recent(user_id).where(feedback.c.user_id == user_id, feedback.c.id == verdict_id)
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else _recent_verdict(row)


def recent_verdicts(tx: Transaction, user_id: int, limit: int) -> list[RecentVerdict]:
    """List the newest valid verdicts, newest first: one a story, imported items left out."""
    holds = (effective_verdicts.c.row == feedback.c.row) & (
        effective_verdicts.c.kind.in_([kind.value for kind in READ])
    )
    query = _recent(user_id).where(feedback.c.user_id == user_id, holds).order_by(feedback.c.row.desc()).limit(limit)
    return [_recent_verdict(row) for row in tx.connection.execute(query)]


def last_batch(tx: Transaction, user_id: int) -> list[int]:
    """List the articles of the newest valid verdict and of those given together with it, in order; empty without any.

    Verdicts are given together when their ids differ only in what follows a slash.
    """
    newest = tx.connection.execute(_valid(user_id).order_by(feedback.c.row.desc()).limit(1)).first()
    return [] if newest is None else [seq for seq, _ in batch(tx, user_id, newest.id.partition("/")[0])]


def batch(tx: Transaction, user_id: int, verdict_id: str) -> list[tuple[int, Kind]]:
    """List the valid verdicts that were given together under an id, with their articles, in order."""
    same = or_(feedback.c.id == verdict_id, feedback.c.id.startswith(f"{verdict_id}/", autoescape=True))
    query = _valid(user_id).where(feedback.c.user_id == user_id, same).order_by(feedback.c.row)
    return [(seq, Kind(kind)) for _, seq, kind in tx.connection.execute(query)]


def checked(tx: Transaction, user_id: int) -> Counter[Kind]:
    """Count likes and dislikes, as they are now, of the newest hidden stories that the user checked."""
    opinions = [kind.value for kind in VERDICTS]
    drawn = feedback.c.id.startswith(CHECK, autoescape=True) & feedback.c.kind.in_(opinions)
    rows = select(feedback.c.story, func.max(feedback.c.row).label("row")).where(feedback.c.user_id == user_id, drawn)
    checks = rows.group_by(feedback.c.story).subquery()
    query = select(effective_verdicts.c.kind).join(checks, checks.c.story == effective_verdicts.c.story)
    query = query.where(effective_verdicts.c.user_id == user_id, effective_verdicts.c.kind.in_(opinions))
    newest = tx.connection.execute(query.order_by(checks.c.row.desc()).limit(NEWEST_CHECKED)).scalars()
    return Counter(map(Kind, newest))


def story(tx: Transaction, user_id: int, seq: int) -> int:
    """Return the story that a user's verdict on this article is about, as the number of the article that leads it.

    Raises ``KeyError`` for an unknown article.
    """
    return leads(tx, user_id, [seq])[seq]


def last_row(tx: Transaction, user_id: int) -> int:
    """Return the number of the user's last row in the log; 0 without any."""
    query = select(func.coalesce(func.max(feedback.c.row), 0)).where(feedback.c.user_id == user_id)
    return int(tx.connection.execute(query).scalar_one())


def time_of(tx: Transaction, row: int) -> datetime | None:
    """Return the time of a row of the log; None for row 0."""
    at: datetime | None = tx.connection.execute(select(feedback.c.at).where(feedback.c.row == row)).scalar_one_or_none()
    return at


def kinds_after(tx: Transaction, user_id: int, row: int) -> dict[Kind, int]:
    """Count the stories that teach something else than when ``row`` was the last of the log, by the kind of what they
    teach now; ``UNDO`` for those that teach nothing any more.
    """
    mine = feedback.c.user_id == user_id
    later = feedback.c.story.in_(select(feedback.c.story).where(mine, feedback.c.row > row))

    def taught(*until: ColumnElement[bool]) -> dict[int, Kind]:
        last = select(func.max(feedback.c.row)).where(mine, later, *until).group_by(feedback.c.story)
        kinds = select(feedback.c.story, feedback.c.kind).where(
            feedback.c.row.in_(last), feedback.c.kind.in_([kind.value for kind in LEARNED_KINDS])
        )
        return {story: Kind(kind) for story, kind in tx.connection.execute(kinds)}

    before, now = taught(feedback.c.row <= row), taught()
    changed = (story for story in before.keys() | now.keys() if before.get(story) != now.get(story))
    return Counter(now.get(story, Kind.UNDO) for story in changed)


def effective_at(tx: Transaction, user_id: int, row: int, after_row: int = 0) -> list[LogEntry]:
    """List the effective log as it was when ``row`` was the last, in order; only the rows behind ``after_row``."""
    mine = (feedback.c.user_id == user_id) & (feedback.c.row <= row)
    last = select(func.max(feedback.c.row)).where(mine).group_by(feedback.c.story)
    query = _entries().where(feedback.c.row.in_(last), feedback.c.row > after_row, feedback.c.kind != Kind.UNDO)
    return _load(tx, query.order_by(feedback.c.row))


@cache
def _superseded() -> Select[Any]:
    mine: ColumnElement[bool] = feedback.c.user_id == bindparam("user")
    known = feedback.c.row <= bindparam("row")
    later = select(feedback.c.story).where(mine, ~known, feedback.c.row <= bindparam("up_to"))
    last = select(func.max(feedback.c.row)).where(mine, known, feedback.c.story.in_(later)).group_by(feedback.c.story)
    return select(func.min(feedback.c.row)).where(mine, feedback.c.row.in_(last), feedback.c.kind.in_(LEARNED_KINDS))


def superseded_after(tx: Transaction, user_id: int, row: int, up_to_row: int | None = None) -> int | None:
    """Return from which row on state learned up to ``row`` is no longer valid.

    That is the smallest row that was learned, as the log was at ``row``, and whose story has got another row since, up
    to ``up_to_row``: state that includes it must be dropped. None when the later rows only add.
    """
    parameters = {"user": user_id, "row": row, "up_to": _END if up_to_row is None else up_to_row}
    first: int | None = tx.connection.execute(_superseded(), parameters).scalar_one()
    return first


def _append(tx: Transaction, given: Verdict, story: int) -> tuple[bool, Kind | None]:
    before = verdict(tx, given.user_id, story)
    same = select(feedback.c.row).where(feedback.c.user_id == given.user_id, feedback.c.id == given.id)
    if tx.connection.execute(same).first() is not None:
        return False, before
    if given.kind in (Kind.UNDO, Kind.IMPORTED) and before is Kind.IMPORTED:
        story = _seed_behind(tx, given.user_id, story)
    key = tx.connection.execute(
        insert(feedback).values(
            user_id=given.user_id,
            id=given.id,
            seq=given.seq,
            story=story,
            kind=given.kind.value,
            at=given.at,
            tags=_tags(given.user_id, story) if given.tags is None else given.tags,
        )
    ).inserted_primary_key
    assert key is not None  # noqa: S101 -- an insert of one row always gives it
    place = (effective_verdicts.c.user_id == given.user_id) & (effective_verdicts.c.story == story)
    # Stories that were recognised as an imported item share its row.
    sharing = (effective_verdicts.c.user_id == given.user_id) & (
        effective_verdicts.c.row == select(effective_verdicts.c.row).where(place).scalar_subquery()
    )
    if given.kind == Kind.UNDO:
        tx.connection.execute(delete(effective_verdicts).where(sharing))
    elif before is Kind.IMPORTED and given.kind == Kind.IMPORTED:
        tx.connection.execute(update(effective_verdicts).where(sharing).values(row=key[0]))
    elif before is None:
        new = insert(effective_verdicts).values(user_id=given.user_id, story=story, row=key[0], kind=given.kind.value)
        tx.connection.execute(new)
        if given.kind == Kind.IMPORTED:
            _mark_arrived(tx, given.user_id, story, key[0])
    else:
        tx.connection.execute(update(effective_verdicts).where(place).values(row=key[0], kind=given.kind.value))
    return True, before


def _mark_arrived(tx: Transaction, user_id: int, item: int, row: int) -> None:
    """Mark the stories as seen that were recognised as an item, unless the log has something later about them."""
    log, arrived = feedback.c, arrived_items.c
    later = exists().where(log.user_id == user_id, log.story == arrived.story, log.row > arrived.row)
    stories = select(literal(user_id), arrived.story, literal(row), literal(Kind.IMPORTED.value)).distinct()
    stories = stories.where(arrived.user_id == user_id, arrived.item == item, ~later)
    tx.connection.execute(insert_new(effective_verdicts).from_select(["user_id", "story", "row", "kind"], stories))


def _valid(user_id: int) -> Select[Any]:
    """Select id, article and kind of the verdicts that are in force."""
    query = select(feedback.c.id, feedback.c.seq, effective_verdicts.c.kind).join(effective_verdicts, _last_word())
    return query.where(
        effective_verdicts.c.user_id == user_id, effective_verdicts.c.kind.in_([kind.value for kind in READ])
    )


def _seed_behind(tx: Transaction, user_id: int, story: int) -> int:
    """Return the imported item that a story was recognised as; mostly the story itself."""
    query = select(feedback.c.story).join(effective_verdicts, effective_verdicts.c.row == feedback.c.row)
    return int(
        tx.connection.execute(
            query.where(effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == story)
        ).scalar_one()
    )


def _tags(user_id: int, seq: int) -> ColumnElement[tuple[str, ...]]:
    """Select the user's tags on an article's feed, within the statement that needs them."""
    query = (
        select(subscriptions.c.tags)
        .join(articles, articles.c.feed_id == subscriptions.c.feed_id)
        .where(articles.c.seq == seq, subscriptions.c.user_id == user_id)
    )
    return func.coalesce(query.scalar_subquery(), literal((), Words()))


def _last_word() -> ColumnElement[bool]:
    """Join a story that has been seen with its own last row of the log, not with that of an imported item."""
    return and_(effective_verdicts.c.row == feedback.c.row, effective_verdicts.c.story == feedback.c.story)


def _first_decision() -> ColumnElement[bool]:
    """Join a row of the log with the decision about its story's leading article."""
    return (decisions.c.user_id == feedback.c.user_id) & (decisions.c.seq == feedback.c.story)


def _entries() -> Select[Any]:
    return select(
        feedback.c.row,
        feedback.c.id,
        feedback.c.user_id,
        feedback.c.seq,
        feedback.c.story,
        feedback.c.kind,
        feedback.c.at,
        case((decisions.c.explore, decisions.c.probability), else_=1.0),
        feedback.c.tags,
        func.coalesce(imported_items.c.form, ""),
        func.coalesce(imported_items.c.interest, ""),
        func.coalesce(imported_items.c.weight, 1.0),
    ).select_from(
        feedback.outerjoin(decisions, _first_decision()).outerjoin(
            imported_items, (imported_items.c.user_id == feedback.c.user_id) & (imported_items.c.row == feedback.c.row)
        )
    )


def _load(tx: Transaction, query: Select[Any], parameters: Mapping[str, Any] | None = None) -> list[LogEntry]:
    return [
        LogEntry(row, key, user_id, seq, story, Kind(kind), *others)
        for row, key, user_id, seq, story, kind, *others in tx.connection.execute(query, parameters)
    ]


def _recent(user_id: int) -> Select[Any]:
    return (
        select(
            feedback.c.id,
            articles.c.id.label("article_id"),
            articles.c.title,
            beginning.label("beginning"),
            feedback.c.kind,
            effective_verdicts.c.kind.label("current"),
            feedback.c.at,
            func.coalesce(effective_verdicts.c.row == feedback.c.row, False).label("is_current"),
        )
        .select_from(feedback)
        .join(articles, articles.c.seq == feedback.c.story)
        .outerjoin(
            effective_verdicts,
            (effective_verdicts.c.user_id == user_id) & (effective_verdicts.c.story == feedback.c.story),
        )
    )


def _recent_verdict(row: Any) -> RecentVerdict:
    current = None if row.current is None else Kind(row.current)
    title = heading(row.title, row.beginning)
    return RecentVerdict(row.id, row.article_id, title, Kind(row.kind), current, bool(row.is_current), row.at)
