"""Polls all feeds that are due, once.

    due feeds (leased) ─► fetch ─► same bytes? ─► parse in a child ─► full text? ─► next due time ─► store, in groups
        storage.stream.feeds     fetch.py                ▲ parser_pool.py   fulltext.py    schedule.py      recorder.py
                       └► or pushed by a hub ─────┤
                          websub/                 └ or later: slow_queue.py

This module calls others and decides little: ``schedule`` decides when to ask again, the parser what an article is. No
write lock is held while something here waits for the network or a parser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Protocol

from aiohttp.abc import AbstractResolver

from iscore.core.timings import Progress
from iscore.feeds import fulltext, schedule
from iscore.feeds.archive import mark_archive
from iscore.feeds.errors import FeedError, PostponedError, SlowDocumentError
from iscore.feeds.fulltext import FullText, PageReader
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import FailureKind, FetchFailed
from iscore.feeds.http.robots import Robots, RobotsCache
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.recorder import Attempt, PollReport, Recorder, Status, truncation_warnings
from iscore.feeds.slow_queue import SlowParser, SlowQueue
from iscore.feeds.urls import without_password
from iscore.feeds.websub.discovery import hub_of
from iscore.feeds.websub.pushes import HubNews, Pushes
from iscore.feeds.websub.requests import ask_hubs
from storage.engine.errors import StorageError
from storage.opening.database import ARRIVALS, Database
from storage.records.articles import Article, NewArticle
from storage.records.feeds import Feed, PushedDocument
from storage.stream import articles as stored_articles
from storage.stream import feeds as stored_feeds
from storage.stream import hosts as stored_hosts

LEASE_MARGIN = timedelta(minutes=1)
"""Time to store the last articles."""
CLAIMED_START = 30.0
"""Seconds in which requests to claimed hosts may begin. With the deadline of one fetch added, a host that hangs
occupies its worker for a minute. Its other feeds come in a later poll."""


@dataclass(frozen=True, slots=True)
class ClaimedHosts:
    """Hosts that the caller has claimed."""

    names: Sequence[str]
    are_held: Callable[[], bool]
    """Whether the claims are still valid. After they have ended, the hosts get no further requests."""


class Parser(PageReader, SlowParser, Protocol):
    """The part of ``ParserPool`` that a poll needs."""

    async def parse_quickly(self, job: FeedJob) -> ParsedFeed:
        """Parse a document. Raises ``SlowDocumentError`` if that takes long, ``FeedError`` if it fails."""


async def poll(
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    *,
    pool: Parser | None = None,
    force: bool = False,
    hosts: ClaimedHosts | None = None,
    progress: Progress | None = None,
    resolver: AbstractResolver | None = None,
) -> PollReport:
    """Fetch every feed that is due, once, and store what is new.

    ``force`` fetches every feed, except those fetched within ``settings.refresh_cooldown``. ``hosts`` limits the poll
    to feeds of these hosts. Unless forced, documents that hubs have pushed are read instead of fetching the feed.
    Afterwards hubs are asked to push. ``pool`` parses; without one, a pool is made for this poll. ``resolver`` replaces
    the system's.

    A failing feed is a value in the report. Raises ``StorageError`` if the database fails. Then, and if the poll is
    cancelled, the feeds that were not stored are released and stay due.
    """
    began, now = asyncio.get_running_loop().time(), clock()
    if hosts is None:
        feeds, cooling = _claim(database, settings, now, force)
    else:
        settings = replace(settings, start_timeout=min(settings.start_timeout, CLAIMED_START))
        feeds, cooling = _of_hosts(database, hosts.names, now), 0
    feeds.sort(key=lambda feed: _turn(feed, now))  # the order of requests to a host
    recorder = Recorder(database, settings)
    warnings: tuple[str, ...] = ()
    try:
        if feeds:
            async with AsyncExitStack() as stack:
                if pool is None:
                    own = ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout)
                    pool = await stack.enter_async_context(own)
                may_ask = hosts.are_held if hosts is not None else lambda: True
                fetcher = await stack.enter_async_context(Fetcher(settings, resolver=resolver, may_ask=may_ask))
                slow = SlowQueue(pool, [feed.id for feed in feeds], settings.parse_timeout)
                poller = _Poller(fetcher, pool, slow, settings, clock, Pushes(database, feeds, used=not force))
                if any(feed.fulltext for feed in feeds):
                    if fulltext.is_installed():
                        robots = Robots(fetcher, pool, RobotsCache(database, clock), settings.user_agent)
                        closes_at = began + _max_seconds(settings) - settings.parse_timeout  # time to store
                        known, newest = _known(database), _newest(database)
                        poller.fulltext = FullText(fetcher, pool, settings, robots, known, newest, closes_at)
                    else:
                        warnings = (fulltext.MISSING,)
                await _poll_all(poller, feeds, recorder, progress, _max_seconds(settings))
    finally:
        done = {outcome.feed_id for outcome in recorder.outcomes}
        left = [feed.id for feed in feeds if feed.id not in done]
        if left and hosts is None:
            with suppress(StorageError), database.write(ARRIVALS) as tx:  # else the lease expires
                stored_feeds.release(tx, left)
    await ask_hubs(database, settings, clock, resolver=resolver)
    outcomes = tuple(sorted(recorder.outcomes, key=lambda outcome: outcome.feed_id))
    warnings += tuple(truncation_warnings(outcomes, settings.max_entries))
    return PollReport(outcomes, cooling, asyncio.get_running_loop().time() - began, warnings)


def _known(database: Database) -> Callable[[int, Sequence[str]], set[str]]:
    def known(feed_id: int, keys: Sequence[str]) -> set[str]:
        with database.read() as tx:
            return stored_articles.known_keys(tx, feed_id, keys)

    return known


def _newest(database: Database) -> Callable[[int], Sequence[Article]]:
    def newest(feed_id: int) -> Sequence[Article]:
        with database.read() as tx:
            return stored_articles.newest(tx, feed_id, fulltext.COMPARED)

    return newest


def _max_seconds(settings: PollSettings) -> float:
    """Return the seconds after which a poll ends in any case: enough to fetch and parse the feeds that began last."""
    return settings.start_timeout + settings.fetch_timeout + 2 * settings.parse_timeout


def _claim(database: Database, settings: PollSettings, now: datetime, force: bool) -> tuple[list[Feed], int]:
    """Lease the feeds that are due. Also count those that a forced poll leaves out because they were just fetched."""
    lease = timedelta(seconds=_max_seconds(settings)) + LEASE_MARGIN
    with database.write(ARRIVALS) as tx:
        claimed = stored_feeds.claim_due(tx, now, now + lease, force=force)
        if not force:
            return claimed, 0
        cooldown = timedelta(seconds=settings.refresh_cooldown)
        cooling = {
            feed.id
            for feed in claimed
            if feed.last_attempt is not None and timedelta(0) <= now - feed.last_attempt < cooldown
        }
        stored_feeds.release(tx, sorted(cooling))
    return [feed for feed in claimed if feed.id not in cooling], len(cooling)


def _of_hosts(database: Database, hosts: Sequence[str], now: datetime) -> list[Feed]:
    """List the due feeds of claimed hosts; see ``storage.work.work``."""
    with database.write(ARRIVALS) as tx:  # a write, so that leases of other processes come before or after
        return stored_hosts.due_feeds(tx, hosts, now)


async def _poll_all(
    poller: _Poller, feeds: Sequence[Feed], recorder: Recorder, progress: Progress | None, seconds: float
) -> None:
    """Poll all feeds concurrently while the recorder stores; end within ``seconds``."""
    unfinished = {feed.id: feed for feed in feeds}

    def report(feed: Feed, part: str = "") -> None:
        if progress is not None:
            name = feed.title or without_password(feed.url)
            progress(len(feeds) - len(unfinished), len(feeds), part + name)

    async def one(feed: Feed) -> None:
        recorder.add(await poller.poll(feed, lambda done, pages: report(feed, f"{done}/{pages} pages, ")))
        poller.slow.feed_done(feed.id)
        del unfinished[feed.id]
        report(feed)

    async def all_feeds() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as tasks:
                for feed in feeds:
                    tasks.create_task(one(feed))
        for feed in unfinished.values():
            recorder.add(poller.postponed(feed))
        recorder.finish()

    if progress is not None:
        progress(0, len(feeds), "fetching")
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(recorder.run())
            tasks.create_task(all_feeds())
    except* StorageError as failures:
        raise _first(failures) from None


def _turn(feed: Feed, now: datetime) -> datetime:
    """Return the time by which to sort a feed: when it became due, or a day later if it fails.

    Feeds that were never asked come first. If a host has more due feeds than one poll can ask, each feed gets its turn
    in a later poll.
    """
    if feed.next_due is None:
        return datetime.min.replace(tzinfo=UTC)
    due = min(feed.next_due, now)  # a time in the future comes from a wrong clock
    return due + schedule.MAX_BACKOFF if feed.failures else due


def _first(failures: BaseExceptionGroup[StorageError]) -> BaseException:
    failure: BaseException = failures
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


class _Poller:
    """Polls single feeds, and holds what they share."""

    def __init__(
        self,
        fetcher: Fetcher,
        pool: Parser,
        slow: SlowQueue,
        settings: PollSettings,
        clock: Callable[[], datetime],
        pushes: Pushes,
    ) -> None:
        self._fetcher = fetcher
        self._pool = pool
        self.slow = slow
        self._settings = settings
        self._clock = clock
        self._pushes = pushes
        self.fulltext: FullText | None = None
        """Set only if a feed wants full texts."""

    async def poll(self, feed: Feed, page_progress: Callable[[int, int], None]) -> Attempt:
        """Fetch one feed; if it has changed, parse it and its pages. A bug makes only this feed fail."""
        try:
            attempt = await self._attempt(feed)
            if self.fulltext is None or not feed.fulltext or not attempt.articles:
                return attempt
            pages = await self.fulltext.read_pages(feed, attempt.articles, page_progress)
            return replace(
                attempt,
                articles=pages.articles,
                pages_fetched=pages.fetched,
                pages_failed=pages.failed,
                pages_problem=pages.problem,
            )
        except Exception as error:
            reason = f"unexpected {type(error).__name__}; please report this: {error}"
            return _failed(feed, FetchFailed(FailureKind.UNREADABLE, reason), self._clock())

    def postponed(self, feed: Feed) -> Attempt:
        """Return the attempt of a feed that was not finished when the poll ended."""
        failed = FetchFailed(FailureKind.POSTPONED, "not finished in this poll; the next one tries again")
        return _failed(feed, failed, self._clock())

    async def _attempt(self, feed: Feed) -> Attempt:
        waiting = self._pushes.documents(feed)
        if waiting and self._pushes.are_enough(feed):
            return await self._read_pushed(feed, waiting)
        attempt = await self._fetch(feed)
        if not waiting:
            return attempt
        return replace(attempt, hub=replace(attempt.hub, read=tuple(each.id for each in waiting), usual_due=None))

    async def _fetch(self, feed: Feed) -> Attempt:
        async with self._fetcher.fetch(
            feed.url, etag=feed.etag, last_modified=feed.last_modified, failed_before=feed.failures > 0
        ) as fetched:
            now = self._clock()
            if isinstance(fetched, FetchFailed):
                return _failed(feed, fetched, now)
            body_hash = None if fetched.body is None else sha256(fetched.body).digest()
            if body_hash is None or body_hash == feed.body_hash:
                after = schedule.after_unchanged(feed, fetched, now=now, settings=self._settings)
                return self._scheduled(Attempt(feed, now, Status.UNCHANGED, after))
            job = self._job(feed, fetched.body or b"", fetched.content_type, without_password(fetched.final_url), now)
            parsed: ParsedFeed | FetchFailed | None = None
            with suppress(SlowDocumentError):
                parsed = await _result(self._pool.parse_quickly(job))
        if parsed is None:  # now it no longer holds memory for which other fetches may wait
            parsed = await _result(self.slow.parse(feed.id, job))
        if isinstance(parsed, FetchFailed):
            return _failed(feed, parsed, now)
        after = schedule.after_changed(feed, fetched, parsed, body_hash, now=now, settings=self._settings)
        entries = mark_archive(parsed.entries, now, first_fetch=feed.last_success is None)
        attempt = Attempt(feed, now, Status.CHANGED, after, None, entries, parsed.dropped)
        if self._settings.websub_address:
            attempt = replace(attempt, hub=HubNews(found=True, hub=hub_of(feed.url, fetched, parsed, self._settings)))
        return self._scheduled(attempt)

    async def _read_pushed(self, feed: Feed, waiting: Sequence[PushedDocument]) -> Attempt:
        """Parse pushed documents as if they had been fetched. Documents that are not feeds are dropped."""
        now = self._clock()
        found: dict[str, NewArticle] = {}
        delivered, dropped = False, 0
        for each in waiting:
            job = self._job(feed, each.body, each.content_type, self._pushes.base(feed), now)
            try:
                parsed = await _result(self._pool.parse_quickly(job))
            except SlowDocumentError:
                parsed = await _result(self.slow.parse(feed.id, job))
            if isinstance(parsed, FetchFailed):
                if parsed.kind is FailureKind.POSTPONED:
                    return _failed(feed, parsed, now)
                continue
            delivered, dropped = True, dropped + parsed.dropped
            found |= {entry.key: entry for entry in mark_archive(parsed.entries, now, first_fetch=False)}
        until = self._pushes.until(feed, now)
        after = schedule.after_pushed(feed, until, changed=bool(found), now=now, settings=self._settings)
        news = HubNews(read=tuple(each.id for each in waiting), delivered=delivered)
        status = Status.CHANGED if found else Status.UNCHANGED
        return Attempt(feed, now, status, after, None, tuple(found.values()), dropped, hub=news)

    def _job(self, feed: Feed, body: bytes, content_type: str, url: str, now: datetime) -> FeedJob:
        seen, most = feed.items_seen, self._settings.max_entries
        return FeedJob(body=body, url=url, content_type=content_type, now=now, seen=seen, max_entries=most)

    def _scheduled(self, attempt: Attempt) -> Attempt:
        """Return the attempt. While a hub pushes the feed, it is due a day later."""
        until = self._pushes.until(attempt.feed, attempt.at)
        if until is None or attempt.after is None:
            return attempt
        hub = replace(attempt.hub, usual_due=attempt.after.next_due)
        return replace(attempt, after=schedule.while_pushed(attempt.after, until, attempt.at), hub=hub)


async def _result(parsing: Awaitable[ParsedFeed]) -> ParsedFeed | FetchFailed:
    """Return the result of parsing. Raises ``SlowDocumentError``."""
    try:
        return await parsing
    except PostponedError as error:
        return FetchFailed(FailureKind.POSTPONED, str(error))
    except FeedError as error:
        return FetchFailed(FailureKind.UNREADABLE, str(error))


def _failed(feed: Feed, failed: FetchFailed, now: datetime) -> Attempt:
    postponed = failed.kind is FailureKind.POSTPONED
    return Attempt(feed, now, Status.POSTPONED if postponed else Status.FAILED, None, failed)
