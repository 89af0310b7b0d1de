"""Child processes that parse feeds and pages and can be killed.

    document ─► quick process, a little processor time ─► result
                      └─► more is needed ─► slow process, one document at a time, all that is allowed ─► result or error

Parsing hostile documents may take for ever or all memory, and it holds Python's global lock. So child processes do it,
with limits on processor time and memory. Two kinds, because a few such documents would otherwise keep every process
busy while a thousand others wait that take some hundredths of a second each.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from iscore.feeds.errors import (
    NoPictureError,
    NotAFeedError,
    NoTextError,
    ParseCrashedError,
    ParseTimeoutError,
    SlowDocumentError,
)
from iscore.feeds.parsing import protocol
from iscore.feeds.parsing.jobs import (
    FeedJob,
    FeedLink,
    Job,
    LinksJob,
    PageArticle,
    PageJob,
    ParsedFeed,
    Permission,
    PictureJob,
    RobotsJob,
)
from iscore.feeds.parsing.processes import ParserProcesses

PAGE_SECONDS = 5.0
"""Processor time for one article's page or one robots.txt, if feeds are not allowed less: a hundred times what they
take, and a feed may have many."""
MEMORY = 112 << 20
"""Bytes that a process may take for a document, above what it needs without any: a feed of 10 MB with 150,000 entries
takes 90 MB, purpose-made ones take whatever they get."""
QUICK_SECONDS = 0.5
"""Processor time for any document at first. Of 120 real feeds the slowest takes 0.3 s, all others less than 0.1 s;
on a processor ten times slower most of them still need no more than this."""
QUICK_MEMORY = 1 / 4
"""Share of the memory at first: enough for 1.5 MB of a real feed, and all processes together take less than two with
all of it."""


class ParserPool:
    """A few child processes, started at first use and again after one has died.

    Use as ``async with ParserPool() as pool``, in one event loop.
    """

    def __init__(self, size: int = 2, *, cpu_seconds: float = 20.0, memory: int = MEMORY) -> None:
        """``size``: quick processes. ``cpu_seconds``, ``memory``: processor time and bytes allowed per document."""
        self._seconds = cpu_seconds
        self._quick_seconds = min(QUICK_SECONDS, cpu_seconds)
        self._quick = ParserProcesses(size, int(QUICK_MEMORY * memory))
        self._slow = ParserProcesses(1, memory, fresh=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def parse(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed, in a slow process if need be.

        Raises ``NotAFeedError`` when the document is not a feed, ``ParseTimeoutError`` when it takes too long
        and ``ParseCrashedError`` when the process dies of it.
        """
        try:
            return await self.parse_quickly(job)
        except SlowDocumentError:
            return await self.parse_slowly(job)

    async def parse_quickly(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed in a quick process. Raises ``NotAFeedError``, and ``SlowDocumentError`` when more is needed: the
        document may be given to ``parse_slowly`` then."""
        return _feed(*await self._do_quickly(job, "feed"))

    async def parse_slowly(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed in a slow process. Raises as ``parse`` does."""
        return _feed(*await self._slow.do(job, self._seconds, "feed"))

    async def page_article(self, job: PageJob) -> PageArticle:
        """Find the article of a page. Needs the extra ``fulltext``.

        Raises ``NoTextError`` when there is none, and as ``parse`` does.
        """
        header, body = await self._do(job, "page")
        if "refusal" in header:
            raise NoTextError(header["refusal"])
        return PageArticle(body.decode(), str(header["html"]))

    async def links(self, job: LinksJob) -> list[FeedLink]:
        """Find the feeds that a page names. Raises as ``parse`` does."""
        header, _ = await self._do(job, "page")
        return [FeedLink(str(url), str(title), bool(declared)) for url, title, declared in header["links"]]

    async def permission(self, job: RobotsJob) -> Permission:
        """Ask a robots.txt. Needs the extra ``fulltext``. Raises as ``parse`` does."""
        header, _ = await self._do(job, "robots.txt")
        refusal, delay = header["permission"]
        return Permission(str(refusal), float(delay))

    async def picture(self, job: PictureJob) -> bytes:
        """Scale a picture down. Raises ``NoPictureError``, and as ``parse`` does."""
        header, body = await self._do(job, "picture")
        if "refusal" in header:
            raise NoPictureError(header["refusal"])
        return body

    async def close(self) -> None:
        """End the processes, busy ones too, and wait for them."""
        await self._quick.close()
        await self._slow.close()

    async def _do(self, job: Job, what: str) -> tuple[protocol.Header, bytes]:
        try:
            return await self._do_quickly(job, what)
        except SlowDocumentError:
            return await self._slow.do(job, min(PAGE_SECONDS, self._seconds), what)

    async def _do_quickly(self, job: Job, what: str) -> tuple[protocol.Header, bytes]:
        try:
            return await self._quick.do(job, self._quick_seconds, what)
        except (ParseTimeoutError, ParseCrashedError) as error:
            raise SlowDocumentError(what) from error


def _feed(header: protocol.Header, body: bytes) -> ParsedFeed:
    if "refusal" in header:
        raise NotAFeedError(header["refusal"])
    return protocol.feed_from_answer(header, body)
