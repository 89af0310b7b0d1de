"""Decides when to fetch a feed again, and how an attempt changes its state.

Pure functions: old feed + outcome + time → new feed. Nothing here reads a clock, asks a server or stores
anything.

The next attempt is due after the longest of these: the interval that the user sets, the publisher's hints (max-age
minus Age, Expires, ttl, Retry-After), and the back-off after failures. A little is added, so that feeds spread out.
Hours and days that the publisher excludes are skipped. It is never due earlier than ``minimum_interval`` or later than
``MAX_WAIT``. Hints in a document (ttl, hours, days) apply until another document is parsed.
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
from storage.records.feeds import Feed

MAX_WAIT = timedelta(days=31)
"""Upper limit of all waits, whatever the server asks for."""
MAX_HINT = timedelta(days=1)
"""Upper limit of max-age, Expires and ttl, which are often set without feeds in mind."""
MAX_BACKOFF = timedelta(days=1)
"""After temporary failures: timeouts, server errors, no network."""
MAX_REFUSED_BACKOFF = timedelta(days=7)
"""After refusals: 4xx, and documents that are not feeds."""
QUIET = timedelta(days=7)
"""A feed without validators, unchanged for this long, is fetched once a day: each time it sends the whole document."""
MOVED_AFTER = timedelta(days=2)
"""A permanent redirect that has lasted this long replaces the feed's URL."""
PUSHED = timedelta(days=1)
"""Between two polls of a feed that is pushed by a hub."""
GONE_AFTER = timedelta(days=1)
"""410 is final if it is repeated after this time."""

_ZERO = timedelta(0)
_MAX_TTL = MAX_HINT // timedelta(minutes=1)
_MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)


def after_unchanged(feed: Feed, fetched: Fetched, *, now: datetime, settings: PollSettings) -> Feed:
    """Return the feed after an answer without changes: "not modified", or the same bytes as before."""
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
    """Return the feed after an answer with new bytes that could be parsed."""
    known = replace(
        _not_ahead(feed, now),
        title=parsed.title or feed.title,
        site_url=parsed.site_url or feed.site_url,
        icon=parsed.icon,
        body_hash=body_hash,
        items_seen=parsed.items_seen,
        last_change=now,
        ttl_minutes=None if parsed.ttl_minutes is None else max(0, min(parsed.ttl_minutes, _MAX_TTL)),
        skip_hours=parsed.skip_hours,
        skip_days=parsed.skip_days,
    )
    return _after_success(known, fetched, now, settings)


def while_pushed(feed: Feed, until: datetime, now: datetime) -> Feed:
    """Return the feed after a poll, with the next poll a day later, or at ``until``, when the hub is asked again."""
    later = min(now + PUSHED, until)
    return feed if feed.next_due is None or feed.next_due >= later else replace(feed, next_due=later)


def after_pushed(feed: Feed, until: datetime | None, *, changed: bool, now: datetime, settings: PollSettings) -> Feed:
    """Return the feed after a hub has pushed contents of it, which does not say when to poll it.

    ``until``: as in ``while_pushed``; None if it is polled as usual. ``changed``: whether something was new.
    """
    feed = _not_ahead(feed, now)
    last = min(feed.last_attempt or now, now)
    wait = max(_interval(feed, settings), _ttl(feed))
    if feed.failures:  # the pause may have been longer, but not for a push
        wait = max(wait, MAX_WAIT if feed.gone_since is not None else MAX_BACKOFF)
    usual = _due(feed, last, wait, settings)
    known = replace(feed, last_change=now if changed else feed.last_change, next_due=usual)
    known = known if until is None else while_pushed(known, until, last)
    soonest = now + timedelta(seconds=settings.minimum_interval)
    return replace(known, next_due=max(known.next_due or soonest, soonest))


def after_failure(feed: Feed, failed: FetchFailed, *, now: datetime, settings: PollSettings) -> Feed:
    """Return the feed after a failure. Validators and all that is known about the content stay unchanged."""
    feed = _not_ahead(feed, now)
    failures = feed.failures + 1
    interval = _interval(feed, settings)
    gone_since = (feed.gone_since or now) if failed.status == 410 else None
    longest = MAX_REFUSED_BACKOFF if _is_refusal(failed) else MAX_BACKOFF
    wait = max(interval, min(interval * 2 ** min(failures - 1, 16), longest))
    error = failed.reason
    if gone_since is not None:
        wait = max(wait, GONE_AFTER)
        if now - gone_since >= GONE_AFTER:
            wait = MAX_WAIT
            error = f"gone for good according to its server, since {gone_since:%Y-%m-%d}"
    wait = max(wait, _ttl(feed), retry_after(failed.retry_after, now))
    return replace(
        feed,
        last_attempt=now,
        failures=failures,
        error=error,
        gone_since=gone_since,
        next_due=_due(feed, now, wait, settings),
    )


def after_no_network(feed: Feed, failed: FetchFailed, *, now: datetime, settings: PollSettings) -> Feed:
    """Return the feed after a poll that reached no server. That is not the feed's fault, and it is tried again soon."""
    return replace(
        feed,
        last_attempt=now,
        error=f"cannot reach anything ({failed.reason}); is this computer offline?",
        next_due=_outside(now + timedelta(seconds=settings.minimum_interval), feed),
    )


def fresh_for(freshness: Freshness, now: datetime) -> timedelta:
    """Return how long an answer stays fresh by its headers: max-age or else Expires, minus Age; zero without them."""
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
    """Return the wait that a Retry-After header asks for, in seconds or as a date; zero without one."""
    value = value.strip()
    if re.fullmatch(r"[0-9]+", value):
        return min(timedelta(seconds=int(value[:9])), MAX_WAIT)
    date = _http_date(value)
    return _ZERO if date is None else max(date - now, _ZERO)


def _after_success(feed: Feed, fetched: Fetched, now: datetime, settings: PollSettings) -> Feed:
    not_modified = fetched.body is None
    etag = fetched.etag or (feed.etag if not_modified else None)
    last_modified = fetched.last_modified or (feed.last_modified if not_modified else None)
    hint = max(fresh_for(fetched.freshness, now), _ttl(feed))
    wait = max(_interval(feed, settings), min(hint, MAX_HINT))
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
    """Replace times in the future by now. They were stored while the clock was ahead, and would have no effect yet."""

    def at_most_now(time: datetime | None) -> datetime | None:
        return None if time is None else min(time, now)

    return replace(
        feed,
        last_change=at_most_now(feed.last_change),
        gone_since=at_most_now(feed.gone_since),
        moved_since=at_most_now(feed.moved_since),
    )


def _moved(feed: Feed, fetched: Fetched, now: datetime) -> Feed:
    """Replace the URL once a permanent redirect has lasted for days; never by one in a private network."""
    target = fetched.moved_to
    if not target or target == feed.url or (is_private_literal(target) and not is_private_literal(feed.url)):
        return replace(feed, moved_to="", moved_since=None) if feed.moved_to else feed
    if target != feed.moved_to or feed.moved_since is None:
        return replace(feed, moved_to=target, moved_since=now)
    if now - feed.moved_since < MOVED_AFTER:
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
    return min(max(due, now + timedelta(seconds=settings.minimum_interval)), now + MAX_WAIT)


def _jitter(url: str, now: datetime, wait: timedelta) -> timedelta:
    """Return up to a tenth of the wait, by hash, so that feeds that were fetched together spread out."""
    draw = int.from_bytes(blake2b(f"{url} {now.timestamp()}".encode(), digest_size=4).digest()) / 2**32
    return min(wait / 10, timedelta(minutes=10)) * draw


def _outside(due: datetime, feed: Feed) -> datetime:
    """Return the first time from ``due`` on that the publisher does not exclude; ``due`` if all times are excluded."""
    if not feed.skip_hours and not feed.skip_days:
        return due
    moment = due
    for _ in range(8 * 24):
        if moment.hour not in feed.skip_hours and moment.weekday() not in feed.skip_days:
            return moment
        moment = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return due


def _http_date(value: str) -> datetime | None:
    """Return an HTTP date in UTC; None for anything else, such as "0" and "-1"."""
    try:
        date = parsedate_to_datetime(value)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
