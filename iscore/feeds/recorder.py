"""Stores the results of a poll in few and short transactions, while other feeds are fetched; and the poll's report."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from iscore.feeds import schedule
from iscore.feeds.archive import oldest_first
from iscore.feeds.http.outcomes import FailureKind, FetchFailed
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import without_password
from iscore.feeds.websub import pushes
from iscore.feeds.websub.pushes import NOTHING, HubNews
from storage.opening.database import ARRIVALS, Database
from storage.records.articles import NewArticle
from storage.records.feeds import Feed, FetchRecord, Stored
from storage.stream import feeds as stored_feeds
from storage.stream import hosts
from storage.stream.addresses import host_of

GROUP = 128
"""Store when this many feeds are ready."""
PAUSE = 0.2
"""Seconds after which a smaller group is stored too."""
MIN_UNREACHABLE = 3
"""If at least this many hosts are unreachable, and none has answered, the network is the cause and not the feeds."""


class Status(StrEnum):
    """The result of one feed."""

    CHANGED = "changed"
    """The bytes differ from the last time, which need not mean new articles."""
    UNCHANGED = "unchanged"
    FAILED = "failed"
    POSTPONED = "postponed"
    """Not fetched, and still due. Its host had stopped answering, or the poll ran out of time."""


@dataclass(frozen=True, slots=True)
class FeedOutcome:
    """The result of one feed."""

    feed_id: int
    url: str
    """Without user name and password."""
    title: str
    """The feed's own title, or its URL."""
    status: Status
    new: int = 0
    updated: int = 0
    dropped: int = 0
    """Oldest entries, left out because the document had too many."""
    error: str = ""
    """Why it failed or was postponed: one readable line; empty otherwise."""
    pages_fetched: int = 0
    """Pages of new articles that were fetched and read for their full text."""
    pages_failed: int = 0
    """Pages that were wanted and could not be read; the feed's text remains."""
    pages_problem: str = ""
    """Why, if any failed: one readable line."""
    moved_to: str = ""
    """The new URL, without password, if it has moved for good in this poll."""


@dataclass(frozen=True, slots=True)
class PollReport:
    """One poll."""

    outcomes: tuple[FeedOutcome, ...]
    """Results of every feed that was due, ordered by id."""
    cooling: int
    """Feeds that a forced poll left out because they had just been fetched."""
    seconds: float
    """From claiming the feeds to storing the last one, by the event loop's clock."""
    warnings: tuple[str, ...] = ()
    """About the whole poll, one readable line each."""

    def count(self, status: Status) -> int:
        """Number of feeds with this result."""
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def feeds(self) -> int:
        """Feeds that were due."""
        return len(self.outcomes)

    @property
    def changed(self) -> int:
        """Feeds whose bytes differ from the last time."""
        return self.count(Status.CHANGED)

    @property
    def unchanged(self) -> int:
        """Feeds that said "not modified" or sent the same bytes."""
        return self.count(Status.UNCHANGED)

    @property
    def failed(self) -> int:
        """Feeds whose attempt failed."""
        return self.count(Status.FAILED)

    @property
    def new_articles(self) -> int:
        """Articles stored for the first time."""
        return sum(outcome.new for outcome in self.outcomes)

    @property
    def updated_articles(self) -> int:
        """Known articles whose content had changed."""
        return sum(outcome.updated for outcome in self.outcomes)

    @property
    def pages_fetched(self) -> int:
        """Article pages that were fetched and read for their full text."""
        return sum(outcome.pages_fetched for outcome in self.outcomes)

    @property
    def pages_failed(self) -> int:
        """Article pages that were wanted and could not be read."""
        return sum(outcome.pages_failed for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One finished attempt to fetch a feed, not yet stored."""

    feed: Feed
    """As it was before the attempt."""
    at: datetime
    status: Status
    after: Feed | None = None
    """As it is after the attempt. None after a failure: whether it counts depends on whether other feeds answered."""
    failed: FetchFailed | None = None
    articles: tuple[NewArticle, ...] = ()
    dropped: int = 0
    pages_fetched: int = 0
    pages_failed: int = 0
    pages_problem: str = ""
    hub: HubNews = NOTHING


class Recorder:
    """Collects attempts and stores them in groups, in a thread, so that no fetch waits for the database's lock.

    ``run`` works until ``finish`` is called; a failing database ends it with a ``StorageError``. Failures to connect
    wait until a host has answered. If none of several hosts answers, this computer is offline, and the failures do not
    count.
    """

    def __init__(self, database: Database, settings: PollSettings) -> None:
        self._database = database
        self._settings = settings
        self._ready: list[Attempt] = []
        self._unreachable: list[Attempt] = []
        self._anything_answered = False
        self._offline = False
        self._finished = False
        self._wake = asyncio.Event()
        self.outcomes: list[FeedOutcome] = []
        """Results of all feeds that were stored, or postponed and released."""

    def add(self, attempt: Attempt) -> None:
        """Add an attempt to store."""
        kind = attempt.failed.kind if attempt.failed else None
        if kind is FailureKind.UNREACHABLE and not self._anything_answered:
            self._unreachable.append(attempt)
            return
        if kind is not FailureKind.POSTPONED and not self._anything_answered:
            self._anything_answered = True
            self._ready += self._unreachable
            self._unreachable = []
        self._ready.append(attempt)
        if len(self._ready) >= GROUP:
            self._wake.set()

    def finish(self) -> None:
        """End ``run`` once all attempts are stored. No more may be added."""
        self._offline = len({host_of(each.feed.url) for each in self._unreachable}) >= MIN_UNREACHABLE
        self._ready += self._unreachable
        self._unreachable = []
        self._finished = True
        self._wake.set()

    async def run(self) -> None:
        """Store attempts until all are stored."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="record") as thread:
            while self._ready or not self._finished:
                if not self._finished:
                    await self._pause()
                group, self._ready = self._ready, []
                if group:
                    self.outcomes += await loop.run_in_executor(thread, self._store, group)

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(PAUSE):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    def _store(self, group: Sequence[Attempt]) -> list[FeedOutcome]:
        postponed = [attempt for attempt in group if attempt.status is Status.POSTPONED]
        others = [attempt for attempt in group if attempt.status is not Status.POSTPONED]
        records = [FetchRecord(self._after(attempt), oldest_first(attempt.articles), attempt.at) for attempt in others]
        with self._database.write(ARRIVALS) as tx:
            answers = stored_feeds.record(tx, records) if records else []
            for attempt, answer in zip(others, answers, strict=True):
                pushes.record(tx, attempt.feed.id, attempt.hub, answer, attempt.at)
            for attempt in others:
                if attempt.failed is not None and attempt.failed.wants_pause:
                    until = attempt.at + schedule.retry_after(attempt.failed.retry_after, attempt.at)
                    hosts.pause(tx, attempt.feed.url, until, attempt.at)
            if postponed:
                stored_feeds.release(tx, [attempt.feed.id for attempt in postponed])
        recorded = [
            _outcome(attempt, record.feed, stored)
            for attempt, record, stored in zip(others, records, answers, strict=True)
        ]
        return recorded + [_outcome(attempt, attempt.feed, Stored(0, 0)) for attempt in postponed]

    def _after(self, attempt: Attempt) -> Feed:
        if attempt.after is not None:
            return attempt.after
        assert attempt.failed is not None  # noqa: S101 -- an attempt without a new state is a failed one
        if self._offline and attempt.failed.kind is FailureKind.UNREACHABLE:
            return schedule.after_no_network(attempt.feed, attempt.failed, now=attempt.at, settings=self._settings)
        return schedule.after_failure(attempt.feed, attempt.failed, now=attempt.at, settings=self._settings)


def _outcome(attempt: Attempt, feed: Feed, stored: Stored) -> FeedOutcome:
    error = attempt.failed.reason if attempt.status is Status.POSTPONED and attempt.failed else feed.error
    return FeedOutcome(
        feed_id=feed.id,
        url=without_password(feed.url),
        title=feed.title or without_password(feed.url),
        status=attempt.status,
        new=stored.added,
        updated=stored.updated,
        dropped=attempt.dropped,
        error=error if attempt.status in (Status.FAILED, Status.POSTPONED) else "",
        pages_fetched=attempt.pages_fetched,
        pages_failed=attempt.pages_failed,
        pages_problem=attempt.pages_problem,
        moved_to=without_password(feed.url) if feed.url != attempt.feed.url else "",
    )


def truncation_warnings(outcomes: Iterable[FeedOutcome], max_entries: int) -> Iterator[str]:
    """Warn about feeds whose dropped entries may have been new: all ``max_entries`` that were kept are new."""
    for outcome in outcomes:
        if outcome.dropped and outcome.new >= max_entries:
            yield (
                f"{outcome.title}: of {max_entries + outcome.dropped:,} entries the newest {max_entries:,} were taken "
                f"(`max_entries` in config.toml)"
            )
