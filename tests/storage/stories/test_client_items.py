"""Stories as client apps see them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from storage.log import decisions, marks
from storage.opening.database import Database
from storage.people import users
from storage.records.articles import Features, NewArticle
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.stories import client_items
from storage.stories.client_items import ItemFilter, State, Stream, Unread
from storage.stream import articles, features, feeds

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
ALL = ItemFilter()
UNREAD = Unread(NOW - timedelta(days=7))


def entry(number: int) -> NewArticle:
    return NewArticle(
        key=f"{number}", url=f"https://a.example/{number}", title=f"Title {number}", author="", categories=(),
        text="text", language="en", published=NOW, links=0, pictures=0, content_hash=f"{number}".encode().ljust(16),
    )  # fmt: skip


@pytest.fixture
def database(database: Database) -> Database:
    """Four stories: recommended, explored, hidden, and recommended but old."""
    with database.write() as tx:
        users.add(tx, "Ben", 5)
        feeds.subscribe(tx, LOCAL_USER, [Subscription("https://a.example/feed", tags=("Sea",))])
        (feed,) = (each.feed for each in feeds.overview(tx, LOCAL_USER))
        for number, days in ((4, 30), (1, 1), (2, 1), (3, 1)):
            feeds.record(tx, [FetchRecord(feed, (entry(number),), NOW - timedelta(days=days))])
            (new,) = articles.without_features(tx, 10)
            features.add(tx, [Features(new.seq, new.seq, 5, ("length",), b"v" * 8, b"terms", b"pair")])
            wanted, explored = number in (1, 4), number == 2
            score = 1.0 if wanted else -5.0
            taken = Decision(LOCAL_USER, new.seq, score, 0.0, wanted, explored, 1.0, NOW, None, None)
            decisions.add(tx, [taken])
    return database


def listed(database: Database, wanted: ItemFilter, user_id: int = LOCAL_USER) -> list[int]:
    with database.read() as tx:
        return client_items.numbers(tx, user_id, UNREAD, wanted)


def test_unread_is_what_is_recommended_or_explored_and_recent(database: Database) -> None:
    assert listed(database, ALL) == [4, 3, 2, 1]
    assert listed(database, ItemFilter(ALL.stream, without=(Stream(State.READ),))) == [3, 2]
    assert listed(database, ItemFilter(Stream(State.HIDDEN))) == [4]
    assert listed(database, ItemFilter(Stream(label="sea"), only=(Stream(State.BEST),))) == [2, 1]


def test_what_is_read_or_kept_unread_comes_before_scores(database: Database) -> None:
    with database.write() as tx:
        marks.read(tx, LOCAL_USER, [2], NOW)
        marks.keep_unread(tx, LOCAL_USER, [4])
    assert listed(database, ItemFilter(ALL.stream, without=(Stream(State.READ),))) == [4, 3]


def test_of_a_feed_that_is_not_followed_any_more_nothing_is_unread(database: Database) -> None:
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [])
    assert listed(database, ItemFilter(only=(Stream(State.UNREAD),))) == []
    assert listed(database, ALL) == [4, 3, 2, 1]


def test_others_have_no_items_of_one_s_own(database: Database) -> None:
    assert listed(database, ALL, LOCAL_USER + 1) == []
    with database.read() as tx:
        assert client_items.get(tx, LOCAL_USER + 1, UNREAD, [1, 2, 3, 4]) == []
        mine = client_items.get(tx, LOCAL_USER, UNREAD, [4, 2, 99])
    assert [each.seq for each in mine] == [4, 2]
