"""What is reported of a feed that fails, has moved or is gone, and when a feed seems not worth following."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from iscore.core.statistics import hint, upper_share
from iscore.feeds.subscriptions.health import DEAD_AFTER, ENOUGH_FAILURES, Health, State, health, per_week
from iscore.feeds.urls import url_key
from storage.records.feeds import Feed, FeedArrivals, Subscription

NOW = datetime(2026, 3, 30, 12, tzinfo=UTC)
URL = "https://feed.example/rss"
WISH = Subscription(URL)
FEED = Feed(
    id=1, url=URL, title="News", site_url="https://feed.example/", interval=None, fulltext=False, etag=None,
    last_modified=None, body_hash=None, items_seen=b"", next_due=NOW + timedelta(hours=1), last_attempt=NOW,
    last_success=NOW, last_change=NOW, failures=0, error="", gone_since=None, moved_to="", moved_since=None,
    ttl_minutes=None, skip_hours=(), skip_days=(),
)  # fmt: skip
ARRIVED = FeedArrivals(NOW - timedelta(days=90), NOW - timedelta(days=1), 8)


def judged(
    feed: Feed = FEED, wish: Subscription = WISH, arrived: FeedArrivals | None = ARRIVED, *others: str
) -> Health:
    return health(wish, feed, arrived, {url_key(url) for url in (wish.url, *others)}, NOW)


def failing(days: float, failures: int = ENOUGH_FAILURES) -> Feed:
    return replace(FEED, error="no answer", failures=failures, last_success=NOW - timedelta(days=days))


def test_a_feed_that_works_needs_nothing() -> None:
    assert judged() == Health(State.WELL)


def test_a_feed_is_dead_after_two_weeks_of_nothing_but_failures() -> None:
    days = DEAD_AFTER / timedelta(days=1)
    assert judged(failing(days - 0.1)).state == State.FAILING
    assert judged(failing(days, ENOUGH_FAILURES - 1)).state == State.FAILING
    dead = judged(failing(days))
    assert dead.state == State.DEAD
    assert f"`iscore feeds add {FEED.site_url}`" in dead.advice
    assert f"`iscore feeds remove {URL}`" in dead.advice


def test_a_feed_that_never_worked_is_dead_after_enough_failures() -> None:
    never = replace(failing(0), last_success=None, site_url="")
    assert judged(never, WISH, None).state == State.DEAD
    assert judged(replace(never, failures=ENOUGH_FAILURES - 1), WISH, None).state == State.FAILING
    assert "feeds add" not in judged(never, WISH, None).advice


def test_gone_goes_before_failing_and_tells_how_to_leave_it() -> None:
    gone = judged(replace(failing(0, 1), gone_since=NOW))
    assert gone.state == State.GONE
    assert gone.advice == f"`iscore feeds remove {URL}` stops following it"


@pytest.mark.parametrize(
    "feed", [replace(FEED, url="https://new.example/f"), replace(FEED, moved_to="https://new.example/f")]
)
def test_a_moved_feed_has_its_new_url(feed: Feed) -> None:
    moved = judged(feed)
    assert (moved.state, moved.moved_to) == (State.MOVED, "https://new.example/f")
    assert "feeds.yaml" in moved.advice
    double = judged(feed, WISH, ARRIVED, "https://NEW.example/f")
    assert "you already follow the new address" in double.advice
    assert judged(replace(feed, error="no answer", failures=1)).state == State.FAILING


def test_a_feed_without_news_is_silent() -> None:
    quiet = judged(FEED, WISH, replace(ARRIVED, newest=NOW - timedelta(days=180)))
    assert quiet.state == State.SILENT
    assert "180 days" in quiet.advice
    assert judged(FEED, WISH, replace(ARRIVED, newest=NOW - timedelta(days=179))).state == State.WELL


def test_what_is_switched_off_or_new_is_no_trouble() -> None:
    assert judged(failing(99), replace(WISH, enabled=False)).state == State.OFF
    assert judged(replace(FEED, last_attempt=None), WISH, None).state == State.NEW


def test_advice_can_be_pasted_into_a_shell_and_tells_no_password() -> None:
    hostile = replace(WISH, url="https://me:secret@x.example/$(reboot)?a=1&b=2;c")
    advice = judged(replace(FEED, url=hostile.url, gone_since=NOW, error="gone"), hostile).advice
    assert advice.startswith("`iscore feeds remove 'https://x.example/$(reboot)?a=1&b=2;c'`")
    assert "secret" not in advice


def test_the_pace_leaves_the_first_poll_out() -> None:
    assert per_week(None, NOW) is None
    assert per_week(replace(ARRIVED, first=NOW - timedelta(days=6)), NOW) is None
    assert per_week(FeedArrivals(NOW - timedelta(days=14), NOW, 6), NOW) == 3.0
    assert per_week(FeedArrivals(NOW - timedelta(days=300), NOW, 6), NOW) == 1.5


# Worth


def test_the_interval_is_wilson_s() -> None:
    # Worked by hand for 2 of 20: (2 + 1.9208 + 1.96 √(2·18/20 + 0.9604)) / 23.8416.
    assert upper_share(2, 20) == pytest.approx((3.9208 + 1.96 * 2.7604**0.5) / 23.8416)
    assert upper_share(0, 20) == pytest.approx(3.8416 / 23.8416)
    assert upper_share(0, 0) == upper_share(20, 20) == 1.0


def test_a_hint_needs_evidence() -> None:
    assert hint(0, 11, 50, 100) == ""  # 26 % would not be surprising
    assert hint(0, 12, 50, 100) == "you like 0 of 12 here, and 50 % elsewhere"
    assert hint(3, 12, 50, 100) == ""
    assert hint(5, 100, 20, 100) == ""  # up to 11 %, more than half of 20 %
    assert hint(3, 100, 20, 100)
    assert hint(0, 100, 0, 100) == ""  # who likes nothing says nothing of this feed
    assert hint(0, 100, 9, 19) == ""
    assert hint(0, 0, 50, 100) == ""
