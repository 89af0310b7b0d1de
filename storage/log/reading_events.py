"""What users do while they read: append-only events, and the sums that older ones become.

Stories are given by the articles that lead them for the user, as in the verdict log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Subquery, delete, func, insert, select, union_all, update

from storage.engine.bulk_insert import chunks
from storage.engine.transaction import Transaction
from storage.records.reading_events import Act, ReadingEvent, StoryReading
from storage.schema import reading_events, reading_sums, users

BATCH = 500
"""Stories summed in one transaction."""

_FIELDS = ("story", "opened", "seconds", "saved", "original", "left", "passed", "row", "at")


def append(tx: Transaction, events: Sequence[ReadingEvent]) -> None:
    """Append events; one whose id the user has used already changes nothing."""
    for event in events:
        same = reading_events.c.user_id == event.user_id, reading_events.c.id == event.id
        if tx.connection.execute(select(reading_events.c.row).where(*same)).first() is None:
            tx.connection.execute(insert(reading_events).values(asdict(event)))


def switch(tx: Transaction, user_id: int, *, on: bool) -> None:
    """Record whether the filter may learn from what a user does while they read."""
    tx.connection.execute(update(users).where(users.c.id == user_id).values(learns_from_reading=on))


def is_on(tx: Transaction, user_id: int) -> bool:
    """Return what ``switch`` recorded last; False for a new user."""
    query = select(users.c.learns_from_reading).where(users.c.id == user_id)
    return bool(tx.connection.execute(query).scalar_one_or_none())


def last_row(tx: Transaction, user_id: int) -> int:
    """Return the number of the user's last event; 0 without any."""
    every = _last_rows(user_id)
    return int(tx.connection.execute(select(func.coalesce(func.max(every.c.row), 0))).scalar_one())


def count_since(tx: Transaction, user_id: int, since: datetime) -> int:
    """Count a user's events ``since`` a time."""
    query = select(func.count()).where(reading_events.c.user_id == user_id, reading_events.c.at >= since)
    return int(tx.connection.execute(query).scalar_one())


def count_before(tx: Transaction, user_id: int, end: datetime) -> int:
    """Count a user's events before a time."""
    query = select(func.count()).where(reading_events.c.user_id == user_id, reading_events.c.at < end)
    return int(tx.connection.execute(query).scalar_one())


def stories_of(tx: Transaction, user_id: int, act: Act, at: datetime) -> list[int]:
    """List the stories with an event of a kind at exactly this time, in order."""
    mine = reading_events.c.user_id == user_id, reading_events.c.at == at, reading_events.c.act == act.value
    query = select(reading_events.c.story).where(*mine).order_by(reading_events.c.row)
    return list(tx.connection.execute(query).scalars())


def newest(tx: Transaction, user_id: int, limit: int) -> list[StoryReading]:
    """Return all that the user did with the ``limit`` stories of the newest events, in order of their last events."""
    every = _last_rows(user_id)
    last = func.max(every.c.row)
    query = select(every.c.story).group_by(every.c.story).order_by(last.desc()).limit(limit)
    return of_stories(tx, user_id, list(tx.connection.execute(query).scalars()))


def of_stories(tx: Transaction, user_id: int, stories: Sequence[int]) -> list[StoryReading]:
    """Return all that the user did with these stories, in order of their last events; others are left out."""
    found: dict[int, StoryReading] = {}
    for piece in chunks(stories):
        sums, events = sums_and_events(tx, user_id, piece)
        found |= sums | {story: _added(sums.get(story), rows) for story, rows in events.items()}
    return sorted(found.values(), key=lambda reading: reading.row)


def sums_and_events(
    tx: Transaction, user_id: int, stories: Sequence[int]
) -> tuple[dict[int, StoryReading], dict[int, list[tuple[int, ReadingEvent]]]]:
    """Return the sums of a few stories, and the events after them with their numbers, in order."""
    sums = select(*(reading_sums.c[name] for name in _FIELDS)).where(
        reading_sums.c.user_id == user_id, reading_sums.c.story.in_(stories)
    )
    c = reading_events.c
    events = select(c.user_id, c.id, c.story, c.act, c.at, c.visit, c.seconds, c.row).where(
        c.user_id == user_id, c.story.in_(stories)
    )
    of_story: dict[int, list[tuple[int, ReadingEvent]]] = {}
    for user, name, story, act, at, visit, seconds, row in tx.connection.execute(events.order_by(c.row)):
        event = ReadingEvent(name, user, story, Act(act), at, visit, seconds)
        of_story.setdefault(story, []).append((row, event))
    return {row.story: StoryReading(*row) for row in tx.connection.execute(sums)}, of_story


def sum_before(tx: Transaction, user_id: int, before: datetime) -> int:
    """Sum the events of some stories whose last event is older, and delete them; return how many stories.

    0 when none is left. What ``of_stories`` returns stays the same.
    """
    c = reading_events.c
    old = select(c.story).where(c.user_id == user_id).group_by(c.story).having(func.max(c.at, type_=c.at.type) < before)
    stories = list(tx.connection.execute(old.limit(BATCH)).scalars())
    for reading in of_stories(tx, user_id, stories):
        mine = reading_sums.c.user_id == user_id, reading_sums.c.story == reading.story
        tx.connection.execute(delete(reading_sums).where(*mine))
        values = {name: getattr(reading, name) for name in _FIELDS}
        tx.connection.execute(insert(reading_sums).values(user_id=user_id, **values))
        tx.connection.execute(delete(reading_events).where(c.user_id == user_id, c.story == reading.story))
    return len(stories)


def _added(earlier: StoryReading | None, events: Iterable[tuple[int, ReadingEvent]]) -> StoryReading:
    """Add events, in order, to what they follow."""
    acts: set[Act] = set()
    visits: dict[str, float] = {}
    saved, left = (earlier.saved, earlier.left) if earlier else (False, False)
    last, event = 0, None
    for row, event in events:
        acts.add(event.act)
        visits[event.visit] = max(visits.get(event.visit, 0.0), event.seconds)
        saved = event.act is Act.SAVED or (saved and event.act is not Act.UNSAVED)
        left = event.act is Act.LEFT or (left and event.act is not Act.NOT_LEFT)
        last = row
    assert event is not None  # noqa: S101 -- there are events
    return StoryReading(
        story=event.story,
        opened=Act.OPENED in acts or bool(earlier and earlier.opened),
        seconds=sum(visits.values()) + (earlier.seconds if earlier else 0.0),
        saved=saved,
        original=Act.ORIGINAL in acts or bool(earlier and earlier.original),
        left=left,
        passed=Act.PASSED in acts or bool(earlier and earlier.passed),
        row=last,
        at=event.at,
    )


def _last_rows(user_id: int) -> Subquery:
    """Select story and row of all events and sums."""
    events = select(reading_events.c.story, reading_events.c.row).where(reading_events.c.user_id == user_id)
    sums = select(reading_sums.c.story, reading_sums.c.row).where(reading_sums.c.user_id == user_id)
    return union_all(events, sums).subquery("rows_of_stories")
