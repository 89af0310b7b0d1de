"""Child processes that parse feeds and article pages and can be killed, in two lanes.

    document ─► quick lane, a short turn ─► read
                      └─► more is needed ─► slow lane, one document at a time, all that is allowed ─► read, or why not

Parsing hostile documents may take for ever or all memory, and it holds Python's global lock. So it happens
elsewhere, and whoever waits for it waits at most until the deadline. Two lanes, because a few such documents would
otherwise keep every process busy while a thousand others wait that take some hundredths of a second each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self

from iscore.feeds.errors import NotAFeedError, NoTextError, ParseCrashedError, ParseTimeoutError, TurnOverError
from iscore.feeds.page_jobs import FeedLink, LinksJob, PageJob, Permission, RobotsJob
from iscore.feeds.parsing import protocol
from iscore.feeds.parsing.child_processes import ParserChildren
from iscore.feeds.parsing.parsed_feed import ParsedFeed, ParseJob

_PATIENCE = 3.0
"""Clock seconds granted per processor second: on a busy machine a process may wait for its turn."""
PAGE_SECONDS = 5.0
"""Processor time for one article's page or one robots.txt, unless a feed is granted less: a hundred times what
they take, and a feed may bring many."""
MEMORY = 112 << 20
"""Bytes that a process may take for a document, above what it needs without any: a feed of 10 MB with 150,000 entries
takes 90 MB, purpose-made ones take whatever they get."""
TURN = 0.5
"""Processor seconds in the quick lane, for any document. Of 120 real feeds the slowest takes 0.3, all others less than
0.1; where the processor is ten times slower most of them still need no more than this, and the others are read too."""
_SHARE = 1 / 4
"""Of the memory that a document is allowed, the part that it gets in the quick lane: enough for 1.5 MB of a real feed,
and all lanes together take less than two processes with all of it."""

_Frame = Callable[[float], bytes]
"""Writes a job that is granted so many seconds of processor time."""


class ParserPool:
    """A few child processes, started at first use and again after one has died.

    Use as ``async with ParserPool() as pool``, in one event loop.
    """

    def __init__(self, size: int = 2, *, cpu_seconds: float = 20.0, memory: int = MEMORY) -> None:
        """Make a pool: processes of the quick lane at most, processor seconds and bytes of memory per document."""
        self._seconds = cpu_seconds
        self._turn = min(TURN, cpu_seconds)
        patience = _PATIENCE * cpu_seconds
        self._quick = ParserChildren(size, int(_SHARE * memory), patience)
        self._slow = ParserChildren(1, memory, patience, fresh=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def parse(self, job: ParseJob) -> ParsedFeed:
        """Parse in a child, waiting for a free one, in the slow lane if need be.

        Raises ``NotAFeedError`` when the document is no feed, ``ParseTimeoutError`` when it takes too long
        and ``ParseCrashedError`` when the process dies of it. The next document is served by a new process
        then.
        """
        try:
            return await self.parse_quickly(job)
        except TurnOverError:
            return await self.parse_slowly(job)

    async def parse_quickly(self, job: ParseJob) -> ParsedFeed:
        """Parse in the quick lane. Raises ``NotAFeedError``, and ``TurnOverError`` when the document needs more than
        a short turn: it may be given to ``parse_slowly`` then."""
        return _feed(*await self._in_a_turn(partial(protocol.job_to_frame, job), "feed"))

    async def parse_slowly(self, job: ParseJob) -> ParsedFeed:
        """Parse in the slow lane. Raises as ``parse`` does."""
        return _feed(*await self._slow.work(partial(protocol.job_to_frame, job), self._seconds, "feed"))

    async def page_text(self, job: PageJob) -> str:
        """Find the main text of an article's page in a child. It needs the extra ``fulltext``.

        Raises ``NoTextError`` when there is none, and as ``parse`` does.
        """
        header, rest = await self._work(partial(protocol.page_job_to_frame, job), "page")
        if "no_text" in header:
            raise NoTextError(header["no_text"])
        return rest.decode()

    async def links(self, job: LinksJob) -> list[FeedLink]:
        """Find the feeds that a page names, in a child. Raises as ``parse`` does."""
        header, _ = await self._work(partial(protocol.links_job_to_frame, job), "page")
        return protocol.links_from(header)

    async def permission(self, job: RobotsJob) -> Permission:
        """Ask a robots.txt in a child. It needs the extra ``fulltext``. Raises as ``parse`` does."""
        header, _ = await self._work(partial(protocol.robots_job_to_frame, job), "robots.txt")
        return protocol.permission_from(header)

    async def close(self) -> None:
        """End the children, busy ones too, and wait for them."""
        await self._quick.close()
        await self._slow.close()

    async def _work(self, frame: _Frame, what: str) -> tuple[protocol.Header, bytes]:
        """Have a page read, in the slow lane if need be."""
        seconds = min(PAGE_SECONDS, self._seconds)
        try:
            return await self._in_a_turn(frame, what)
        except TurnOverError:
            return await self._slow.work(frame, seconds, what)

    async def _in_a_turn(self, frame: _Frame, what: str) -> tuple[protocol.Header, bytes]:
        try:
            return await self._quick.work(frame, self._turn, what)
        except (ParseTimeoutError, ParseCrashedError) as error:
            raise TurnOverError(what) from error


def _feed(header: protocol.Header, rest: bytes) -> ParsedFeed:
    if "not_a_feed" in header:
        raise NotAFeedError(header["not_a_feed"])
    return protocol.feed_from(header, rest)
