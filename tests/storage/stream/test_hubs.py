"""Subscriptions at hubs: who asks, what counts as an answer, and what is forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.engine.base_database import Transaction
from storage.exchange.user_removal import remove_user
from storage.opening.database import ARRIVALS, Database
from storage.records.feeds import Hub, Subscription
from storage.records.users import LOCAL_USER
from storage.schema.column_types import microseconds
from storage.stream import feeds, hubs
from tests.storage.conftest import FEED, NOON, Newsroom
from tests.storage.two_people import SECOND, shared

__all__ = ["shared"]
HUB = Hub("https://hub.example/", FEED, FEED)
AT = "https://news.example.org/websub/"
HOUR = timedelta(hours=1)


@pytest.fixture
def feed(newsroom: Newsroom, database: Database) -> int:
    """A feed that was polled, and names a hub."""
    newsroom.poll(newsroom.entry("1"))
    with database.write(ARRIVALS) as tx:
        number = feeds.overview(tx, LOCAL_USER)[0].feed.id
        hubs.name(tx, number, HUB, NOON, key="key", secret="secret")
        tx.connection.exec_driver_sql(f"UPDATE feeds SET next_due = {microseconds(NOON + timedelta(days=1))}")
    return number


def ask(tx: Transaction, at: timedelta = timedelta(0)) -> list[str]:
    return [each.callback for each in hubs.claim(tx, NOON + at, AT, 10)]


def test_a_hub_is_asked_by_one_process_at_a_time_and_less_often_if_it_does_not_agree(
    database: Database, feed: int
) -> None:
    with database.write(ARRIVALS) as tx:
        assert ask(tx) == [AT + "key"]
        assert ask(tx) == []
        asked = [hour for hour in range(1, 100) if ask(tx, hour * HOUR)]
    assert asked == [1, 4, 12, 36, 60, 84]
    with database.read() as tx:
        assert hubs.of_feeds(tx, [feed])[feed].failures == 7


def test_a_lease_counts_from_the_answer_and_is_renewed_in_time(database: Database, feed: int) -> None:
    with database.write(ARRIVALS) as tx:
        ask(tx)
        assert hubs.verify(tx, "key", FEED, NOON + HOUR, ending=False, lease=timedelta(days=400))
        known = hubs.of_feeds(tx, [feed])[feed]
        assert known.lease_until == NOON + HOUR + hubs.LONGEST_LEASE
        assert known.next_attempt == NOON + HOUR + timedelta(days=24)
        assert known.is_live(NOON + 2 * HOUR)
        assert not known.is_live(NOON + timedelta(days=31))
        hubs.set_error(tx, known, "too late")
        assert hubs.of_feeds(tx, [feed])[feed].error == ""


def test_another_hub_or_topic_is_another_subscription_and_the_same_one_stays(database: Database, feed: int) -> None:
    with database.write(ARRIVALS) as tx:
        hubs.name(tx, feed, Hub(HUB.address, HUB.topic, "https://example.org/new"), NOON, key="other", secret="x")
        known = hubs.of_feeds(tx, [feed])[feed]
        assert (known.key, known.hub.base) == ("key", "https://example.org/new")
        hubs.name(tx, feed, Hub(HUB.address, FEED + "?all", FEED), NOON, key="other", secret="x")
        assert hubs.by_key(tx, "key") is None
        assert hubs.by_key(tx, "other") is not None


def test_a_feed_without_a_hub_or_follower_ends_its_subscription_or_it_is_forgotten(
    database: Database, feed: int
) -> None:
    with database.write(ARRIVALS) as tx:
        ask(tx)
        assert hubs.verify(tx, "key", FEED, NOON, ending=False, lease=timedelta(days=10))
        feeds.subscribe(tx, LOCAL_USER, [])
        assert hubs.by_key(tx, "key") is None
        for hours in (0, 1, 4):
            assert ask(tx, hours * HOUR) == [AT + "key"]
            assert hubs.of_feeds(tx, [feed])[feed].ending
        assert not hubs.verify(tx, "key", FEED, NOON + 4 * HOUR, ending=False, lease=HOUR)
        assert ask(tx, 100 * HOUR) == []
        assert hubs.of_feeds(tx, [feed]) == {}
        hubs.name(tx, feed, HUB, NOON, key="new", secret="secret")  # never asked: nothing to end
        hubs.name(tx, feed, None, NOON, key="", secret="")
        assert ask(tx) == []
        assert hubs.of_feeds(tx, [feed]) == {}


def test_what_waits_makes_its_feed_due_and_is_read_once(database: Database, feed: int) -> None:
    with database.write(ARRIVALS) as tx:
        assert not feeds.any_due(tx, NOON)
        assert hubs.push(tx, feed, NOON, "text/xml", b"one")
        assert feeds.any_due(tx, NOON)
        assert hubs.push(tx, feed, NOON, "text/xml", b"two")
        first, second = hubs.documents(tx, feed)
        assert (first.body, second.body) == (b"one", b"two")
        tx.connection.exec_driver_sql(f"UPDATE feeds SET next_due = {microseconds(NOON + timedelta(days=1))}")
        hubs.record(tx, feed, [first.id], NOON, delivered=True)
        assert feeds.any_due(tx, NOON)  # the other came meanwhile
        hubs.record(tx, feed, [second.id], NOON, delivered=True)
        assert hubs.with_documents(tx, [feed]) == set()
        assert not hubs.push(tx, feed, NOON, "text/xml", b"x" * (hubs.MOST_BYTES + 1))


def test_of_a_feed_whose_only_follower_is_removed_nothing_is_left(shared: Database, newsroom: Newsroom) -> None:
    private = "https://example.org/private"
    with shared.write() as tx:
        feeds.subscribe(tx, SECOND, [Subscription(private)])
        number = feeds.followed(tx, SECOND)[0][1].id
        hubs.name(tx, number, Hub(HUB.address, private, private), NOON, key="key", secret="secret")
        hubs.push(tx, number, NOON, "text/xml", b"news")
        remove_user(tx, SECOND)
        assert not hubs.any_known(tx)
        assert hubs.with_documents(tx, [number]) == set()


def test_one_hub_cannot_fill_the_store_for_others(database: Database, feed: int) -> None:
    with database.write(ARRIVALS) as tx:
        hubs.name(tx, feed, Hub("https://evil.example/a", FEED, FEED), NOON, key="key", secret="secret")
        numbers = [feed]
        for name in ("https://evil.example/b", "https://good.example/"):
            address = f"https://example.org/{len(numbers)}"
            feeds.subscribe(tx, LOCAL_USER, [Subscription(address)])
            number = next(each.id for _, each in feeds.followed(tx, LOCAL_USER) if each.url == address)
            hubs.name(tx, number, Hub(name, address, address), NOON, key=name, secret="secret")
            numbers.append(number)
        half = b"x" * (hubs.MOST_OF_HUB // 2)
        assert [hubs.push(tx, numbers[0], NOON, "text/xml", half) for _ in range(2)] == [True, True]
        assert [hubs.push(tx, each, NOON, "text/xml", half) for each in numbers] == [False, False, True]
