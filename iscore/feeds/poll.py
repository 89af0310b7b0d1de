"""One round of polling.

    what is due (leased) ─► fetch ─► same bytes? ─► parse in a child ─► full text? ─► when again? ─► store, in groups
        storage.feeds      fetch.py                 ▲ parser_pool.py   fulltext.py    schedule.py      recorder.py
                                                    └ or later, in slow_lane.py

This calls things and decides little: when to ask again is ``schedule``'s, what an article is the parser's. No
write lock is held while anything here waits for the network or a parser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from aiohttp.abc import AbstractResolver

from iscore.feeds import fulltext, schedule
from iscore.feeds.errors import FeedError, LeftOutError, TurnOverError
from iscore.feeds.fulltext import FullText, PageReader
from iscore.feeds.http.address import shown
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import FailureKind, FetchFailed
from iscore.feeds.http.robots import Robots
from iscore.feeds.http.robots_cache import RobotsCache
from iscore.feeds.parsing.parsed_feed import ParsedFeed, ParseJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll_report import PollReport, Status, too_long
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.recorder import Attempt, Recorder
from iscore.feeds.slow_lane import SlowLane, SlowParser
from storage import articles as stored_articles
from storage import feeds as stored_feeds
from storage.database import Database
from storage.errors import StorageError
from storage.records import Feed

LEASE_MARGIN = timedelta(minutes=1)
"""For storing what came last."""


class Parser(PageReader, SlowParser, Protocol):
    """What polling needs of ``ParserPool``."""

    async def parse_quickly(self, job: ParseJob) -> ParsedFeed:
        """Read a document. Raises ``TurnOverError`` when that takes long, ``FeedError`` when it cannot be done."""


Progress = Callable[[int, int, str], None]
"""Called with feeds done, feeds in all, and the feed just done, or what of it."""


async def poll(
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    *,
    pool: Parser | None = None,
    force: bool = False,
    progress: Progress | None = None,
    resolver: AbstractResolver | None = None,
) -> PollReport:
    """Ask every feed that is due, once, and store what is new. ``force``: every feed, but none that was asked
    within ``settings.refresh_cooldown``.

    ``pool`` parses; without one, a pool is made for this round. ``resolver`` replaces the system's. A failing
    feed is a value in the report. Raises ``StorageError`` when the database fails; then, and when it is
    cancelled, the feeds that were not stored are given back as they were, and are still due.
    """
    began = asyncio.get_running_loop().time()
    feeds, cooling = _claim(database, settings, clock(), force)
    recorder = Recorder(database, settings)
    warnings: tuple[str, ...] = ()
    try:
        if feeds:
            async with AsyncExitStack() as stack:
                if pool is None:
                    own = ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout)
                    pool = await stack.enter_async_context(own)
                fetcher = await stack.enter_async_context(Fetcher(settings, resolver=resolver))
                lane = SlowLane(pool, [feed.id for feed in feeds], settings.parse_timeout)
                round_ = _Round(fetcher, pool, lane, settings, clock)
                if any(feed.fulltext for feed in feeds):
                    if fulltext.is_installed():
                        robots = Robots(fetcher, pool, RobotsCache(database, clock), settings.user_agent)
                        closes_at = began + _limit(settings) - settings.parse_timeout  # time to store what came
                        round_.fulltext = FullText(fetcher, pool, settings, robots, _known(database), closes_at)
                    else:
                        warnings = (fulltext.MISSING,)
                await _work(round_, feeds, recorder, progress, _limit(settings))
    finally:
        done = {outcome.feed_id for outcome in recorder.outcomes}
        left = [feed.id for feed in feeds if feed.id not in done]
        if left:
            with suppress(StorageError), database.write() as tx:  # else the lease runs out by itself
                stored_feeds.release(tx, left)
    outcomes = tuple(sorted(recorder.outcomes, key=lambda outcome: outcome.feed_id))
    warnings += tuple(too_long(outcomes, settings.max_entries))
    return PollReport(outcomes, cooling, asyncio.get_running_loop().time() - began, warnings)


def _known(database: Database) -> Callable[[int, Sequence[str]], set[str]]:
    def known(feed_id: int, keys: Sequence[str]) -> set[str]:
        with database.read() as tx:
            return stored_articles.known(tx, feed_id, keys)

    return known


def _limit(settings: PollSettings) -> float:
    """Seconds after which a round ends, whatever still hangs: what was begun last may be fetched and parsed."""
    return settings.round_timeout + settings.fetch_timeout + 2 * settings.parse_timeout


def _claim(database: Database, settings: PollSettings, now: datetime, force: bool) -> tuple[list[Feed], int]:
    """Lease what is due; and how many feeds a forced round leaves out because they need to cool down."""
    lease = timedelta(seconds=_limit(settings)) + LEASE_MARGIN
    with database.write() as tx:
        claimed = stored_feeds.claim_due(tx, now, now + lease, force=force)
        if not force:
            return claimed, 0
        cooldown = timedelta(seconds=settings.refresh_cooldown)
        hot = [
            feed.id
            for feed in claimed
            if feed.last_attempt is not None and timedelta(0) <= now - feed.last_attempt < cooldown
        ]
        stored_feeds.release(tx, hot)
    left_out = set(hot)
    return [feed for feed in claimed if feed.id not in left_out], len(hot)


async def _work(
    round_: _Round, feeds: Sequence[Feed], recorder: Recorder, progress: Progress | None, limit: float
) -> None:
    """Attempt all feeds side by side while the recorder stores; end after ``limit`` seconds at the latest."""
    open_ = {feed.id: feed for feed in feeds}

    def tell(feed: Feed, more: str = "") -> None:
        if progress is not None:
            progress(len(feeds) - len(open_), len(feeds), more + (feed.title or shown(feed.url)))

    async def one(feed: Feed) -> None:
        recorder.add(await round_.attempt(feed, lambda done, pages: tell(feed, f"{done}/{pages} pages, ")))
        round_.lane.without(feed.id)
        del open_[feed.id]
        tell(feed)

    async def all_of_them() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(limit), asyncio.TaskGroup() as tasks:
                for feed in feeds:
                    tasks.create_task(one(feed))
        for feed in open_.values():
            recorder.add(round_.unfinished(feed))
        recorder.finish()

    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(recorder.run())
            tasks.create_task(all_of_them())
    except* StorageError as failures:
        raise _first(failures) from None


def _first(failures: BaseExceptionGroup[StorageError]) -> BaseException:
    failure: BaseException = failures
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


class _Round:
    """What all attempts of a round share."""

    def __init__(
        self, fetcher: Fetcher, pool: Parser, lane: SlowLane, settings: PollSettings, clock: Callable[[], datetime]
    ) -> None:
        self._fetcher = fetcher
        self._pool = pool
        self.lane = lane
        self._settings = settings
        self._clock = clock
        self.fulltext: FullText | None = None
        """Only in rounds in which a feed asks for it."""

    async def attempt(self, feed: Feed, told: Callable[[int, int], None]) -> Attempt:
        """Fetch and, if there is something new, parse one feed. What nobody foresaw fails this feed alone.

        ``told`` hears of its articles' pages, if there are any: done, and in all.
        """
        try:
            attempt = await self._attempt(feed)
            if self.fulltext is None or not feed.fulltext or not attempt.articles:
                return attempt
            pages = await self.fulltext.of(feed, attempt.articles, told)
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

    def unfinished(self, feed: Feed) -> Attempt:
        """What a feed's attempt comes to when the round ends before it."""
        failed = FetchFailed(FailureKind.POSTPONED, "not finished in this round; the next will try again")
        return _failed(feed, failed, self._clock())

    async def _attempt(self, feed: Feed) -> Attempt:
        async with self._fetcher.fetch(feed.url, etag=feed.etag, last_modified=feed.last_modified) as fetched:
            now = self._clock()
            if isinstance(fetched, FetchFailed):
                return _failed(feed, fetched, now)
            body_hash = None if fetched.body is None else sha256(fetched.body).digest()
            if body_hash is None or body_hash == feed.body_hash:
                after = schedule.after_unchanged(feed, fetched, now=now, settings=self._settings)
                return Attempt(feed, now, Status.UNCHANGED, after)
            job = ParseJob(
                body=fetched.body or b"",
                url=shown(fetched.final_url),
                content_type=fetched.content_type,
                now=now,
                seen=feed.items_seen,
                max_entries=self._settings.max_entries,
            )
            parsed: ParsedFeed | FetchFailed | None = None
            with suppress(TurnOverError):
                parsed = await _read(self._pool.parse_quickly(job))
        if parsed is None:  # and holds nothing any more that other fetches may wait for
            parsed = await _read(self.lane.parse(feed.id, job))
        if isinstance(parsed, FetchFailed):
            return _failed(feed, parsed, now)
        after = schedule.after_changed(feed, fetched, parsed, body_hash, now=now, settings=self._settings)
        return Attempt(feed, now, Status.CHANGED, after, None, parsed.entries, parsed.dropped)


async def _read(parsing: Awaitable[ParsedFeed]) -> ParsedFeed | FetchFailed:
    """What came of parsing. Raises ``TurnOverError``."""
    try:
        return await parsing
    except LeftOutError as error:
        return FetchFailed(FailureKind.POSTPONED, str(error))
    except FeedError as error:
        return FetchFailed(FailureKind.UNREADABLE, str(error))


def _failed(feed: Feed, failed: FetchFailed, now: datetime) -> Attempt:
    postponed = failed.kind is FailureKind.POSTPONED
    return Attempt(feed, now, Status.POSTPONED if postponed else Status.FAILED, None, failed)
