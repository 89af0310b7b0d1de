"""When to ask for a feed again, and what an attempt changes in what is known of it.

Pure functions: old feed + outcome + time → new feed. Nothing here reads a clock, asks a server or stores
anything.

The next attempt is due after the longest of: the interval that the feed's followers ask for, what the
publisher wishes (max-age less Age, Expires, ttl, Retry-After), the back-off after failures; plus a little, so
that feeds spread out; and not in hours and days that the publisher excludes. It is never due earlier than
``minimum_interval`` or later than ``LONGEST``. What a document says (ttl, hours, days) holds until another is
read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed, Freshness
from iscore.feeds.http.private_networks import is_private_literal
from iscore.feeds.parsing.jobs import ParsedFeed
from iscore.feeds.poll_settings import PollSettings
from storage.records import Feed

LONGEST = timedelta(days=31)
"""No feed is forgotten for longer than this, whatever its server says."""
LONGEST_WISH = timedelta(days=1)
"""More is not believed of max-age, Expires and ttl: they are often set without a thought of feeds."""
LONGEST_BACKOFF = timedelta(days=1)
"""After failures that may pass: timeouts, errors of the server, no network."""
LONGEST_REFUSAL = timedelta(days=7)
"""After answers that mean "you should not be here": 4xx and what is no feed."""
QUIET = timedelta(days=7)
"""A feed without validators that has not changed for so long is asked once a day: each time costs it the
whole document.
"""
MOVE_PERSISTS = timedelta(days=2)
"""A permanent redirect is believed when it has stood for so long."""
GONE_PERSISTS = timedelta(days=1)
"""410 is believed when it is repeated after so long."""

_ZERO = timedelta(0)
_LONGEST_TTL = LONGEST_WISH // timedelta(minutes=1)
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)


def after_unchanged(feed: Feed, fetched: Fetched, *, now: datetime, settings: PollSettings) -> Feed:
    """The feed answered, and nothing is new: "not modified", or the same bytes as before."""
    return _after_success(_not_ahead(feed, now), fetched, now, settings)


def after_changed(
    feed: Feed,
    fetched: Fetched,
    parsed: ParsedFeed,
    body_hash: bytes,
    *,
    now: datetime,
    settings: PollSettings,
) -> Feed:
    """The feed came with other bytes than before, and they could be read."""
    known = replace(
        _not_ahead(feed, now),
        title=parsed.title or feed.title,
        site_url=parsed.site_url or feed.site_url,
        body_hash=body_hash,
        items_seen=parsed.items_seen,
        last_change=now,
        ttl_minutes=None if parsed.ttl_minutes is None else max(0, min(parsed.ttl_minutes, _LONGEST_TTL)),
        skip_hours=parsed.skip_hours,
        skip_days=parsed.skip_days,
    )
    return _after_success(known, fetched, now, settings)


def after_failure(feed: Feed, failed: FetchFailed, *, now: datetime, settings: PollSettings) -> Feed:
    """The attempt failed. Validators and everything known of the content stay as they are."""
    feed = _not_ahead(feed, now)
    failures = feed.failures + 1
    interval = _interval(feed, settings)
    gone_since = (feed.gone_since or now) if failed.status == 410 else None
    longest = LONGEST_REFUSAL if _is_refusal(failed) else LONGEST_BACKOFF
    wait = max(interval, min(interval * 2 ** min(failures - 1, 16), longest))
    error = failed.reason
    if gone_since is not None:
        wait = max(wait, GONE_PERSISTS)
        if now - gone_since >= GONE_PERSISTS:
            wait = LONGEST
            error = f"gone for good, says its server since {gone_since:%Y-%m-%d}"
    wait = max(wait, _ttl(feed), retry_after(failed.retry_after, now))
    return replace(
        feed,
        last_attempt=now,
        failures=failures,
        error=error,
        gone_since=gone_since,
        next_due=_due(feed, now, wait, settings),
    )


def after_no_network(feed: Feed, *, now: datetime, settings: PollSettings) -> Feed:
    """Nobody at all could be reached: that is no fault of the feed's, and it is tried again soon."""
    return replace(
        feed,
        last_attempt=now,
        error="nothing could be reached; is this computer offline?",
        next_due=_outside(now + timedelta(seconds=settings.minimum_interval), feed),
    )


def fresh_for(freshness: Freshness, now: datetime) -> timedelta:
    """How long an answer stays fresh by its headers: max-age, else Expires, less its Age; zero when they say
    nothing.
    """
    found = _MAX_AGE.search(freshness.cache_control)
    if found:
        lifetime = timedelta(seconds=int(found[1]))
    else:
        expires = _http_date(freshness.expires)
        if expires is None:
            return _ZERO
        lifetime = expires - (_http_date(freshness.date) or now)
    if re.fullmatch(r"\d{1,9}", freshness.age.strip()):
        lifetime -= timedelta(seconds=int(freshness.age))
    return max(lifetime, _ZERO)


def retry_after(value: str, now: datetime) -> timedelta:
    """The wait that a Retry-After header asks for, in seconds or as a date; zero when it says nothing."""
    value = value.strip()
    if re.fullmatch(r"[0-9]+", value):
        return min(timedelta(seconds=int(value[:9])), LONGEST)
    date = _http_date(value)
    return _ZERO if date is None else max(date - now, _ZERO)


def _after_success(feed: Feed, fetched: Fetched, now: datetime, settings: PollSettings) -> Feed:
    not_modified = fetched.body is None
    etag = fetched.etag or (feed.etag if not_modified else None)
    last_modified = fetched.last_modified or (feed.last_modified if not_modified else None)
    wished = max(fresh_for(fetched.freshness, now), _ttl(feed))
    wait = max(_interval(feed, settings), min(wished, LONGEST_WISH))
    if not etag and not last_modified and feed.last_change is not None and now - feed.last_change >= QUIET:
        wait = max(wait, timedelta(days=1))
    return replace(
        _moved(feed, fetched, now),
        etag=etag,
        last_modified=last_modified,
        last_attempt=now,
        last_success=now,
        failures=0,
        error="",
        gone_since=None,
        next_due=_due(feed, now, wait, settings),
    )


def _not_ahead(feed: Feed, now: datetime) -> Feed:
    """What was written while the clock was ahead counts from now, else it would count for nothing until then."""

    def at_most_now(time: datetime | None) -> datetime | None:
        return None if time is None else min(time, now)

    return replace(
        feed,
        last_change=at_most_now(feed.last_change),
        gone_since=at_most_now(feed.gone_since),
        moved_since=at_most_now(feed.moved_since),
    )


def _moved(feed: Feed, fetched: Fetched, now: datetime) -> Feed:
    """Follow a permanent redirect for good once it has stood for days, and never into a private network."""
    target = fetched.moved_to
    if not target or target == feed.url or (is_private_literal(target) and not is_private_literal(feed.url)):
        return replace(feed, moved_to="", moved_since=None) if feed.moved_to else feed
    if target != feed.moved_to or feed.moved_since is None:
        return replace(feed, moved_to=target, moved_since=now)
    if now - feed.moved_since < MOVE_PERSISTS:
        return feed
    return replace(feed, url=target, moved_to="", moved_since=None)


def _interval(feed: Feed, settings: PollSettings) -> timedelta:
    return timedelta(seconds=max(feed.interval or settings.interval, settings.minimum_interval))


def _ttl(feed: Feed) -> timedelta:
    return timedelta(minutes=feed.ttl_minutes or 0)


def _is_refusal(failed: FetchFailed) -> bool:
    if failed.status is not None:
        return 400 <= failed.status < 500 and failed.status not in (408, 425, 429)
    return failed.kind in (FailureKind.UNREADABLE, FailureKind.REFUSED, FailureKind.TOO_LARGE)


def _due(feed: Feed, now: datetime, wait: timedelta, settings: PollSettings) -> datetime:
    due = now + wait + _jitter(feed.url, now, wait)
    due = _outside(due, feed)
    return min(max(due, now + timedelta(seconds=settings.minimum_interval)), now + LONGEST)


def _jitter(url: str, now: datetime, wait: timedelta) -> timedelta:
    """Up to a tenth of the wait, by hash, so that feeds asked together do not stay together."""
    draw = int.from_bytes(blake2b(f"{url} {now.timestamp()}".encode(), digest_size=4).digest()) / 2**32
    return min(wait / 10, timedelta(minutes=10)) * draw


def _outside(due: datetime, feed: Feed) -> datetime:
    """The first time from ``due`` on that the publisher does not exclude. Who excludes everything is not
    heard.
    """
    if not feed.skip_hours and not feed.skip_days:
        return due
    moment = due
    for _ in range(8 * 24):
        if moment.hour not in feed.skip_hours and moment.weekday() not in feed.skip_days:
            return moment
        moment = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return due


def _http_date(value: str) -> datetime | None:
    """A date as HTTP writes it, in UTC; None for everything else, "0" and "-1" among it."""
    try:
        date = parsedate_to_datetime(value)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
