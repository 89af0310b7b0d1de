"""When a feed is asked again: tables of old state, outcome and new state. No clock, no network."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.feeds import schedule
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed, Freshness
from iscore.feeds.parsing.jobs import ParsedFeed
from iscore.feeds.poll_settings import PollSettings
from storage.records.feeds import Feed
from storage.stream import feed_rows

NOW = datetime(2026, 3, 2, 10, 30, tzinfo=UTC)  # a Monday
UNREACHABLE = FetchFailed(FailureKind.UNREACHABLE, "no such host")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SETTINGS = PollSettings()
URL = "https://a.example/feed"
NEW = Feed(
    id=1, url=URL, title="", site_url="", interval=None, fulltext=False, etag=None, last_modified=None, body_hash=None,
    items_seen=b"", next_due=None, last_attempt=None, last_success=None, last_change=None, failures=0, error="",
    gone_since=None, moved_to="", moved_since=None, ttl_minutes=None, skip_hours=(), skip_days=(),
)  # fmt: skip
KNOWN = replace(
    NEW, title="A", etag='"a"', last_modified="then", body_hash=b"h", items_seen=b"12345678", last_change=NOW
)


def answer(body: bytes | None = b"<rss>", moved_to: str = "", **headers: str) -> Fetched:
    etag, last_modified = headers.pop("etag", None), headers.pop("last_modified", None)
    return Fetched(body, "text/xml", etag, last_modified, Freshness(**headers), moved_to or URL, moved_to)


def document(**said: Any) -> ParsedFeed:
    fields: dict[str, Any] = {
        "title": "A", "site_url": "https://a.example/", "language": "en", "ttl_minutes": None, "skip_hours": (),
        "skip_days": (), "items_seen": b"abcdefgh", "entries": (), "total": 0, "dropped": 0,
    }  # fmt: skip
    return ParsedFeed(**fields | said)


def no(status: int | None = 500, kind: FailureKind = FailureKind.STATUS, retry_after: str = "") -> FetchFailed:
    return FetchFailed(kind, "no", status, retry_after)


def unchanged(feed: Feed, fetched: Fetched, now: datetime = NOW) -> Feed:
    return schedule.after_unchanged(feed, fetched, now=now, settings=SETTINGS)


def changed(feed: Feed, fetched: Fetched, parsed: ParsedFeed, now: datetime = NOW) -> Feed:
    return schedule.after_changed(feed, fetched, parsed, b"hash", now=now, settings=SETTINGS)


def failed(feed: Feed, failure: FetchFailed, now: datetime = NOW) -> Feed:
    return schedule.after_failure(feed, failure, now=now, settings=SETTINGS)


def wait(feed: Feed, now: datetime = NOW) -> timedelta:
    assert feed.next_due is not None
    return feed.next_due - now


def assert_about(actual: timedelta, expected: timedelta) -> None:
    """The jitter is at most a tenth and at most ten minutes."""
    assert expected <= actual <= expected + min(expected / 10, 10 * MINUTE)


@pytest.mark.parametrize(
    ("interval", "expected"), [(None, HOUR), (7200, 2 * HOUR), (300, 5 * MINUTE), (10, 5 * MINUTE)]
)
def test_the_interval_is_what_followers_ask_for_but_never_below_the_minimum(
    interval: int | None, expected: timedelta
) -> None:
    assert_about(wait(unchanged(replace(KNOWN, interval=interval), answer(etag='"a"'))), expected)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"cache_control": "public, max-age=7200"}, 2 * HOUR),
        ({"cache_control": "max-age=7200", "age": "1800"}, 1.5 * HOUR),
        ({"cache_control": "max-age=60"}, HOUR),
        ({"cache_control": "s-maxage=90000"}, HOUR),
        ({"cache_control": 'MAX-AGE="10800"'}, 3 * HOUR),
        ({"cache_control": "max-age=31536000"}, DAY),
        ({"cache_control": "max-age=-5, max-age=x"}, HOUR),
        ({"expires": "Mon, 02 Mar 2026 15:30:00 GMT"}, 5 * HOUR),
        ({"expires": "Mon, 02 Mar 2026 15:30:00 GMT", "date": "Mon, 02 Mar 2026 11:30:00 GMT"}, 4 * HOUR),
        ({"expires": "Mon, 02 Mar 2026 15:30:00 GMT", "cache_control": "max-age=10800"}, 3 * HOUR),
        ({"expires": "0"}, HOUR),
        ({"expires": "Thu, 99 Foo 10000"}, HOUR),
        ({"expires": "Fri, 01 Jan 2100 00:00:00 GMT"}, DAY),
    ],
)
def test_freshness_lengthens_the_wait_within_a_day(headers: dict[str, str], expected: timedelta) -> None:
    assert_about(wait(unchanged(KNOWN, answer(etag='"a"', **headers))), expected)


@pytest.mark.parametrize(("ttl", "expected"), [(None, HOUR), (30, HOUR), (180, 3 * HOUR), (10**9, DAY), (-4, HOUR)])
def test_ttl_lengthens_the_wait_within_a_day(ttl: int | None, expected: timedelta) -> None:
    assert_about(wait(changed(KNOWN, answer(etag='"b"'), document(ttl_minutes=ttl))), expected)


def test_hours_and_days_that_the_publisher_excludes_are_left_out() -> None:
    due = changed(KNOWN, answer(), document(skip_hours=(11, 12, 13))).next_due
    assert due == NOW.replace(hour=14, minute=0)
    due = changed(KNOWN, answer(), document(skip_days=(0, 1), skip_hours=(0,))).next_due
    assert due == datetime(2026, 3, 4, 1, 0, tzinfo=UTC)
    assert_about(wait(changed(KNOWN, answer(), document(skip_hours=tuple(range(24))))), HOUR)
    assert_about(wait(changed(KNOWN, answer(), document(skip_days=tuple(range(7))))), HOUR)


def test_what_a_document_wishes_holds_until_another_is_read() -> None:
    busy = changed(KNOWN, answer(etag='"a"'), document(ttl_minutes=200, skip_hours=(14,)))
    away = changed(KNOWN, answer(etag='"a"'), document(skip_days=(0,)))
    later = NOW + 10 * MINUTE
    for state, expected in ((busy, NOW.replace(hour=15, minute=0)), (away, datetime(2026, 3, 3, tzinfo=UTC))):
        for after in (
            unchanged(state, answer(None), later),
            unchanged(state, answer(etag='"a"'), later),
            failed(state, no(500), later),
            unchanged(failed(state, no(500), NOW), answer(None), later),
        ):
            assert after.next_due == expected
    offline = schedule.after_no_network(away, UNREACHABLE, now=later, settings=SETTINGS)
    assert offline.next_due == datetime(2026, 3, 3, tzinfo=UTC)
    silent = changed(busy, answer(etag='"b"'), document())
    assert_about(wait(silent), HOUR)
    assert (silent.ttl_minutes, silent.skip_hours, silent.skip_days) == (None, (), ())


@pytest.mark.parametrize(("ttl", "kept"), [(10**4000, 1440), (1440, 1440), (5, 5), (-(10**4000), 0), (None, None)])
def test_a_ttl_that_is_kept_fits_the_database(ttl: int | None, kept: int | None) -> None:
    assert changed(KNOWN, answer(), document(ttl_minutes=ttl)).ttl_minutes == kept


@pytest.mark.parametrize(
    ("failures", "expected"), [(0, HOUR), (1, 2 * HOUR), (2, 4 * HOUR), (4, 16 * HOUR), (5, DAY), (10_000, DAY)]
)
def test_failures_that_may_pass_back_off_to_a_day(failures: int, expected: timedelta) -> None:
    for failure in (no(500), no(503), no(429), no(408), no(None, FailureKind.TIMEOUT), no(None, FailureKind.BROKEN)):
        after = failed(replace(KNOWN, failures=failures), failure)
        assert_about(wait(after), expected)
        assert (after.failures, after.error) == (failures + 1, "no")


@pytest.mark.parametrize(("failures", "expected"), [(0, HOUR), (5, 32 * HOUR), (7, 128 * HOUR), (8, 7 * DAY)])
def test_answers_that_one_is_not_wanted_back_off_to_a_week(failures: int, expected: timedelta) -> None:
    for failure in (no(403), no(404), no(401), no(None, FailureKind.UNREADABLE), no(None, FailureKind.REFUSED)):
        assert_about(wait(failed(replace(KNOWN, failures=failures), failure)), expected)


def test_a_slow_interval_is_not_shortened_by_failing() -> None:
    assert_about(wait(failed(replace(KNOWN, interval=5 * 86_400), no(500))), 5 * DAY)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("60", HOUR),
        ("86400", DAY),
        (" 172800 ", 2 * DAY),
        ("999999999999999999", schedule.MAX_WAIT),
        ("Tue, 03 Mar 2026 10:30:00 GMT", DAY),
        ("Tue, 03 Mar 2020 10:30:00 GMT", HOUR),
        ("-5", HOUR),
        ("soon", HOUR),
        ("", HOUR),
    ],
)
def test_retry_after_is_obeyed_as_seconds_or_date(said: str, expected: timedelta) -> None:
    for code in (429, 503):
        actual = wait(failed(KNOWN, no(code, retry_after=said)))
        if expected == schedule.MAX_WAIT:
            assert actual == schedule.MAX_WAIT
        else:
            assert_about(actual, expected)


def test_a_failure_touches_nothing_but_the_attempt() -> None:
    after = failed(KNOWN, no(500))
    assert after == replace(KNOWN, last_attempt=NOW, failures=1, error="no", next_due=after.next_due, gone_since=None)


def test_success_clears_what_failures_left() -> None:
    troubled = replace(KNOWN, failures=9, error="no", gone_since=NOW - DAY)
    for after in (unchanged(troubled, answer(None)), changed(troubled, answer(), document())):
        assert (after.failures, after.error, after.gone_since) == (0, "", None)
        assert after.last_success == after.last_attempt == NOW


def test_validators_are_the_answers_own_and_not_modified_keeps_the_old_ones() -> None:
    kept = unchanged(KNOWN, answer(None))
    assert (kept.etag, kept.last_modified) == ('"a"', "then")
    renewed = unchanged(KNOWN, answer(None, etag='"b"'))
    assert (renewed.etag, renewed.last_modified) == ('"b"', "then")
    replaced = unchanged(KNOWN, answer(etag='"b"'))
    assert (replaced.etag, replaced.last_modified) == ('"b"', None)
    assert changed(KNOWN, answer(), document()).etag is None


def test_a_change_takes_over_what_the_document_says() -> None:
    after = changed(KNOWN, answer(), document(title="B", site_url=""), NOW + HOUR)
    assert (after.title, after.site_url, after.body_hash, after.items_seen) == ("B", "", b"hash", b"abcdefgh")
    assert after.last_change == NOW + HOUR
    assert changed(KNOWN, answer(), document(title="")).title == "A"
    assert unchanged(KNOWN, answer(None), NOW + HOUR).last_change == NOW


def test_without_validators_a_quiet_feed_is_asked_once_a_day() -> None:
    quiet = replace(KNOWN, last_change=NOW - 8 * DAY)
    assert_about(wait(unchanged(quiet, answer())), DAY)
    assert_about(wait(unchanged(quiet, answer(etag='"a"'))), HOUR)
    assert_about(wait(unchanged(replace(KNOWN, last_change=NOW - 6 * DAY), answer())), HOUR)


def test_410_is_believed_when_it_is_repeated_after_a_day_and_only_then() -> None:
    first = failed(KNOWN, no(410))
    assert first.gone_since == NOW
    assert first.error == "no"
    assert_about(wait(first), DAY)
    soon = failed(first, no(410), NOW + HOUR)
    assert (soon.gone_since, soon.error) == (NOW, "no")
    gone = failed(soon, no(410), NOW + DAY)
    assert "gone for good" in gone.error
    assert wait(gone, NOW + DAY) == schedule.MAX_WAIT
    assert failed(first, no(404), NOW + HOUR).gone_since is None


def test_a_permanent_redirect_is_followed_for_good_after_two_days() -> None:
    target = "https://b.example/feed"
    first = unchanged(KNOWN, answer(None, target))
    assert (first.url, first.moved_to, first.moved_since) == (URL, target, NOW)
    later = unchanged(first, answer(None, target), NOW + 2 * DAY - MINUTE)
    assert (later.url, later.moved_since) == (URL, NOW)
    moved = unchanged(later, answer(None, target), NOW + 2 * DAY)
    assert (moved.url, moved.moved_to, moved.moved_since) == (target, "", None)


def test_a_redirect_that_changes_stops_or_is_interrupted_starts_again() -> None:
    first = unchanged(KNOWN, answer(None, "https://b.example/"))
    other = unchanged(first, answer(None, "https://c.example/"), NOW + 3 * DAY)
    assert (other.url, other.moved_to, other.moved_since) == (URL, "https://c.example/", NOW + 3 * DAY)
    stopped = unchanged(first, answer(None), NOW + 3 * DAY)
    assert (stopped.url, stopped.moved_to, stopped.moved_since) == (URL, "", None)


def test_a_failure_says_nothing_about_a_redirect() -> None:
    first = unchanged(KNOWN, answer(None, "https://b.example/"))
    assert failed(first, no(500)).moved_since == NOW


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1/feed", "http://localhost/", "http://[fd00::1]/", "http://10.0.0.1/"]
)
def test_a_feed_never_moves_into_the_private_network(target: str) -> None:
    old = replace(KNOWN, moved_to=target, moved_since=NOW - 9 * DAY)
    after = unchanged(old, answer(None, target))
    assert (after.url, after.moved_to) == (URL, "")
    inside = replace(old, url="http://10.0.0.2/feed")
    assert unchanged(inside, answer(None, target)).url == target


def test_without_any_network_feeds_are_not_blamed() -> None:
    after = schedule.after_no_network(KNOWN, UNREACHABLE, now=NOW, settings=SETTINGS)
    assert after.failures == 0
    assert wait(after) == 5 * MINUTE
    assert after.error == "cannot reach anything (no such host); is this computer offline?"


def test_what_was_written_while_the_clock_was_ahead_counts_from_now() -> None:
    ahead, target = NOW + 365 * DAY, "https://b.example/feed"
    changed_then = unchanged(replace(KNOWN, last_change=ahead), answer())
    assert_about(wait(changed_then), HOUR)
    assert_about(wait(unchanged(changed_then, answer(), NOW + 7 * DAY), NOW + 7 * DAY), DAY)
    gone = failed(failed(KNOWN, no(410), ahead), no(410))
    assert gone.gone_since == NOW
    assert "gone for good" in failed(gone, no(410), NOW + DAY).error
    moved = unchanged(unchanged(KNOWN, answer(None, target), ahead), answer(None, target))
    assert (moved.url, moved.moved_since) == (URL, NOW)
    moved = changed(changed(KNOWN, answer(b"", target), document(), ahead), answer(b"", target), document())
    assert (moved.url, moved.moved_since) == (URL, NOW)
    assert unchanged(moved, answer(None, target), NOW + 2 * DAY).url == target


def test_no_wait_is_so_long_that_storage_does_not_believe_it() -> None:
    assert schedule.MAX_WAIT < feed_rows.LONGEST_WAIT


def test_feeds_asked_together_spread_out_and_the_draw_is_reproducible() -> None:
    dues = [unchanged(replace(KNOWN, url=f"{URL}{n}"), answer(None)).next_due for n in range(100)]
    assert len(set(dues)) == 100
    assert dues[0] == unchanged(replace(KNOWN, url=f"{URL}0"), answer(None)).next_due
    assert max(d for d in dues if d) - min(d for d in dues if d) > 4 * MINUTE


_words = st.one_of(st.sampled_from(["max-age=1e9", "Thu, 01 Jan 1970 00:00:00 GMT", "\udcff"]), st.text(max_size=30))


@given(
    interval=st.one_of(st.none(), st.integers(0, 10**9)),
    failures=st.integers(0, 10**6),
    words=st.lists(_words, min_size=5, max_size=5),
    ttl=st.one_of(st.none(), st.integers(-(10**12), 10**12)),
    hours=st.lists(st.integers(-5, 30), max_size=24),
    code=st.one_of(st.none(), st.integers(100, 599)),
    now=st.datetimes(datetime(1980, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 -- zones are drawn
)
def test_next_due_is_always_between_the_minimum_and_a_month(
    interval: int | None,
    failures: int,
    words: list[str],
    ttl: int | None,
    hours: list[int],
    code: int | None,
    now: datetime,
) -> None:
    feed = replace(KNOWN, interval=interval, failures=failures, last_change=now)
    fetched = answer(cache_control=words[0], age=words[1], expires=words[2], date=words[3])
    for after in (
        unchanged(feed, fetched, now),
        changed(feed, fetched, document(ttl_minutes=ttl, skip_hours=tuple(hours), skip_days=tuple(hours)), now),
        failed(feed, no(code, retry_after=words[4]), now),
    ):
        assert 5 * MINUTE <= wait(after, now) <= schedule.MAX_WAIT
