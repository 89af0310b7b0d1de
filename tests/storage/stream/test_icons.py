"""Icons are kept once for all, asked for once a month, and shown to those who follow the feed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from storage.engine.base_database import Transaction
from storage.exchange import user_removal
from storage.people import users
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds, icons
from storage.stream.icons import LIFETIME
from tests.storage.conftest import NOON

ONE, TWO, THREE = (f"https://{name}.example/feed" for name in ("one", "two", "three"))
MONTH = LIFETIME


def follow(tx: Transaction, user: int, *urls: str, enabled: bool = True) -> list[int]:
    feeds.subscribe(tx, user, [Subscription(url, enabled=enabled) for url in urls])
    return [feed.id for _, feed in feeds.followed(tx, user)]


def polled(tx: Transaction, user: int, *, failures: int = 0) -> None:
    for _, feed in feeds.followed(tx, user):
        site, icon = f"https://{feed.id}.example", "https://cdn.example/i.png"
        after = replace(feed, last_success=NOON, failures=failures, site_url=site, icon=icon)
        feeds.record(tx, [FetchRecord(after, (), NOON)])


def due(tx: Transaction, now: datetime = NOON) -> list[int]:
    found = [each.feed_id for each in icons.due(tx, now, 9)]
    assert icons.are_due(tx, now) is bool(found)
    return found


def test_a_site_is_asked_once_a_month_whatever_came_of_it(tx: Transaction) -> None:
    one, two = follow(tx, LOCAL_USER, ONE, TWO)
    assert due(tx) == [], "they were never polled"
    polled(tx, LOCAL_USER, failures=1)
    assert due(tx) == [], "the network may be down"
    polled(tx, LOCAL_USER)
    assert due(tx) == [one, two]
    assert icons.due(tx, NOON, 1)[0].site_url == f"https://{one}.example"
    icons.record(tx, {one: b"picture", two: b""}, NOON)
    assert due(tx) == []
    assert due(tx, NOON + MONTH - timedelta(seconds=1)) == []
    assert due(tx, NOON + MONTH) == [one, two]
    assert due(tx, NOON - timedelta(hours=1)) == [one, two], "the clock was ahead"
    follow(tx, LOCAL_USER, TWO, enabled=False)
    assert due(tx, NOON + MONTH) == [], "nobody follows the one, the other is paused"


def test_what_is_found_stays_until_another_picture_is_found(tx: Transaction) -> None:
    one, two = follow(tx, LOCAL_USER, ONE, TWO)
    icons.record(tx, {one: b"picture", two: b""}, NOON)
    (key,) = icons.keys(tx, LOCAL_USER).values()
    assert icons.pictures(tx, LOCAL_USER) == {one: b"picture"}
    assert len(key) >= 22, "128 bits"
    icons.record(tx, {one: b"", two: b""}, NOON + MONTH)
    icons.record(tx, {one: b"picture", two: b""}, NOON + 2 * MONTH)
    assert icons.keys(tx, LOCAL_USER) == {one: key}
    icons.record(tx, {one: b"another"}, NOON + 3 * MONTH)
    (other,) = icons.keys(tx, LOCAL_USER).values()
    assert other != key
    assert (icons.with_key(tx, other), icons.with_key(tx, key), icons.with_key(tx, "")) == (b"another", b"", b"")


def test_only_who_follows_a_feed_has_its_icon(tx: Transaction) -> None:
    anna = users.add(tx, "Anna", 7).id
    one, two = follow(tx, LOCAL_USER, ONE, TWO)
    follow(tx, anna, TWO, THREE)
    icons.record(tx, {one: b"1", two: b"2"}, NOON)
    assert icons.pictures(tx, LOCAL_USER) == {one: b"1", two: b"2"}
    assert icons.pictures(tx, anna) == {two: b"2"}


def test_with_the_last_follower_who_is_removed_the_icon_goes(tx: Transaction) -> None:
    anna = users.add(tx, "Anna", 7).id
    one, two = follow(tx, anna, ONE, TWO)
    follow(tx, LOCAL_USER, TWO)
    icons.record(tx, {one: b"1", two: b"2"}, NOON)
    keys = icons.keys(tx, anna)
    user_removal.remove_user(tx, anna)
    assert [icons.with_key(tx, keys[each]) for each in (one, two)] == [b"", b"2"]
