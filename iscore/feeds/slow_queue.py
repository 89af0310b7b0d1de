"""The queue for documents of a poll that take long to parse, while everything else goes on without them.

They are parsed one at a time, and occupy neither a fetch's memory nor a quick parser. They have the time that all
other feeds of the poll take, and a little at least; documents that are not parsed by then are left to the next poll.
The first of a poll is always parsed to its end, and those that were too slow have failed and are not asked again so
soon, so everybody's turn comes.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Coroutine
from typing import Protocol

from iscore.feeds.errors import PostponedError
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed

MAX_SIZE = 32_000_000
"""Bytes of documents in the queue, the one that is being parsed included."""


class SlowParser(Protocol):
    """The part of ``ParserPool`` that is needed."""

    async def parse_slowly(self, job: FeedJob) -> ParsedFeed:
        """Parse a document. Raises ``FeedError`` when that cannot be done."""


class SlowQueue:
    """The slow documents of one poll."""

    def __init__(self, parser: SlowParser, feeds: Collection[int], patience: float) -> None:
        """``feeds``: the IDs of all feeds of the poll. ``patience``: seconds from the first document on in which others
        may be parsed even though all other feeds are done."""
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
        """Parse a document when its turn comes. Raises as ``ParserPool.parse_slowly``, and ``PostponedError`` when
        there is not enough time for it in this poll."""
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
        """A feed is done, or only its document in this queue is left. After the last one the queue begins to close."""
        self._other_feeds.discard(feed_id)
        if not self._other_feeds and self._closes_at == math.inf:
            self._closes_at = max(asyncio.get_running_loop().time(), self._opened_at + self._patience)
            self._closing.set()
