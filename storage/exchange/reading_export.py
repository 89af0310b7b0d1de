"""A user's marks and reading events on their way out of one database and into another.

Both name an article by feed address and key, as exported verdicts do: the one that leads the story for the user. In
another database they are about the story of that article, if it is there; what is there about a story stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select, union

from storage.engine.bulk_insert import among, chunks
from storage.engine.transaction import Transaction
from storage.exchange.export import ArticleKey, find
from storage.log import marks as stored
from storage.log import reading_events as events
from storage.records.reading_events import Act, ReadingEvent, StoryReading
from storage.records.stories import UNMARKED, Mark
from storage.schema import articles, feeds, labels, marks, reading_events, reading_sums
from storage.stream.visibility import lead, leads, only_visible


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
    found, seen = stored.get(tx, user_id, list(leading)), set(only_visible(tx, user_id, list(leading.values())))
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
    stories = stored.stories(tx, user_id, list(found.values()))
    return [key for key in named if found.get(key) not in stories]


def add_marks(tx: Transaction, user_id: int, new: Mapping[ArticleKey, Mark]) -> int:
    """Add marks to stories that the user may see; return how many articles are in such a story.

    What is saved stays saved, and what is marked as read or as unread stays so.
    """
    found = find(tx, list(new))
    stories = stored.stories(tx, user_id, list(found.values()))
    wanted = [(stories[seq], new[key]) for key, seq in found.items() if seq in stories]
    stored.add(tx, user_id, wanted)
    return len(wanted)


def add_events(tx: Transaction, user_id: int, new: Sequence[ExportedEvent]) -> int:
    """Append events on stories that the user may see and did nothing with here; return how many."""
    found = find(tx, list(dict.fromkeys(each.article for each in new)))
    shown = stored.stories(tx, user_id, list(found.values()))
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
