"""Asks sites which pages programs may fetch, by their robots.txt (RFC 9309), which is fetched when first needed.

    page's URL ─► its site's robots.txt, fetched once a day ─► rules, read in a parser process ─► Permission

A missing file (4xx) allows everything. A server that fails, is overloaded (429) or cannot be reached allows nothing for
now, and so does a file that cannot be read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Protocol

from iscore.feeds.errors import FeedError
from iscore.feeds.http.fetch import ROBOTS, Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.parsing.jobs import Permission, RobotsJob
from iscore.feeds.urls import origin
from storage.engine.errors import StorageError
from storage.opening.database import ARRIVALS, Database
from storage.stream import hosts

MAX_FILES = 32
"""Files in memory, of at most 512 kB each."""


class RulesReader(Protocol):
    """The part of ``ParserPool`` that this module needs."""

    async def permission(self, job: RobotsJob) -> Permission:
        """Evaluate a robots.txt. Raises ``FeedError`` when that fails."""


class RobotsCache:
    """Keeps the robots.txt files of sites (scheme, host and port) in the database for a day."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def get(self, site: str) -> bytes | None:
        """Return a site's file, empty if it had none; None when it must be fetched. Raises ``StorageError``."""
        with self._database.read() as tx:
            return hosts.robots_file(tx, site, self._clock())

    async def put(self, site: str, body: bytes) -> None:
        """Store a file in a thread, since the database may be locked for a while. A failure is ignored: the code that
        stores articles will report it."""
        await asyncio.to_thread(self._save, site, body)

    def _save(self, site: str, body: bytes) -> None:
        with suppress(StorageError), self._database.write(ARRIVALS) as tx:
            hosts.save_robots_file(tx, site, body, self._clock())


class Robots:
    """Evaluates the robots.txt files of all sites of one poll."""

    def __init__(self, fetcher: Fetcher, reader: RulesReader, cache: RobotsCache, user_agent: str) -> None:
        """``user_agent``: the whole header. Its first word selects the rules."""
        self._fetcher = fetcher
        self._reader = reader
        self._cache = cache
        self._agent = user_agent.partition(" ")[0]
        self._files: dict[str, bytes] = {}
        """The last ``MAX_FILES`` files; older ones are in the cache."""
        self._refusals: dict[str, str] = {}
        """By site: why nothing of it may be fetched in this poll."""
        self._locks: dict[str, asyncio.Lock] = {}

    async def permission(self, url: str) -> Permission:
        """Tell whether a checked ``url`` may be fetched. Problems of the network or the file raise nothing."""
        scheme, host, port = origin(url)
        site = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        async with self._locks.setdefault(site, asyncio.Lock()):
            if site not in self._files and site not in self._refusals:
                await self._load(site)
        if site in self._refusals:
            return Permission(self._refusals[site])
        body = self._files[site]
        if not body:
            return Permission()
        try:
            return await self._reader.permission(RobotsJob(body, self._agent, url))
        except FeedError as error:
            return Permission(str(error))

    async def _load(self, site: str) -> None:
        body = self._cache.get(site)
        if body is None:
            async with self._fetcher.fetch(f"{site}/robots.txt", accepted=ROBOTS) as answer:
                body = _body(answer)
            if body is None and isinstance(answer, FetchFailed):
                self._refusals[site] = f"cannot get the site's robots.txt: {answer.reason}"
                return
            await self._cache.put(site, body or b"")
        while len(self._files) >= MAX_FILES:
            del self._files[next(iter(self._files))]
        self._files[site] = body or b""


def _body(answer: Fetched | FetchFailed) -> bytes | None:
    """Return the file, empty if the site has none; None if that is unknown."""
    if isinstance(answer, Fetched):
        return answer.body or b""
    if answer.kind is FailureKind.STATUS and (answer.status or 500) < 500 and answer.status != 429:
        return b""
    return None
