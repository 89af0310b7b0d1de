"""Reading events: appended once, added up, summed when they are old."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update

from storage.engine.errors import DatabaseFailed
from storage.log import reading_events
from storage.opening.database import Database
from storage.records.reading_events import Act, ReadingEvent, StoryReading
from storage.records.users import LOCAL_USER
from storage.schema import reading_events as rows
from tests.storage.conftest import FEED, NOON, Newsroom

DAY = timedelta(days=1)


@pytest.fixture
def read(newsroom: Newsroom) -> Database:
    """Three articles, of which one was read twice, saved and saved no longer, and one was left and then passed."""
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"{number}") for number in range(1, 4)))
    events = [
        event(1, Act.OPENED),
        event(1, Act.READ, visit="a", seconds=20),
        event(1, Act.READ, visit="a", seconds=60),
        event(1, Act.SAVED, day=1),
        event(2, Act.LEFT, day=2),
        event(2, Act.PASSED, day=2),
        event(1, Act.READ, visit="b", seconds=30, day=3),
        event(1, Act.UNSAVED, day=3),
    ]
    with newsroom.database.write() as tx:
        reading_events.append(tx, events)
        reading_events.append(tx, events)  # sent again
    return newsroom.database


def event(story: int, act: Act, *, visit: str = "", seconds: float = 0.0, day: int = 0) -> ReadingEvent:
    return ReadingEvent(
        f"{act} {story} {visit} {seconds} {day}", LOCAL_USER, story, act, NOON + day * DAY, visit, seconds
    )


FIRST = StoryReading(1, True, 90.0, saved=False, original=False, left=False, passed=False, row=8, at=NOON + 3 * DAY)
SECOND = StoryReading(2, False, 0.0, saved=False, original=False, left=True, passed=True, row=6, at=NOON + 2 * DAY)


def test_events_of_a_story_are_added_up_and_count_once(read: Database) -> None:
    with read.read() as tx:
        assert reading_events.newest(tx, LOCAL_USER, 10) == [SECOND, FIRST]
        assert reading_events.newest(tx, LOCAL_USER, 1) == [FIRST]
        assert reading_events.newest(tx, LOCAL_USER + 1, 10) == []
        assert reading_events.last_row(tx, LOCAL_USER) == 8
        assert reading_events.stories_of(tx, LOCAL_USER, Act.LEFT, NOON + 2 * DAY) == [2]


def test_sums_say_the_same_as_the_events(read: Database) -> None:
    with read.write() as tx:
        assert reading_events.sum_before(tx, LOCAL_USER, NOON + 3 * DAY) == 1  # the first has a newer event
        assert reading_events.newest(tx, LOCAL_USER, 10) == [SECOND, FIRST]
        assert reading_events.sum_before(tx, LOCAL_USER, NOON + 4 * DAY) == 1
        assert reading_events.newest(tx, LOCAL_USER, 10) == [SECOND, FIRST]
        assert tx.connection.execute(select(func.count()).select_from(rows)).scalar_one() == 0
        assert reading_events.sum_before(tx, LOCAL_USER, NOON + 4 * DAY) == 0
        reading_events.append(tx, [event(2, Act.READ, visit="c", seconds=10, day=9)])
        (second,) = reading_events.of_stories(tx, LOCAL_USER, [2])
        assert (second.seconds, second.left, second.row, second.at) == (10.0, True, 9, NOON + 9 * DAY)
        assert reading_events.sum_before(tx, LOCAL_USER, NOON + 10 * DAY) == 1
        assert reading_events.of_stories(tx, LOCAL_USER, [2]) == [second]


def test_the_database_refuses_to_lose_events_that_are_not_summed(read: Database) -> None:
    for change in (delete(rows), update(rows).values(seconds=1.0)):
        with pytest.raises(DatabaseFailed, match="append-only"), read.write() as tx:
            tx.connection.execute(change)
