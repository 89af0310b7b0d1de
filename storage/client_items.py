"""Stories as client apps see them: one item for each story that was scored for a user, numbered by its leading article.

    reading list = every story with a score        unread = listed and recent, or kept unread; and not read

Streams know no order but that of arrival, which is that of the numbers. Each function is one query over scores, marks
and rule outcomes, so that ten thousand numbers cost no more than their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, and_, exists, false, func, not_, or_, select, true

from storage.bulk_insert import chunks
from storage.columns import microseconds
from storage.inbox import IS_BELOW, IS_MAYBE
from storage.records import Kind
from storage.rule_outcomes import INTERESTING, LISTED, SCORED
from storage.schema import articles, labels, marks, seen, standings, subscriptions
from storage.transaction import Transaction


class State(StrEnum):
    """What a client can ask for of every stream."""

    READING_LIST = "reading-list"
    READ = "read"
    KEPT_UNREAD = "kept-unread"
    STARRED = "starred"
    LIKE = "like"
    DISLIKE = "dislike"
    BEST = "best"
    MAYBE = "maybe"
    HIDDEN = "hidden"
    NOTHING = "nothing"
    """Known to clients, and always empty here."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One of: a state, a feed by its number, a folder or label by its name."""

    state: State | None = None
    feed: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items of a stream."""

    stream: Stream
    only: tuple[Stream, ...] = ()
    """Items must be in each of them."""
    without: tuple[Stream, ...] = ()
    """Items must be in none of them."""
    since: datetime | None = None
    """Arrived at or after this."""
    before: datetime | None = None
    """Arrived before this."""


@dataclass(frozen=True, slots=True)
class Item:
    """The state of an item."""

    seq: int
    """Of its leading article."""
    story: int
    feed_id: int
    arrived: datetime
    read: bool
    saved: bool
    kept_unread: bool
    best: bool
    maybe: bool
    hidden: bool
    verdict: Kind | None


class ClientItems:
    """The items of one user. What arrived before ``recent`` is read; ``hidden_unread``: hidden stories are not."""

    def __init__(self, user_id: int, recent: datetime, *, hidden_unread: bool = False) -> None:
        self._user_id = user_id
        listed = not_(standings.c.archive) if hidden_unread else LISTED
        waiting = or_(func.coalesce(marks.c.kept_unread, False), and_(standings.c.arrived >= recent, listed))
        self._unread = and_(marks.c.read_at.is_(None), waiting)

    def numbers(
        self, tx: Transaction, wanted: ItemFilter, *, after: int | None = None, limit: int, oldest_first: bool = False
    ) -> list[tuple[int, int, int]]:
        """List number, microseconds of arrival since 1970, and feed, the newest first; ``after`` is behind which."""
        seq = standings.c.seq
        query = self._items(wanted, seq, standings.c.arrived, articles.c.feed_id)
        if after is not None:
            query = query.where(seq > after if oldest_first else seq < after)
        query = query.order_by(seq if oldest_first else seq.desc()).limit(limit)
        return [(number, microseconds(at), feed) for number, at, feed in tx.connection.execute(query)]

    def unread(self, tx: Transaction, wanted: ItemFilter) -> list[int]:
        """List the stories of the unread items."""
        query = self._items(wanted, articles.c.story).where(self._unread)
        return list(tx.connection.execute(query).scalars())

    def counts(self, tx: Transaction) -> dict[int, tuple[int, datetime]]:
        """Count the unread items of each feed, with the arrival of the newest."""
        newest = func.max(standings.c.arrived, type_=standings.c.arrived.type)
        query = self._items(ItemFilter(Stream(State.READING_LIST)), articles.c.feed_id, func.count(), newest)
        rows = tx.connection.execute(query.where(self._unread).group_by(articles.c.feed_id))
        return {feed: (count, at) for feed, count, at in rows}

    def get(self, tx: Transaction, seqs: Sequence[int]) -> list[Item]:
        """Return items by their numbers, in this order; those that the user does not have are left out."""
        found: dict[int, Item] = {}
        columns = (
            *(standings.c.seq, articles.c.story, articles.c.feed_id, standings.c.arrived, not_(self._unread)),
            *(marks.c.saved_at.is_not(None), func.coalesce(marks.c.kept_unread, False)),
            *(INTERESTING, IS_MAYBE, IS_BELOW, seen.c.kind),
        )
        for piece in chunks(seqs):
            source = _with_marks(self._user_id).outerjoin(
                seen, and_(seen.c.user_id == self._user_id, seen.c.story == standings.c.seq)
            )
            query = select(*columns).select_from(source).where(standings.c.user_id == self._user_id)
            for row in tx.connection.execute(query.where(standings.c.seq.in_(piece))):
                read, saved, kept, best, maybe, hidden = map(bool, row[4:10])
                kind = Kind(row[10]) if row[10] else None
                found[row[0]] = Item(row[0], row[1], row[2], row[3], read, saved, kept, best, maybe, hidden, kind)
        return [found[seq] for seq in seqs if seq in found]

    def _items(self, wanted: ItemFilter, *columns: Any) -> Select[Any]:
        query = select(*columns).select_from(_with_marks(self._user_id)).where(standings.c.user_id == self._user_id)
        for each in (wanted.stream, *wanted.only):
            query = query.where(self._in(each))
        for each in wanted.without:
            query = query.where(not_(self._in(each)))
        if wanted.since is not None:
            query = query.where(standings.c.arrived >= wanted.since)
        if wanted.before is not None:
            query = query.where(standings.c.arrived < wanted.before)
        return query

    def _in(self, stream: Stream) -> ColumnElement[bool]:
        """Return the condition that an item is in a stream."""
        user = self._user_id
        if stream.feed:
            return articles.c.feed_id == stream.feed
        if stream.label:
            mine = labels.c.user_id == user, func.lower(labels.c.label) == stream.label.lower()
            labelled = exists().where(*mine, labels.c.story == articles.c.story).correlate(articles)
            return or_(labelled, articles.c.feed_id.in_(_tagged(user, stream.label)))
        states: dict[State, ColumnElement[bool]] = {
            State.READING_LIST: true(),
            State.READ: not_(self._unread),
            State.KEPT_UNREAD: func.coalesce(marks.c.kept_unread, False),
            State.STARRED: marks.c.saved_at.is_not(None),
            State.LIKE: _has_verdict(user, Kind.LIKE),
            State.DISLIKE: _has_verdict(user, Kind.DISLIKE),
            State.BEST: INTERESTING,
            State.MAYBE: IS_MAYBE,
            State.HIDDEN: IS_BELOW,
            State.NOTHING: false(),
        }
        return states[stream.state or State.NOTHING]


def _with_marks(user_id: int) -> FromClause:
    mine = and_(marks.c.user_id == user_id, marks.c.story == articles.c.story)
    return SCORED.join(articles, articles.c.seq == standings.c.seq).outerjoin(marks, mine)


def _has_verdict(user_id: int, kind: Kind) -> ColumnElement[bool]:
    verdict = seen.c.user_id == user_id, seen.c.story == standings.c.seq, seen.c.kind == kind.value
    return exists().where(*verdict).correlate(standings)


def _tagged(user_id: int, tag: str) -> Select[Any]:
    each = func.json_each(subscriptions.c.tags).table_valued("value")
    query = select(subscriptions.c.feed_id).select_from(subscriptions.join(each, true()))
    return query.where(subscriptions.c.user_id == user_id, func.lower(each.c.value) == tag.lower())
