"""Where documents of a round wait that take long to read, while everything else goes on without them.

They are read one at a time, and hold neither a fetch's room nor a quick parser. They have the time that all else of the
round takes, and a little at least; whoever has not been read by then is left to the next round. The first of a round is
read to its end, and those that were too much have failed and are not asked again so soon, so everybody's turn comes.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Coroutine
from typing import Protocol

from iscore.feeds.errors import LeftOutError
from iscore.feeds.parsing.parsed_feed import ParsedFeed, ParseJob

ROOM = 32_000_000
"""Bytes of documents that may wait, the one that is being read among them."""


class SlowParser(Protocol):
    """What is needed of ``ParserPool``."""

    async def parse_slowly(self, job: ParseJob) -> ParsedFeed:
        """Read a document. Raises ``FeedError`` when that cannot be done."""


class SlowLane:
    """The slow documents of one round."""

    def __init__(self, parser: SlowParser, feeds: Collection[int], patience: float) -> None:
        """``feeds``: all of the round, by ID. ``patience``: seconds from the first document on in which others may
        be read even though all other feeds are done."""
        self._parser = parser
        self._elsewhere = set(feeds)
        self._patience = patience
        self._opened_at = math.inf
        self._closes_at = math.inf
        self._closing = asyncio.Event()
        self._begun = False
        self._held = 0
        self._turn = asyncio.Lock()

    async def parse(self, feed_id: int, job: ParseJob) -> ParsedFeed:
        """Read a document when its turn comes. Raises as ``ParserPool.parse_slowly``, and ``LeftOutError`` when its
        turn does not come in this round, or not for as long as it takes."""
        if self._held + len(job.body) > ROOM:
            raise LeftOutError
        self._held += len(job.body)
        self._opened_at = min(self._opened_at, asyncio.get_running_loop().time())
        self.without(feed_id)
        try:
            async with self._turn:
                if asyncio.get_running_loop().time() > self._closes_at:
                    raise LeftOutError
                if self._begun:
                    return await self._until_closed(self._parser.parse_slowly(job))
                self._begun = True
                return await self._parser.parse_slowly(job)
        finally:
            self._held -= len(job.body)

    async def _until_closed(self, parsing: Coroutine[None, None, ParsedFeed]) -> ParsedFeed:
        reading, closed = asyncio.create_task(parsing), asyncio.create_task(self._closed())
        try:
            await asyncio.wait({reading, closed}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                raise LeftOutError
            return reading.result()
        finally:
            closed.cancel()
            reading.cancel()
            await asyncio.wait({reading, closed})

    async def _closed(self) -> None:
        await self._closing.wait()
        await asyncio.sleep(max(0.0, self._closes_at - asyncio.get_running_loop().time()))

    def without(self, feed_id: int) -> None:
        """A feed is done, or all that is left of it to do is here. When it was the last, the lane begins to close."""
        self._elsewhere.discard(feed_id)
        if not self._elsewhere and self._closes_at == math.inf:
            self._closes_at = max(asyncio.get_running_loop().time(), self._opened_at + self._patience)
            self._closing.set()
