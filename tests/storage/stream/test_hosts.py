"""Hosts are claimed whole, and a host that wants to be left alone is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from storage.engine.base_database import Transaction
from storage.engine.errors import LeaseLost, UnknownSchema
from storage.opening.database import ARRIVALS, Database
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.records.work import Claim, DueWork, Queue, Task
from storage.schema import REVISIONS
from storage.stream import feeds, hosts
from storage.work import work
from storage.work.work import FencedDatabase
from tests.storage.conftest import NOON

ONE, OTHER = "https://one.example/feed", "https://other.example:8443/feed"
SECOND = "https://ONE.example:444/second"
ANNA, BERT = "https://anna:secret@one.example/feed", "https://bert:secret@one.example/feed"
HOUR = timedelta(hours=1)


def follow(tx: Transaction, *urls: str) -> None:
    feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])


def put_off(tx: Transaction, url: str) -> None:
    (feed,) = (each.feed for each in feeds.overview(tx, LOCAL_USER) if each.feed.url == url)
    feeds.record(tx, [FetchRecord(replace(feed, next_due=NOON + HOUR), (), NOON)])


def claim_hosts(database: Database) -> list[Claim]:
    with database.write_work() as tx:
        work.put(tx, [DueWork(Task.POLL, host, Queue.POLL, at) for host, at in hosts.due(tx, NOON).items()], NOON)
        return work.claim(tx, NOON, HOUR / 2, holder="one", most={Task.POLL: 9})


def test_a_host_is_due_as_soon_as_one_of_its_feeds(tx: Transaction) -> None:
    follow(tx, ONE, SECOND, OTHER)
    assert hosts.due(tx, NOON) == {"one.example": NOON, "other.example": NOON}
    put_off(tx, ONE)
    put_off(tx, OTHER)
    assert hosts.due(tx, NOON) == {"one.example": NOON}
    assert [feed.url for feed in hosts.due_feeds(tx, ["one.example", "other.example"], NOON)] == [SECOND]
    put_off(tx, SECOND)
    assert hosts.due(tx, NOON) == {}
    later = NOON + 2 * HOUR
    assert hosts.due(tx, later) == dict.fromkeys(("one.example", "other.example"), NOON + HOUR)


def test_feeds_of_a_host_that_a_worker_has_are_nobody_elses_and_the_other_way_round(database: Database) -> None:
    with database.write() as tx:
        follow(tx, ONE, SECOND)
    claims = claim_hosts(database)
    with database.write() as tx:
        follow(tx, ONE, SECOND, OTHER)
        assert [feed.url for feed in feeds.claim_due(tx, NOON, NOON + HOUR, force=True)] == [OTHER]
        assert not feeds.any_due(tx, NOON)
        work.finish(tx, claims, NOON)
        (first, _) = feeds.claim_due(tx, NOON, NOON + HOUR)
        feeds.release(tx, [first.id])
        assert hosts.due_feeds(tx, ["one.example", "other.example"], NOON) == []


def test_a_host_is_left_alone_for_the_login_that_it_has_refused(tx: Transaction) -> None:
    follow(tx, ANNA, BERT, ANNA + "/2", ONE)
    hosts.pause(tx, ANNA, NOON + HOUR, NOON)
    assert {feed.url for feed in hosts.due_feeds(tx, ["one.example"], NOON)} == {BERT, ONE}
    assert {feed.url for feed in feeds.claim_due(tx, NOON, NOON)} == {BERT, ONE}
    hosts.pause(tx, ONE, NOON + HOUR, NOON)
    hosts.pause(tx, ONE, NOON + 2 * HOUR, NOON)
    assert [feed.url for feed in hosts.due_feeds(tx, ["one.example"], NOON)] == [BERT]
    assert len(hosts.due_feeds(tx, ["one.example"], NOON + HOUR)) == 3
    assert len(hosts.due_feeds(tx, ["one.example"], NOON + 2 * HOUR)) == 4
    assert len(hosts.due_feeds(tx, ["one.example"], NOON - timedelta(days=60))) == 4  # a clock was wrong


def test_a_worker_that_was_taken_over_changes_nothing_that_others_have_written(database: Database) -> None:
    with database.write() as tx:
        follow(tx, ONE)
    claims = claim_hosts(database)
    fenced = FencedDatabase(database, claims)
    with fenced.write(ARRIVALS) as tx:
        put_off(tx, ONE)
    with database.write_work() as tx:
        (taken,) = work.claim(tx, NOON + HOUR, HOUR, holder="two", most={})
    with database.read() as tx:
        before = feeds.overview(tx, LOCAL_USER)
    with pytest.raises(LeaseLost), fenced.write(ARRIVALS) as tx:
        put_off(tx, ONE)
    with fenced.read() as tx:
        assert feeds.overview(tx, LOCAL_USER) == before
    with FencedDatabase(database, [taken]).write(ARRIVALS) as tx:
        put_off(tx, ONE)


def test_a_worker_writes_nothing_into_newer_tables(database: Database) -> None:
    with database.write() as tx:
        follow(tx, ONE)
    fenced = FencedDatabase(database, claim_hosts(database))
    with database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(UnknownSchema, match="9999"), fenced.write(LOCAL_USER) as tx:
        raise AssertionError("written")
    with database.write() as tx:  # other tests use the same
        tx.connection.exec_driver_sql("UPDATE alembic_version SET version_num = '" + REVISIONS[-1] + "'")


NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def test_a_file_is_believed_for_a_day(database: Database) -> None:
    with database.write() as tx:
        hosts.save_robots_file(tx, "https://a.example:443", b"rules", NOW)
        hosts.save_robots_file(tx, "https://b.example:443", b"", NOW)
    with database.read() as tx:
        assert hosts.robots_file(tx, "https://a.example:443", NOW) == b"rules"
        assert hosts.robots_file(tx, "https://b.example:443", NOW + timedelta(hours=23)) == b""
        assert hosts.robots_file(tx, "http://a.example:80", NOW) is None
        assert hosts.robots_file(tx, "https://a.example:443", NOW + timedelta(hours=24)) is None
        assert hosts.robots_file(tx, "https://a.example:443", NOW - timedelta(seconds=1)) is None


def test_saving_replaces_and_forgets_what_is_old(database: Database) -> None:
    later = NOW + timedelta(hours=25)
    with database.write() as tx:
        for site in ("a", "b"):
            hosts.save_robots_file(tx, site, b"old", NOW)
        hosts.save_robots_file(tx, "a", b"new", later)
        assert hosts.robots_file(tx, "a", later) == b"new"
        assert hosts.robots_file(tx, "b", NOW) is None
