"""Queues documents of a poll that take long to parse, so that the other feeds need not wait for them.

They are parsed one at a time, and hold neither the memory of a fetch nor a quick parser. They may take as long as the
other feeds of the poll, and at least ``patience`` seconds. Documents that are not parsed by then are left to the next
poll. The first document of a poll is always parsed to its end, and feeds that were too slow have failed and are not
asked again soon. So each gets its turn.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Coroutine
from typing import Protocol

from iscore.feeds.errors import PostponedError
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed

MAX_SIZE = 32_000_000
"""Bytes of all documents in the queue, including the one that is being parsed."""


class SlowParser(Protocol):
    """The part of ``ParserPool`` that the queue needs."""

    async def parse_slowly(self, job: FeedJob) -> ParsedFeed:
        """Parse a document. Raises ``FeedError`` if that fails."""


class SlowQueue:
    """The slow documents of one poll."""

    def __init__(self, parser: SlowParser, feeds: Collection[int], patience: float) -> None:
        """``feeds``: the ids of all feeds of the poll. ``patience``: seconds, counted from the first document, in which
        documents may be parsed even if all other feeds are done."""
        self._parser = parser
        self._other_feeds = set(feeds)
        self._patience = patience
        self._opened_at = math.inf
        self._closes_at = math.inf
        self._closing = asyncio.Event()
        self._begun = False
        self._size = 0
        self._turn = asyncio.Lock()

    async def parse(self, feed_id: int, job: FeedJob) -> ParsedFeed:
        """Parse a document when its turn comes.

        Raises the errors of ``ParserPool.parse_slowly``, and ``PostponedError`` if this poll has no time for it.
        """
        if self._size + len(job.body) > MAX_SIZE:
            raise PostponedError
        self._size += len(job.body)
        self._opened_at = min(self._opened_at, asyncio.get_running_loop().time())
        self.feed_done(feed_id)
        try:
            async with self._turn:
                if asyncio.get_running_loop().time() > self._closes_at:
                    raise PostponedError
                if self._begun:
                    return await self._until_closed(self._parser.parse_slowly(job))
                self._begun = True
                return await self._parser.parse_slowly(job)
        finally:
            self._size -= len(job.body)

    async def _until_closed(self, parsing: Coroutine[None, None, ParsedFeed]) -> ParsedFeed:
        parsed, closed = asyncio.create_task(parsing), asyncio.create_task(self._closed())
        try:
            await asyncio.wait({parsed, closed}, return_when=asyncio.FIRST_COMPLETED)
            if not parsed.done():
                raise PostponedError
            return parsed.result()
        finally:
            closed.cancel()
            parsed.cancel()
            await asyncio.wait({parsed, closed})

    async def _closed(self) -> None:
        await self._closing.wait()
        await asyncio.sleep(max(0.0, self._closes_at - asyncio.get_running_loop().time()))

    def feed_done(self, feed_id: int) -> None:
        """Note that a feed is done but for its document in this queue. After the last one the queue begins to close."""
        self._other_feeds.discard(feed_id)
        if not self._other_feeds and self._closes_at == math.inf:
            self._closes_at = max(asyncio.get_running_loop().time(), self._opened_at + self._patience)
            self._closing.set()
