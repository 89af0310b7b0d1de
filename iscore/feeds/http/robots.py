"""What sites allow programs to fetch: their robots.txt, fetched when first needed (RFC 9309).

    page's address ─► its site's robots.txt, fetched once a day ─► rules, asked in a child ─► Permission

No file (4xx) allows everything. A server that fails, asks for patience (429) or cannot be reached allows nothing
for now, and neither does a file that cannot be read.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from iscore.feeds.errors import FeedError
from iscore.feeds.http.address import origin
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.media_types import ROBOTS
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.http.robots_cache import RobotsCache
from iscore.feeds.lru_cache import Kept
from iscore.feeds.page_jobs import Permission, RobotsJob

ROOM = 16_000_000
"""Bytes of robots.txt that are kept; real files have a few thousand each."""


class RulesReader(Protocol):
    """What is needed of ``ParserPool``."""

    async def permission(self, job: RobotsJob) -> Permission:
        """Ask a robots.txt. Raises ``FeedError`` when that cannot be done."""


class Robots:
    """The robots.txt of all sites of one round."""

    def __init__(self, fetcher: Fetcher, reader: RulesReader, cache: RobotsCache, user_agent: str) -> None:
        """``user_agent``: the whole header; rules are found by its first word."""
        self._fetcher = fetcher
        self._reader = reader
        self._cache = cache
        self._agent = user_agent.partition(" ")[0]
        self._files: Kept[str, bytes | str] = Kept(ROOM)
        self._locks: dict[str, asyncio.Lock] = {}

    async def permission(self, url: str) -> Permission:
        """Say whether ``url``, a checked address, may be asked for. Raises nothing for a cause outside."""
        found = await self._file(url)
        if isinstance(found, str):
            return Permission(found)
        if not found:
            return Permission()
        try:
            return await self._reader.permission(RobotsJob(found, self._agent, url))
        except FeedError as error:
            return Permission(str(error))

    async def _file(self, url: str) -> bytes | str:
        """The file of the page's site, empty if there is none; or why nothing may be asked for."""
        scheme, host, port = origin(url)
        site = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        async with self._locks.setdefault(site, asyncio.Lock()):
            found = self._files.get(site)
            if found is None:
                kept = self._cache.get(site)
                found = self._files.put(site, await self._fetched(site) if kept is None else kept)
            return found

    async def _fetched(self, site: str) -> bytes | str:
        async with self._fetcher.fetch(f"{site}/robots.txt", wanted=ROBOTS) as answer:
            found = _judged(answer)
        if isinstance(found, bytes):
            await self._cache.put(site, found)
        return found


def _judged(answer: Fetched | FetchFailed) -> bytes | str:
    if isinstance(answer, Fetched):
        return answer.body or b""
    if answer.kind is FailureKind.STATUS and (answer.status or 500) < 500 and answer.status != 429:
        return b""
    return f"the site's robots.txt cannot be had: {answer.reason}"
