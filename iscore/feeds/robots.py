"""What sites allow programs to fetch: their robots.txt, fetched when first needed (RFC 9309).

    page's address ─► its site's robots.txt, fetched once ─► rules, asked in a child ─► Permission

No file (4xx) allows everything. A server that fails, asks for patience (429) or cannot be reached allows nothing
for now, and neither does a file that cannot be read.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from iscore.feeds.address import origin
from iscore.feeds.errors import FeedError
from iscore.feeds.fetch import Fetcher
from iscore.feeds.kept import Kept
from iscore.feeds.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.page_jobs import Permission, RobotsJob
from iscore.feeds.wanted import ROBOTS

ROOM = 16_000_000
"""Bytes of robots.txt that are kept; real files have a few thousand each."""

_Origin = tuple[str, str, int | None]


class RulesReader(Protocol):
    """What is needed of ``ParserPool``."""

    async def permission(self, job: RobotsJob) -> Permission:
        """Ask a robots.txt. Raises ``FeedError`` when that cannot be done."""


class Robots:
    """The robots.txt of all sites of one round."""

    def __init__(self, fetcher: Fetcher, reader: RulesReader, user_agent: str) -> None:
        """``user_agent``: the whole header; rules are found by its first word."""
        self._fetcher = fetcher
        self._reader = reader
        self._agent = user_agent.partition(" ")[0]
        self._files: Kept[_Origin, bytes | str] = Kept(ROOM)
        self._locks: dict[_Origin, asyncio.Lock] = {}

    async def permission(self, url: str) -> Permission:
        """Say whether ``url``, a checked address, may be asked for. Raises nothing for a cause outside."""
        found = await self._file(origin(url), url)
        if isinstance(found, str):
            return Permission(found)
        if not found:
            return Permission()
        try:
            return await self._reader.permission(RobotsJob(found, self._agent, url))
        except FeedError as error:
            return Permission(str(error))

    async def _file(self, site: _Origin, url: str) -> bytes | str:
        """A site's file, empty if there is none; or why nothing may be asked for."""
        async with self._locks.setdefault(site, asyncio.Lock()):
            found = self._files.get(site)
            return found if found is not None else self._files.put(site, await self._fetched(url))

    async def _fetched(self, url: str) -> bytes | str:
        scheme, _, rest = url.partition("://")
        authority = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
        async with self._fetcher.fetch(f"{scheme}://{authority}/robots.txt", wanted=ROBOTS) as answer:
            return _judged(answer)


def _judged(answer: Fetched | FetchFailed) -> bytes | str:
    if isinstance(answer, Fetched):
        return answer.body or b""
    if answer.kind is FailureKind.STATUS and (answer.status or 500) < 500 and answer.status != 429:
        return b""
    return f"the site's robots.txt cannot be had: {answer.reason}"
