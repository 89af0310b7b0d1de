"""Child processes that parse documents, one at a time each, and can be killed.

    document ─► quick process, a little processor time ─► result
                      └─► more is needed ─► slow process, one document at a time, all that is allowed ─► result or error

Parsing a hostile document may take forever or use all memory, and it holds Python's global lock. So child processes
parse, with limits on processor time and memory. There are two kinds of them, because otherwise a few such documents
would keep every process busy while a thousand others wait that take some hundredths of a second each.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Self

from iscore.feeds.deadline import Deadline
from iscore.feeds.errors import (
    NoPictureError,
    NotAFeedError,
    NoTextError,
    ParseCrashedError,
    ParseTimeoutError,
    SlowDocumentError,
)
from iscore.feeds.parsing import jobs
from iscore.feeds.parsing.jobs import (
    FeedJob,
    FeedLink,
    IconJob,
    IconLinksJob,
    Job,
    LinksJob,
    PageArticle,
    PageJob,
    ParsedFeed,
    Permission,
    PictureJob,
    RobotsJob,
)
from iscore.feeds.picture_files import icon_file

PAGE_SECONDS = 5.0
"""Processor time for an article's page or a robots.txt, unless feeds are allowed less. It is a hundred times what they
usually take, and a feed may have many pages."""
MEMORY = 112 << 20
"""Bytes that a process may take for a document, above what it needs without one. A feed of 10 MB with 150,000 entries
takes 90 MB; malicious feeds take all they can get."""
QUICK_SECONDS = 0.5
"""Processor time for the first attempt at any document. Of 120 real feeds the slowest takes 0.3 s, all others less than
0.1 s; most of them need no more than this even on a processor that is ten times slower."""
QUICK_MEMORY = 1 / 4
"""Share of ``MEMORY`` for the first attempt. It is enough for a real feed of 1.5 MB, and all processes together take
less than two with all of the memory."""
MAX_IDLE = 60.0
"""Seconds without using processor time after which a process's job is given up. On systems that do not tell the
processor time: seconds for a whole job."""
_STARTING = 10.0
"""Seconds of processor time that a process may need besides its job, to start and to import libraries."""
WAITING = 20
"""Start another process when more documents wait. Starting one takes as long as parsing fifty small feeds."""
_STREAM = 1 << 20
"""Bytes of an answer that the pipe's reader may buffer."""


class ParserPool:
    """Quick and slow child processes, started at first use and again after one has died.

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

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def parse(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed, in a slow process if needed.

        Raises ``NotAFeedError`` if the document is not a feed, ``ParseTimeoutError`` if it takes too long,
        and ``ParseCrashedError`` if the process dies.
        """
        try:
            return await self.parse_quickly(job)
        except SlowDocumentError:
            return await self.parse_slowly(job)

    async def parse_quickly(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed in a quick process. Raises ``NotAFeedError``, and ``SlowDocumentError`` if that is not enough;
        then the document may be given to ``parse_slowly``."""
        return _feed(*await self._do_quickly(job, "feed"))

    async def parse_slowly(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed in a slow process. Raises the same errors as ``parse``."""
        return _feed(*await self._slow.do(job, self._seconds, "feed"))

    async def page_article(self, job: PageJob) -> PageArticle:
        """Find the article of a page. Needs the extra ``fulltext``.

        Raises ``NoTextError`` if there is none, and the errors of ``parse``.
        """
        header, body = await self._do(job, "page")
        if "refusal" in header:
            raise NoTextError(header["refusal"])
        return PageArticle(body.decode(), str(header["html"]))

    async def links(self, job: LinksJob) -> list[FeedLink]:
        """Find the feeds that a page names. Raises the errors of ``parse``."""
        header, _ = await self._do(job, "page")
        return [FeedLink(str(url), str(title), bool(declared)) for url, title, declared in header["links"]]

    async def icon_links(self, job: IconLinksJob) -> list[str]:
        """List the addresses of the icons that a page names, the best first. Raises the errors of ``parse``."""
        header, _ = await self._do(job, "page")
        return [str(url) for url in header["links"]]

    async def permission(self, job: RobotsJob) -> Permission:
        """Evaluate a robots.txt. Raises the errors of ``parse``."""
        header, _ = await self._do(job, "robots.txt")
        refusal, delay = header["permission"]
        return Permission(str(refusal), float(delay))

    async def picture(self, job: PictureJob) -> bytes:
        """Scale a picture down. Raises ``NoPictureError``, and the errors of ``parse``."""
        header, body = await self._do(job, "picture")
        if "refusal" in header:
            raise NoPictureError(header["refusal"])
        return body

    async def icon(self, job: IconJob) -> bytes:
        """Make an icon, as PNG. Raises ``NoPictureError``, and the errors of ``parse``."""
        header, pixels = await self._do(job, "picture")
        if "refusal" in header:
            raise NoPictureError(header["refusal"])
        return icon_file(pixels)

    async def close(self) -> None:
        """End the processes, busy ones too, and wait for them."""
        await self._quick.close()
        await self._slow.close()

    async def _do(self, job: Job, what: str) -> tuple[jobs.Header, bytes]:
        try:
            return await self._do_quickly(job, what)
        except SlowDocumentError:
            return await self._slow.do(job, min(PAGE_SECONDS, self._seconds), what)

    async def _do_quickly(self, job: Job, what: str) -> tuple[jobs.Header, bytes]:
        try:
            return await self._quick.do(job, self._quick_seconds, what)
        except (ParseTimeoutError, ParseCrashedError) as error:
            raise SlowDocumentError(what) from error


def _feed(header: jobs.Header, body: bytes) -> ParsedFeed:
    if "refusal" in header:
        raise NotAFeedError(header["refusal"])
    return jobs.feed_from_answer(header, body)


class ParserProcesses:
    """At most ``size`` processes, started when needed and again after one has died. For one event loop.

    The first job starts one, and another is added whenever more than ``WAITING`` documents wait.
    """

    def __init__(self, size: int, memory: int, *, fresh: bool = False) -> None:
        """``memory``: bytes for a document. ``fresh``: whether each document gets a new process."""
        self._memory = memory
        self._fresh = fresh
        self._size = size
        self._allowed = 1
        self._waiting = 0
        self._slots = asyncio.Semaphore(self._allowed)
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._starting: set[asyncio.Task[Process]] = set()
        self._closed = False

    async def do(self, job: Job, seconds: float, what: str) -> tuple[jobs.Header, bytes]:
        """Wait for a free process and let it do a job within ``seconds`` of processor time.

        Raises ``ParseTimeoutError`` if the job takes longer, and ``ParseCrashedError`` if the process dies.
        ``what`` names the document in the error.
        """
        async with self._slot():
            if self._closed:
                raise ParseCrashedError(what)
            process = self._idle.pop() if self._idle else await self._started()
            self._busy.add(process)
            reusable = False
            try:
                # The kernel ends a process that works for too long; this deadline ends one that waits.
                async with Deadline(MAX_IDLE, _idle_rule(process.pid, seconds + _STARTING)).running():
                    header, body = await _exchange(process, job, seconds)
                reusable = not header["last"] and not self._fresh
            except TimeoutError:
                raise ParseTimeoutError(seconds, what) from None
            except (OSError, asyncio.IncompleteReadError) as error:
                if await process.wait() == -signal.SIGPROF:
                    raise ParseTimeoutError(seconds, what) from None
                raise ParseCrashedError(what) from error
            else:
                return header, body
            finally:
                self._busy.discard(process)
                if reusable:
                    self._idle.append(process)
                else:
                    await _end(process)

    async def close(self) -> None:
        """End the processes, busy ones too, and wait for them."""
        self._closed = True
        for process in self._busy:
            _kill(process)  # ``do`` waits for its end
        if self._starting:
            await asyncio.wait(self._starting)
        self._idle += [starting.result() for starting in self._starting if starting.exception() is None]
        self._starting.clear()
        while self._idle:
            await _end(self._idle.pop())

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """Wait until a process may be used."""
        self._waiting += 1
        if self._waiting > WAITING and self._allowed < self._size:
            self._allowed += 1
            self._slots.release()
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()

    async def _started(self) -> Process:
        """Start a process. If cancelled before it has started, leave it to the next job: the start itself is never
        cancelled, since asyncio would then wait forever for the end of pipes that it has not opened."""
        starting = asyncio.create_task(self._start())
        self._starting.add(starting)
        try:
            await asyncio.wait({starting})
        except asyncio.CancelledError:
            await asyncio.wait({starting})  # the slot is still held, so there are never too many processes
            if starting in self._starting and starting.exception() is None:
                self._idle.append(starting.result())
                self._starting.discard(starting)
            raise
        self._starting.discard(starting)
        return starting.result()

    async def _start(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # otherwise a file of the current folder could be imported instead of feedparser
            "-m",
            "iscore.feeds.parsing.worker",
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=_STREAM,
            # A process that parses documents of strangers gets no password.
            env={name: value for name, value in os.environ.items() if not name.startswith("ISCORE_MAIL_")},
        )


def _idle_rule(pid: int, seconds: float) -> Callable[[float], bool]:
    """Return the rule for ``Deadline``: a step counts if the process has used no processor time in it, or has used more
    than ``seconds`` since this call. Time in which a process waits for a busy processor does not count."""
    start = used = _processor_seconds(pid)

    def idle(_: float) -> bool:
        nonlocal used
        before, used = used, _processor_seconds(pid)
        return used == before or used - start > seconds

    return idle


def _processor_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process has used; always 0 if the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _exchange(process: Process, job: Job, seconds: float) -> tuple[jobs.Header, bytes]:
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 -- both are pipes
    process.stdin.write(jobs.job_to_frame(job, seconds))  # made only now, so that no copy of the document waits
    await process.stdin.drain()
    header_length, body_length = jobs.lengths(await process.stdout.readexactly(jobs.PREFIX.size))
    header = json.loads(await process.stdout.readexactly(header_length))
    return header, await process.stdout.readexactly(body_length)


def _kill(process: Process) -> None:
    # Not process.kill(): it polls first, and may take the exit status away from asyncio's own watcher.
    if process.returncode is None:
        with suppress(ProcessLookupError):  # it may just have ended
            os.kill(process.pid, signal.SIGKILL)


async def _end(process: Process) -> None:
    _kill(process)
    # Read the rest of the pipes and wait, so that neither a zombie nor an open transport remains.
    await process.communicate()
