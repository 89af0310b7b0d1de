"""A user's log of verdicts, marks and reading events on their way out of one database and into another.

An exported row names its article by feed address and key, which are the same in every database.

A verdict names the first article of its story, the one that was learned from. In another database, an article that no
feed delivered is stored apart: it is in no story, and is never scored, delivered or counted.

Marks and reading events name the article that leads the story for the user. In another database they are about the
story of that article, if it is there; what is there about a story stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, select, union

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.log import feedback
from storage.log import imports as imported
from storage.log import marks as stored_marks
from storage.log import reading_events as events
from storage.records.articles import Features, NewArticle
from storage.records.reading_events import Act, ReadingEvent, StoryReading
from storage.records.stories import UNMARKED, Mark
from storage.records.users import Kind, Verdict
from storage.schema import articles, feeds, imported_items, labels, marks, reading_events, reading_sums
from storage.schema import feedback as log
from storage.stream import articles as stored
from storage.stream import features
from storage.stream.addresses import address_without_password
from storage.stream.feeds import add as add_feed
from storage.stream.feeds import set_first_titles
from storage.stream.visibility import lead, leads, only_visible


@dataclass(frozen=True, slots=True)
class ArticleKey:
    """Identifies an article in every database."""

    feed: str
    """The feed's address."""
    key: str
    """The article's key within the feed."""


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of the log."""

    id: str
    article: ArticleKey
    kind: Kind
    at: datetime
    tags: tuple[str, ...]
    form: str = ""
    """Of an imported item: how much was known of it."""
    import_id: int | None = None
    """Of an imported item: its import."""
    interest: str = ""
    """Of an imported item: the interest that it is an example of."""
    weight: float = 1.0
    """Of an imported item: how much it teaches."""


@dataclass(frozen=True, slots=True)
class ForeignArticle:
    """An article from another database, with its features."""

    article: ArticleKey
    source: str
    """The feed's name."""
    entry: NewArticle
    arrived: datetime
    features: Features
    """``seq`` and ``story`` are ignored."""


def rows(tx: Transaction, user_id: int) -> list[tuple[int, LogRow]]:
    """Return the whole log in order, each row with the number of its story's first article."""
    query = (
        select(
            articles.c.seq, log.c.id, feeds.c.url, articles.c.key, log.c.kind, log.c.at, log.c.tags,
            imported_items.c.form, imported_items.c.import_id, imported_items.c.interest,
            func.coalesce(imported_items.c.weight, 1.0),
        )
        .join(articles, articles.c.seq == log.c.story)
        .join(feeds, feeds.c.id == articles.c.feed_id)
        .outerjoin(imported_items, (imported_items.c.user_id == log.c.user_id) & (imported_items.c.row == log.c.row))
        .where(log.c.user_id == user_id)
        .order_by(log.c.row)
    )  # fmt: skip
    return [
        (seq, LogRow(key, ArticleKey(feed, name), Kind(kind), at, tags, form or "", number, interest or "", weight))
        for seq, key, feed, name, kind, at, tags, form, number, interest, weight in tx.connection.execute(query)
    ]


def find(tx: Transaction, wanted: Sequence[ArticleKey]) -> dict[ArticleKey, int]:
    """Return the numbers of those articles that are stored."""
    by_feed: dict[str, list[str]] = {}
    for each in wanted:
        by_feed.setdefault(each.feed, []).append(each.key)
    found: dict[ArticleKey, int] = {}
    for url, keys in by_feed.items():
        feed = _feed(tx, url)
        if feed is not None:
            found |= {ArticleKey(url, key): seq for key, seq in stored.seqs_by_key(tx, feed, keys).items()}
    return found


def add_articles(tx: Transaction, foreign: Sequence[ForeignArticle]) -> None:
    """Store articles apart from the stream; those that are stored already do not change.

    A feed without a title, since it was never polled here, gets the name that the articles know it by.
    """
    set_first_titles(tx, {each.article.feed: each.source for each in foreign})
    for each in foreign:
        url, key = each.article.feed, each.article.key
        feed = _feed(tx, url)
        if feed is None:
            feed = add_feed(tx, url, each.source or address_without_password(url))
        if not stored.known_keys(tx, feed, [key]):
            stored.store(tx, feed, url, [each.entry], each.arrived)
            (seq,) = stored.seqs_by_key(tx, feed, [key]).values()
            features.add(tx, [replace(each.features, seq=seq, story=0)])


def add_verdicts(
    tx: Transaction, user_id: int, new: Sequence[LogRow], sources: Mapping[int, tuple[str, datetime]]
) -> int:
    """Append verdicts on stored articles, and return how many were appended.

    A story that has a verdict keeps it. ``sources`` has name and time of the imports of imported items.
    """
    seqs = find(tx, [row.article for row in new])
    added = 0
    by_import: dict[tuple[int, str], list[LogRow]] = {}
    for row in new:
        if row.kind is Kind.IMPORTED:
            by_import.setdefault((row.import_id or 0, row.interest), []).append(row)
        elif feedback.verdict(tx, user_id, feedback.story(tx, user_id, seqs[row.article])) is None:
            verdict = Verdict(row.id, user_id, seqs[row.article], row.kind, row.at, row.tags)
            ((is_new, _),) = feedback.append(tx, [verdict])
            added += is_new
    for (number, interest), items in by_import.items():
        name, at = sources.get(number, ("import", items[0].at))
        known = [imported.StoredImportedItem(seqs[row.article], row.form, row.weight) for row in items]
        known = [item for item in known if feedback.verdict(tx, user_id, feedback.story(tx, user_id, item.seq)) is None]
        _, learned = imported.add_import(tx, user_id, name, [], known, at, interest)
        added += len(learned)
    return added


def _feed(tx: Transaction, url: str) -> int | None:
    found: int | None = tx.connection.execute(select(feeds.c.id).where(feeds.c.url == url)).scalar_one_or_none()
    return found


@dataclass(frozen=True, slots=True)
class NamedArticle:
    """An article, by what identifies it in every database, and by what a person knows it by."""

    key: ArticleKey
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class ExportedEvent:
    """A reading event, about an article instead of a story."""

    id: str
    article: ArticleKey
    act: Act
    at: datetime
    visit: str
    seconds: float


def marked(tx: Transaction, user_id: int) -> dict[int, Mark]:
    """Return the user's marks, by the article that leads the story for them, in order of arrival.

    Stories of which they may see no article are left out.
    """
    mine = union(
        select(marks.c.story).where(marks.c.user_id == user_id),
        select(labels.c.story).where(labels.c.user_id == user_id),
    ).subquery()
    query = select(mine.c.story, lead(user_id)).join(articles, articles.c.seq == mine.c.story).order_by(mine.c.story)
    leading: dict[int, int] = dict(tx.connection.execute(query).all())
    found, seen = stored_marks.get(tx, user_id, list(leading)), set(only_visible(tx, user_id, list(leading.values())))
    return {seq: found[story] for story, seq in leading.items() if seq in seen and found[story] != UNMARKED}


def read_events(tx: Transaction, user_id: int) -> Iterator[tuple[int, ReadingEvent]]:
    """Yield the user's reading events with their articles, in order of the articles.

    Events that were summed are given back as one for each act, at the time of the last.
    """
    stories = union(
        select(reading_events.c.story).where(reading_events.c.user_id == user_id),
        select(reading_sums.c.story).where(reading_sums.c.user_id == user_id),
    )
    every = sorted(tx.connection.execute(stories).scalars())
    for piece in chunks(every):
        sums, single = events.sums_and_events(tx, user_id, piece)
        for story in piece:
            if story in sums:
                yield from ((story, each) for each in _as_events(user_id, sums[story]))
            yield from ((story, each) for _, each in single.get(story, ()))


def names(tx: Transaction, seqs: Sequence[int]) -> dict[int, NamedArticle]:
    """Return what names articles, by their numbers."""
    found: dict[int, NamedArticle] = {}
    for piece in chunks(seqs):
        c = articles.c
        query = select(c.seq, feeds.c.url, c.key, c.url, c.title).join(feeds, feeds.c.id == c.feed_id)
        rows = tx.connection.execute(query.where(among(c.seq, piece)))
        found |= {seq: NamedArticle(ArticleKey(feed, key), url, title) for seq, feed, key, url, title in rows}
    return found


def unplaced(tx: Transaction, user_id: int, named: Sequence[ArticleKey]) -> list[ArticleKey]:
    """Return those of ``named`` that are in no story that the user may see."""
    found = find(tx, named)
    stories = stored_marks.stories(tx, user_id, list(found.values()))
    return [key for key in named if found.get(key) not in stories]


def add_marks(tx: Transaction, user_id: int, new: Mapping[ArticleKey, Mark]) -> int:
    """Add marks to stories that the user may see; return how many articles are in such a story.

    What is saved stays saved, and what is marked as read or as unread stays so.
    """
    found = find(tx, list(new))
    stories = stored_marks.stories(tx, user_id, list(found.values()))
    wanted = [(stories[seq], new[key]) for key, seq in found.items() if seq in stories]
    stored_marks.add(tx, user_id, wanted)
    return len(wanted)


def add_events(tx: Transaction, user_id: int, new: Sequence[ExportedEvent]) -> int:
    """Append events on stories that the user may see and did nothing with here; return how many."""
    found = find(tx, list(dict.fromkeys(each.article for each in new)))
    shown = stored_marks.stories(tx, user_id, list(found.values()))
    leading = leads(tx, user_id, list(shown))
    known = {each.story for each in events.of_stories(tx, user_id, list(set(leading.values())))}
    places = {key: leading[seq] for key, seq in found.items() if seq in shown and leading[seq] not in known}
    added = [
        ReadingEvent(each.id, user_id, places[each.article], each.act, each.at, each.visit, each.seconds)
        for each in new
        if each.article in places
    ]
    events.append(tx, added)
    return len(added)


def _as_events(user_id: int, total: StoryReading) -> Iterator[ReadingEvent]:
    """Return events that add up to what a sum has."""
    done = {
        Act.OPENED: total.opened,
        Act.READ: total.seconds > 0,
        Act.SAVED: total.saved,
        Act.ORIGINAL: total.original,
        Act.LEFT: total.left,
        Act.PASSED: total.passed,
    }
    event = ReadingEvent("", user_id, total.story, Act.OPENED, total.at, "summed")
    for act in (each for each, was_done in done.items() if was_done):
        name = hashlib.sha256(f"sum {total.row} {act} {total.at}".encode()).hexdigest()[:32]
        yield replace(event, id=name, act=act, seconds=total.seconds if act is Act.READ else 0.0)
