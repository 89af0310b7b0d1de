"""Child processes that do one kind of work with documents, and can be killed: one lane of ``parser_pool``."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress

from iscore.feeds.errors import ParseCrashedError, ParseTimeoutError
from iscore.feeds.parsing import protocol

_STREAM = 1 << 20
"""Bytes of an answer that may wait in the pipe's reader."""


class ParserChildren:
    """At most ``size`` processes, started when needed and again after one has died. For one event loop."""

    def __init__(self, size: int, memory: int, patience: float, *, fresh: bool = False) -> None:
        """``memory``: bytes for a document. ``patience``: clock seconds for one. ``fresh``: a new process for each."""
        self._memory = memory
        self._patience = patience
        self._fresh = fresh
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._starting: set[asyncio.Task[Process]] = set()
        self._closed = False

    async def work(self, frame: Callable[[float], bytes], seconds: float, what: str) -> tuple[protocol.Header, bytes]:
        """Have a job done that is granted so many seconds of processor time, waiting for a free process.

        ``frame`` writes the job; it is called when the process is there, so that no copy of the document waits.

        Raises ``ParseTimeoutError`` when it takes longer and ``ParseCrashedError`` when the process dies of it.
        ``what``: what the document is, for the error.
        """
        async with self._slots:
            if self._closed:
                raise ParseCrashedError(what)
            process = self._idle.pop() if self._idle else await self._started()
            self._busy.add(process)
            reusable = False
            try:
                async with asyncio.timeout(self._patience):
                    header, rest = await _exchange(process, frame, seconds)
                reusable = not header["last"] and not self._fresh
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
        self._closed = True
        for process in self._busy:
            _kill(process)  # whoever waits for it cleans up after it
        if self._starting:
            await asyncio.wait(self._starting)
        self._idle += [starting.result() for starting in self._starting if starting.exception() is None]
        self._starting.clear()
        while self._idle:
            await _end(self._idle.pop())

    async def _started(self) -> Process:
        """A new process. Whoever is cancelled meanwhile leaves it to the next: a start is never cancelled half-way,
        since asyncio would then wait for ever for the end of pipes that it has not opened."""
        starting = asyncio.create_task(self._start())
        self._starting.add(starting)
        try:
            await asyncio.wait({starting})
        except asyncio.CancelledError:
            await asyncio.wait({starting})  # in this place, so that there are never too many
            if starting in self._starting and starting.exception() is None:
                self._idle.append(starting.result())
                self._starting.discard(starting)
            raise
        self._starting.discard(starting)
        return starting.result()

    async def _start(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # whatever lies in the current folder must not be imported instead of feedparser
            "-m",
            "iscore.feeds.parsing.worker",
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=_STREAM,
            # What parses the documents of strangers needs no password.
            env={name: value for name, value in os.environ.items() if not name.startswith("ISCORE_MAIL_")},
        )


async def _exchange(process: Process, frame: Callable[[float], bytes], seconds: float) -> tuple[protocol.Header, bytes]:
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 -- both are pipes
    process.stdin.write(frame(seconds))
    await process.stdin.drain()
    header_length, rest_length = protocol.lengths(await process.stdout.readexactly(protocol.PREFIX.size))
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
