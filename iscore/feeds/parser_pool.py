"""Child processes that parse feeds and article pages and can be killed.

Parsing hostile documents may take for ever or all memory, and it holds Python's global lock. So it happens
elsewhere, and whoever waits for it waits at most until the deadline.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from types import TracebackType
from typing import Self

from iscore.feeds import wire
from iscore.feeds.errors import NotAFeedError, NoTextError, ParseCrashedError, ParseTimeoutError
from iscore.feeds.page_jobs import FeedLink, LinksJob, PageJob, Permission, RobotsJob
from iscore.feeds.parsed_feed import ParsedFeed, ParseJob

_PATIENCE = 3.0
"""Clock seconds granted per processor second: on a busy machine a process may wait for its turn."""
PAGE_SECONDS = 5.0
"""Processor time for one article's page or one robots.txt, unless a feed is granted less: a hundred times what
they take, and a feed may bring many."""
MEMORY = 112 << 20
"""Bytes that a process may take for a document, above what it needs without any: a feed of 10 MB with 150,000 entries
takes 90 MB, purpose-made ones take whatever they get."""
_STREAM = 1 << 20
"""Bytes of an answer that may wait in the pipe's reader."""


class ParserPool:
    """A few child processes, started at first use and again after one has died.

    Use as ``async with ParserPool() as pool``, in one event loop.
    """

    def __init__(self, size: int = 2, *, cpu_seconds: float = 20.0, memory: int = MEMORY) -> None:
        """Make a pool: processes at most, processor seconds and bytes of memory per document."""
        self._cpu_seconds = cpu_seconds
        self._memory = memory
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Process] = []
        self._busy: set[Process] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def parse(self, job: ParseJob) -> ParsedFeed:
        """Parse in a child, waiting for a free one.

        Raises ``NotAFeedError`` when the document is no feed, ``ParseTimeoutError`` when it takes too long
        and ``ParseCrashedError`` when the process dies of it. The next document is served by a new process
        then.
        """
        header, rest = await self._work(wire.job_to_frame(job), self._cpu_seconds, "feed")
        if "not_a_feed" in header:
            raise NotAFeedError(header["not_a_feed"])
        return wire.feed_from(header, rest)

    async def page_text(self, job: PageJob) -> str:
        """Find the main text of an article's page in a child. It needs the extra ``fulltext``.

        Raises ``NoTextError`` when there is none, and as ``parse`` does.
        """
        seconds = min(PAGE_SECONDS, self._cpu_seconds)
        header, rest = await self._work(wire.page_job_to_frame(job, seconds), seconds, "page")
        if "no_text" in header:
            raise NoTextError(header["no_text"])
        return rest.decode()

    async def links(self, job: LinksJob) -> list[FeedLink]:
        """Find the feeds that a page names, in a child. Raises as ``parse`` does."""
        seconds = min(PAGE_SECONDS, self._cpu_seconds)
        header, _ = await self._work(wire.links_job_to_frame(job, seconds), seconds, "page")
        return wire.links_from(header)

    async def permission(self, job: RobotsJob) -> Permission:
        """Ask a robots.txt in a child. It needs the extra ``fulltext``. Raises as ``parse`` does."""
        seconds = min(PAGE_SECONDS, self._cpu_seconds)
        header, _ = await self._work(wire.robots_job_to_frame(job, seconds), seconds, "robots.txt")
        return wire.permission_from(header)

    async def _work(self, frame: bytes, seconds: float, what: str) -> tuple[wire.Header, bytes]:
        """Have a job done that is granted so many seconds of processor time."""
        async with self._slots:
            process = self._idle.pop() if self._idle else await self._start()
            self._busy.add(process)
            reusable = False
            try:
                async with asyncio.timeout(_PATIENCE * seconds):
                    header, rest = await _exchange(process, frame)
                reusable = not header["last"]
            except TimeoutError:
                raise ParseTimeoutError(seconds, what) from None
            except (OSError, asyncio.IncompleteReadError) as error:
                if await process.wait() == -signal.SIGPROF:
                    raise ParseTimeoutError(seconds, what) from None
                raise ParseCrashedError(what) from error
            else:
                return header, rest
            finally:
                self._busy.discard(process)
                if reusable:
                    self._idle.append(process)
                else:
                    await _end(process)

    async def close(self) -> None:
        """End the children, busy ones too, and wait for them."""
        for process in self._busy:
            _kill(process)  # whoever waits for it cleans up after it
        while self._idle:
            await _end(self._idle.pop())

    async def _start(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # whatever lies in the current folder must not be imported instead of feedparser
            "-m",
            "iscore.feeds.worker",
            str(self._cpu_seconds),
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=_STREAM,
            # What parses the documents of strangers needs no password.
            env={name: value for name, value in os.environ.items() if not name.startswith("ISCORE_MAIL_")},
        )


async def _exchange(process: Process, job: bytes) -> tuple[wire.Header, bytes]:
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 -- both are pipes
    process.stdin.write(job)
    await process.stdin.drain()
    header_length, rest_length = wire.lengths(await process.stdout.readexactly(wire.PREFIX.size))
    header = json.loads(await process.stdout.readexactly(header_length))
    return header, await process.stdout.readexactly(rest_length)


def _kill(process: Process) -> None:
    # Not process.kill(): that polls first, and may so take the exit status from under asyncio's own watcher.
    if process.returncode is None:
        with suppress(ProcessLookupError):  # it may just have ended by itself
            os.kill(process.pid, signal.SIGKILL)


async def _end(process: Process) -> None:
    _kill(process)
    # Reads what is left in the pipes and waits, so that neither a zombie nor an open transport remains.
    await process.communicate()
