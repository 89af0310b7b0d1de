"""What feeds have brought, counted by hand."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from storage.log import feedback
from storage.opening.database import Database
from storage.records.feeds import FeedArrivals, FetchRecord, Subscription
from storage.records.users import LOCAL_USER, FeedVerdicts, Kind, Verdict
from storage.stories import feed_statistics
from storage.stream import feeds
from tests.storage.conftest import FEED, NOON, Newsroom

OTHER, SILENT = "https://other.example/feed", "https://silent.example/feed"


def test_arrivals_leave_the_first_poll_out_of_the_pace(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED, SILENT)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(30)))
    newsroom.poll(newsroom.entry("b"), at=NOON + timedelta(days=1))
    newsroom.poll(newsroom.entry("c"), newsroom.entry("d"), at=NOON + timedelta(days=3))
    with database.read() as tx:
        newest = NOON + timedelta(days=3)
        published = NOON - timedelta(hours=1)
        assert feed_statistics.arrivals(tx, LOCAL_USER, NOON) == {1: FeedArrivals(NOON, newest, 3, published)}
        assert feed_statistics.arrivals(tx, LOCAL_USER, newest) == {1: FeedArrivals(NOON, newest, 2, published)}
        assert feed_statistics.arrivals(tx, LOCAL_USER + 1, NOON) == {}


@pytest.mark.parametrize(
    ("given", "believed"),
    [(NOON - timedelta(days=2), NOON - timedelta(days=2)), (NOON + timedelta(hours=9), NOON), (None, None)],
)
def test_the_newest_article_is_as_old_as_its_publication(
    newsroom: Newsroom, database: Database, given: datetime | None, believed: datetime | None
) -> None:
    newsroom.follow(FEED)
    newsroom.poll(newsroom.entry("old"), newsroom.entry("new", published=given))
    with database.read() as tx:
        assert feed_statistics.arrivals(tx, LOCAL_USER, NOON)[1].published == believed


def test_story_counts_once_for_each_feed(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED, OTHER)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(4)))  # 1 to 4
    with database.write() as tx:
        other = feeds.overview(tx, LOCAL_USER)[1].feed
        entries = tuple(newsroom.entry(f"o{n}") for n in range(3))  # 5 to 7
        feeds.record(tx, [FetchRecord(other, entries, NOON)])
    newsroom.assess({2: 1, 5: 1, 6: 1})  # the first feed told story 1 twice, and so did the other
    newsroom.judge((1, 1.0, False), (3, -1.0, True), (4, -1.0, False), (7, 2.0, False))
    with database.write() as tx:
        given = {1: Kind.LIKE, 3: Kind.DISLIKE, 4: Kind.SKIP, 7: Kind.DISLIKE}
        feedback.append(tx, [Verdict(f"v{seq}", LOCAL_USER, seq, kind, NOON) for seq, kind in given.items()])
    with database.read() as tx:
        assert feed_statistics.verdict_counts(tx, LOCAL_USER) == {
            1: FeedVerdicts(1, 1, 1, 1),
            2: FeedVerdicts(2, 1, 1, 0),
        }
    with database.write() as tx:
        feedback.append(tx, [Verdict("back", LOCAL_USER, 1, Kind.UNDO, NOON)])
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED)])
    with database.read() as tx:
        assert feed_statistics.verdict_counts(tx, LOCAL_USER) == {1: FeedVerdicts(1, 0, 1, 1)}
