"""Stories as client apps see them: one item for each story that was scored for a user, numbered by its leading article.

    reading list = every story with a score        unread = not read, and: kept unread, or listed and recent

Streams are listed by publication. What is asked for since some time or number is by arrival, which is the order of the
numbers: so nothing is lost that arrives late. Each function is one query over scores, marks and rule outcomes, so that
ten thousand numbers cost no more than their rows. An item belongs to the feed of its leading article; those of feeds
that the user does not follow any more are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    cast,
    exists,
    false,
    func,
    or_,
    select,
    true,
)

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, among_few, chunks
from storage.log import marks as stored_marks
from storage.log.rule_outcomes import INTERESTING, LISTED, MUTED, SCORED
from storage.records.stories import Item
from storage.records.users import Kind
from storage.schema import articles, current_scores, effective_verdicts, marks, subscriptions
from storage.stories.places import Place, behind
from storage.stories.story_query import IS_BELOW, IS_MAYBE, StoryQuery
from storage.stream import feed_names
from storage.stream.visibility import leads_of_feed


class State(StrEnum):
    """What a client can ask for of every stream."""

    READING_LIST = "reading-list"
    READ = "read"
    UNREAD = "unread"
    KEPT_UNREAD = "kept-unread"
    STARRED = "starred"
    LISTED = "listed"
    """Recommended or explored, and recent."""
    LIKE = "like"
    DISLIKE = "dislike"
    BEST = "best"
    MAYBE = "maybe"
    HIDDEN = "hidden"
    NOTHING = "nothing"
    """Known to clients, and always empty here."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One of: a state, a feed by its number, a folder or label by its name in any case, stories of a feed."""

    state: State | None = None
    feed: int = 0
    label: str = ""
    with_feed: int = 0
    """Stories that have an article of this feed, whatever feed the leading one is of."""


EVERYTHING = Stream(State.READING_LIST)


_FEW = {State.UNREAD, State.KEPT_UNREAD, State.STARRED, State.LISTED}
"""States that few items are in."""


class Order(StrEnum):
    """What items can be sorted by."""

    NUMBER = "number"
    UNREAD = "unread"
    CHANGED = "changed"
    PUBLISHED = "published"
    """See ``records.articles.dated``."""
    ARRIVED = "arrived"
    TITLE = "title"
    AUTHOR = "author"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class Unread:
    """Which stories are unread until they are read."""

    since: datetime
    """Those that arrived earlier count as read, unless they were kept unread."""
    hidden: bool = False
    """Whether stories below the threshold are unread, too."""
    learning: bool = False
    """Whether they are unless a rule hides them, since the threshold means little yet."""


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items of a stream."""

    stream: Stream = EVERYTHING
    only: tuple[Stream, ...] = ()
    """Items must be in each of them."""
    without: tuple[Stream, ...] = ()
    """Items must be in none of them."""
    since: datetime | None = None
    """Arrived at or after this."""
    before: datetime | None = None
    """Arrived before this."""
    feeds: tuple[int, ...] | None = None
    """Only items of these feeds; None for all."""
    numbers: tuple[int, ...] | None = None
    """Only items with these numbers; None for all."""
    between: tuple[tuple[Order, datetime | int | None, datetime | int | None], ...] = ()
    """By what, after which value, and before which one; None for any."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a sorted list of items."""

    order: Order
    descending: bool
    offset: int
    limit: int
    feeds: tuple[int, ...] = ()
    """For ``Order.FEED``: the order of feeds; others are before them."""


def numbers(
    tx: Transaction,
    user_id: int,
    unread: Unread,
    wanted: ItemFilter,
    *,
    after: int | None = None,
    limit: int | None = None,
    oldest_first: bool = False,
) -> list[int]:
    """List the numbers of items, the last to arrive first; ``after`` is the number behind which the list begins."""
    seq = current_scores.c.seq
    query = _items(tx, user_id, unread, wanted, seq)
    if after is not None:
        query = query.where(seq > after if oldest_first else seq < after)
    query = query.order_by(seq if oldest_first else seq.desc()).limit(limit)
    return list(tx.connection.execute(query).scalars())


def places(
    tx: Transaction,
    user_id: int,
    unread: Unread,
    wanted: ItemFilter,
    *,
    after: Place | None = None,
    limit: int | None = None,
    oldest_first: bool = False,
) -> list[Place]:
    """List the places of items by publication, the newest first, from behind ``after``."""
    row = articles.c if wanted.stream.feed else current_scores.c  # of a feed there are fewer than of a user
    query = _items(tx, user_id, unread, wanted, row.dated, row.seq)
    if after is not None:
        query = query.where(behind(after, row.dated, row.seq, oldest_first=oldest_first))
    is_few = any(each.state in _FEW for each in (wanted.stream, *wanted.only)) or Stream(State.READ) in wanted.without
    dated = cast(row.dated, BigInteger) if is_few else row.dated  # SQLite finds few without the index of dates
    ordered = (dated, row.seq) if oldest_first else (dated.desc(), row.seq.desc())
    return [Place(*found) for found in tx.connection.execute(query.order_by(*ordered).limit(limit))]


def page(tx: Transaction, user_id: int, unread: Unread, wanted: ItemFilter, part: Page) -> tuple[list[int], int]:
    """List the numbers of a part of the items in some order, and count all of them."""
    counted = _items(tx, user_id, unread, wanted, func.count())  # joins what a count of all does not need
    total = count(tx, user_id) if wanted == ItemFilter() else tx.connection.execute(counted).scalar_one()
    rank = {feed: place for place, feed in enumerate(part.feeds)}
    by = _value(user_id, unread, part.order)
    if part.order is Order.FEED and rank:
        by = case(rank, value=articles.c.feed_id, else_=-1)
    seq = current_scores.c.seq
    ordered = (by.desc(), seq.desc()) if part.descending else (by, seq)
    query = _items(tx, user_id, unread, wanted, seq).order_by(*ordered).limit(part.limit).offset(part.offset)
    return list(tx.connection.execute(query).scalars()), total


def count(tx: Transaction, user_id: int) -> int:
    """Count the items of a user."""
    return int(tx.connection.execute(select(func.count()).where(current_scores.c.user_id == user_id)).scalar_one())


def unread_stories(tx: Transaction, user_id: int, unread: Unread, wanted: ItemFilter) -> list[int]:
    """List the stories of the unread items."""
    is_unread = _recent(user_id, unread, _is_unread(user_id, unread))
    query = _items(tx, user_id, unread, wanted, articles.c.story).where(is_unread)
    return list(tx.connection.execute(query).scalars())


def unread_counts(tx: Transaction, user_id: int, unread: Unread) -> dict[int, tuple[int, datetime]]:
    """Count the unread items of each feed, with the arrival of the newest; feeds without any are left out."""
    newest = func.max(current_scores.c.arrived, type_=current_scores.c.arrived.type)
    query = _items(tx, user_id, unread, ItemFilter(), articles.c.feed_id, func.count(), newest)
    is_unread = _recent(user_id, unread, _is_unread(user_id, unread))
    rows = tx.connection.execute(query.where(is_unread).group_by(articles.c.feed_id))
    return {feed: (count, at) for feed, count, at in rows}


def read_counts(tx: Transaction, user_id: int, unread: Unread) -> dict[int, int]:
    """Count the read items of each feed; feeds without any are left out."""
    query = _items(tx, user_id, unread, ItemFilter(), articles.c.feed_id, func.count())
    rows = tx.connection.execute(query.where(~_is_unread(user_id, unread)).group_by(articles.c.feed_id))
    return dict(rows.all())


def get(tx: Transaction, user_id: int, unread: Unread, seqs: Sequence[int]) -> list[Item]:
    """Return items by their numbers, in this order; those that the user does not have are left out."""
    found: dict[int, Item] = {}
    columns = (
        *(
            current_scores.c.seq,
            articles.c.story,
            articles.c.feed_id,
            current_scores.c.arrived,
            current_scores.c.dated,
            _is_unread(user_id, unread),
        ),
        *(marks.c.saved_at.is_not(None), func.coalesce(marks.c.kept_unread, False)),
        *(INTERESTING, IS_MAYBE, IS_BELOW, effective_verdicts.c.kind, _changed()),
    )
    source = _with_marks(user_id).outerjoin(
        effective_verdicts,
        and_(effective_verdicts.c.user_id == user_id, effective_verdicts.c.story == current_scores.c.seq),
    )
    query = StoryQuery(user_id, unrated=False).select(*columns, source=source)
    for piece in chunks(seqs):
        for seq, story, feed, arrived, dated, *states, kind, changed in tx.connection.execute(
            query.where(among(current_scores.c.seq, piece))
        ):
            is_unread, saved, kept, best, maybe, hidden = map(bool, states)
            verdict = Kind(kind) if kind else None
            found[seq] = Item(
                seq, story, feed, arrived, dated, not is_unread, saved, kept, best, maybe, hidden, verdict, changed
            )
    return [found[seq] for seq in seqs if seq in found]


def _items(tx: Transaction, user_id: int, unread: Unread, wanted: ItemFilter, *columns: Any) -> Select[Any]:
    query = StoryQuery(user_id, unrated=False).select(*columns, source=_with_marks(user_id))
    for each in (wanted.stream, *wanted.only):
        query = query.where(_in(tx, user_id, unread, each))
    for each in wanted.without:
        if each.state is State.READ:  # what is unread is found sooner than what is not read
            query = query.where(_in(tx, user_id, unread, Stream(State.UNREAD)))
        else:
            query = query.where(~_in(tx, user_id, unread, each))
    if wanted.since is not None:
        query = query.where(current_scores.c.arrived >= wanted.since)
    if wanted.before is not None:
        query = query.where(current_scores.c.arrived < wanted.before)
    if wanted.feeds is not None:
        query = query.where(articles.c.feed_id.in_(wanted.feeds))
    if wanted.numbers is not None:
        query = query.where(current_scores.c.seq.in_(wanted.numbers))
    for order, after, before in wanted.between:
        value = _value(user_id, unread, order)
        query = query if after is None else query.where(value > after)
        query = query if before is None else query.where(value < before)
    return query


def _value(user_id: int, unread: Unread, order: Order) -> ColumnElement[Any]:
    """Return what items are sorted by."""
    c = articles.c
    values: dict[Order, ColumnElement[Any]] = {
        Order.NUMBER: current_scores.c.seq,
        Order.UNREAD: _is_unread(user_id, unread),
        Order.CHANGED: _changed(),
        Order.PUBLISHED: current_scores.c.dated,
        Order.ARRIVED: current_scores.c.arrived,
        Order.TITLE: c.title,
        Order.AUTHOR: c.author,
        Order.FEED: c.feed_id,
    }
    return values[order]


def _changed() -> ColumnElement[Any]:
    arrived, read_at, saved_at = current_scores.c.arrived, marks.c.read_at, marks.c.saved_at
    marked = case((saved_at > func.coalesce(read_at, 0), saved_at), else_=read_at)
    return case((marked > arrived, marked), else_=arrived)


def _in(tx: Transaction, user_id: int, unread: Unread, stream: Stream) -> ColumnElement[bool]:
    """Return the condition that an item is in a stream."""
    if stream.feed:
        return articles.c.feed_id == stream.feed
    if stream.with_feed:
        return current_scores.c.seq.in_(leads_of_feed(user_id, stream.with_feed))
    if stream.label:
        return _has_label(tx, user_id, stream.label.casefold())
    is_unread = _recent(user_id, unread, _is_unread(user_id, unread))
    delivered = Unread(unread.since)
    states: dict[State, ColumnElement[bool]] = {
        State.READING_LIST: true(),
        State.READ: ~is_unread,
        State.UNREAD: is_unread,
        State.LISTED: _recent(user_id, delivered, _is_listed(user_id, delivered)),
        State.KEPT_UNREAD: among_few(current_scores.c.seq, _marked(user_id, marks.c.kept_unread)),
        State.STARRED: among_few(current_scores.c.seq, _marked(user_id, marks.c.saved_at.is_not(None))),
        State.LIKE: _has_verdict(user_id, Kind.LIKE),
        State.DISLIKE: _has_verdict(user_id, Kind.DISLIKE),
        State.BEST: INTERESTING,
        State.MAYBE: IS_MAYBE,
        State.HIDDEN: IS_BELOW,
        State.NOTHING: false(),
    }
    return states[stream.state or State.NOTHING]


def _recent(user_id: int, unread: Unread, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Narrow a condition that only what is listed and recent or kept unread can fulfil.

    What may be is found in the user's own rows first. Joined with articles at once, of which PostgreSQL cannot know how
    few are wanted, it would read all there are.
    """
    seq, mine = current_scores.c.seq, current_scores.c.user_id == user_id
    shown = select(seq).select_from(SCORED).where(mine, _is_shown(unread))
    return and_(among_few(seq, shown.correlate(None).union(_marked(user_id, marks.c.kept_unread))), condition)


def _marked(user_id: int, mark: ColumnElement[bool]) -> Select[Any]:
    """Select the items of stories with a mark that few have: databases begin with the marks then."""
    stories = select(marks.c.story).where(marks.c.user_id == user_id, mark)
    some = select(articles.c.seq).where(articles.c.story.in_(stories))
    mine = select(current_scores.c.seq).where(current_scores.c.user_id == user_id, current_scores.c.seq.in_(some))
    return mine.correlate(None)


def _is_shown(unread: Unread) -> ColumnElement[bool]:
    if unread.hidden:
        listed = ~current_scores.c.archive
    else:
        listed = and_(~current_scores.c.archive, ~MUTED) if unread.learning else LISTED
    return and_(current_scores.c.arrived >= unread.since, listed)


def _is_listed(user_id: int, unread: Unread) -> ColumnElement[bool]:
    followed = articles.c.feed_id.in_(select(subscriptions.c.feed_id).where(subscriptions.c.user_id == user_id))
    return and_(_is_shown(unread), followed)


def _is_unread(user_id: int, unread: Unread) -> ColumnElement[bool]:
    waiting = or_(func.coalesce(marks.c.kept_unread, False), _is_listed(user_id, unread))
    return and_(marks.c.read_at.is_(None), waiting)


def _has_label(tx: Transaction, user_id: int, name: str) -> ColumnElement[bool]:
    """Return the condition that an item is of a feed in a folder, or has a label; ``name`` is without case."""
    names = feed_names.followed(tx, user_id)
    folder = [feed for feed, each in names.items() if name in map(str.casefold, each.tags)]
    written = [each for each in stored_marks.label_counts(tx, user_id) if each.casefold() == name]
    return or_(articles.c.feed_id.in_(folder), *(stored_marks.has_label(user_id, each) for each in written))


def _has_verdict(user_id: int, kind: Kind) -> ColumnElement[bool]:
    verdict = (
        effective_verdicts.c.user_id == user_id,
        effective_verdicts.c.story == current_scores.c.seq,
        effective_verdicts.c.kind == kind.value,
    )
    return exists().where(*verdict).correlate(current_scores)


def _with_marks(user_id: int) -> FromClause:
    mine = and_(marks.c.user_id == user_id, marks.c.story == articles.c.story)
    # Every score has its article. Written as an outer join it is left out where nothing of the article is asked for.
    return SCORED.outerjoin(articles, articles.c.seq == current_scores.c.seq).outerjoin(marks, mine)
