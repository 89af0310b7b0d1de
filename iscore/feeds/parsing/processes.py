"""Child processes that do jobs with documents, one at a time each, and can be killed."""

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

from iscore.feeds.deadline import Deadline
from iscore.feeds.errors import ParseCrashedError, ParseTimeoutError
from iscore.feeds.parsing import protocol
from iscore.feeds.parsing.jobs import Job

MAX_IDLE = 60.0
"""Seconds in which a process may use no processor time before its job is given up. Where the system does not tell what
it uses, seconds for a job in all."""
_STARTING = 10.0
"""Seconds of processor time that a process may need beside its job: to start, and to import what the job needs."""
WAITING = 20
"""Documents that may wait before another process is started, which takes as long as parsing fifty small feeds."""
_STREAM = 1 << 20
"""Bytes of an answer that may wait in the pipe's reader."""


class ParserProcesses:
    """At most ``size`` processes, started when needed and again after one has died. For one event loop.

    There is one at first, and another whenever more than ``WAITING`` documents wait.
    """

    def __init__(self, size: int, memory: int, *, fresh: bool = False) -> None:
        """``memory``: bytes for a document. ``fresh``: a new process for each."""
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

    async def do(self, job: Job, seconds: float, what: str) -> tuple[protocol.Header, bytes]:
        """Wait for a free process and let it do a job, with so many seconds of processor time.

        Raises ``ParseTimeoutError`` when it takes longer and ``ParseCrashedError`` when the process dies of it.
        ``what``: what the document is, for the error.
        """
        async with self._slot():
            if self._closed:
                raise ParseCrashedError(what)
            process = self._idle.pop() if self._idle else await self._started()
            self._busy.add(process)
            reusable = False
            try:
                # The kernel ends a process that works for too long, this deadline one that waits.
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
        """Start a process. When cancelled meanwhile, leave it to the next job: a start is never cancelled half-way,
        since asyncio would then wait for ever for the end of pipes that it has not opened."""
        starting = asyncio.create_task(self._start())
        self._starting.add(starting)
        try:
            await asyncio.wait({starting})
        except asyncio.CancelledError:
            await asyncio.wait({starting})  # here, while the slot is held, so that there are never too many
            if starting in self._starting and starting.exception() is None:
                self._idle.append(starting.result())
                self._starting.discard(starting)
            raise
        self._starting.discard(starting)
        return starting.result()

    async def _start(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # no file of the current folder may be imported instead of feedparser
            "-m",
            "iscore.feeds.parsing.worker",
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=_STREAM,
            # No password for a process that parses the documents of strangers.
            env={name: value for name, value in os.environ.items() if not name.startswith("ISCORE_MAIL_")},
        )


def _idle_rule(pid: int, seconds: float) -> Callable[[float], bool]:
    """Return the rule for ``Deadline``: a step counts if the process has used no processor time in it, or more than
    ``seconds`` since now. A process that only waits for a busy processor has its time."""
    start = used = _processor_seconds(pid)

    def idle(_: float) -> bool:
        nonlocal used
        before, used = used, _processor_seconds(pid)
        return used == before or used - start > seconds

    return idle


def _processor_seconds(pid: int) -> float:
    """Processor time that a process has used; always 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _exchange(process: Process, job: Job, seconds: float) -> tuple[protocol.Header, bytes]:
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 -- both are pipes
    process.stdin.write(protocol.job_to_frame(job, seconds))  # not made before, so that no copy of the document waits
    await process.stdin.drain()
    header_length, body_length = protocol.lengths(await process.stdout.readexactly(protocol.PREFIX.size))
    header = json.loads(await process.stdout.readexactly(header_length))
    return header, await process.stdout.readexactly(body_length)


def _kill(process: Process) -> None:
    # Not process.kill(): that polls first, and may take the exit status away from asyncio's own watcher.
    if process.returncode is None:
        with suppress(ProcessLookupError):  # it may just have ended by itself
            os.kill(process.pid, signal.SIGKILL)


async def _end(process: Process) -> None:
    _kill(process)
    # Reads what is left in the pipes and waits, so that neither a zombie nor an open transport remains.
    await process.communicate()
