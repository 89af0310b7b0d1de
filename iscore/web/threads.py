"""Threads for what blocks: the database and templates.

Verdicts have threads of their own, so that they never queue behind pages. Few threads are faster than many, since only
one at a time runs Python. What they run acts for the same user as the request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

PAGES = 3
VERDICTS = 2
SESSIONS = 2
FILES = 2
FETCHES = 4
MOST_AT_ONCE = 20
"""Addresses that one form adds; longer lists are imported as OPML."""
FETCH_SECONDS = 20.0
"""In which other servers have to answer what a user's form asks of them, all together."""


class Threads:
    """Pools of threads. Each method runs ``work`` in one of them and waits for its result."""

    def __init__(self) -> None:
        self._pages = ThreadPoolExecutor(PAGES, "page")
        self._verdicts = ThreadPoolExecutor(VERDICTS, "verdict")
        # Argon2 uses 64 MB on purpose: one password at a time.
        self._passwords = ThreadPoolExecutor(1, "password")
        self._sessions = ThreadPoolExecutor(SESSIONS, "session")
        self._files = ThreadPoolExecutor(FILES, "file")
        self._fetches = ThreadPoolExecutor(FETCHES, "fetch")
        self._notes = ThreadPoolExecutor(1, "note")

    async def page(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run what reads or takes long."""
        return await _run(self._pages, partial(work, *arguments, **named))

    async def verdict(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run what a user waits for with every click."""
        return await _run(self._verdicts, partial(work, *arguments, **named))

    async def password(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Check a password."""
        return await _run(self._passwords, partial(work, *arguments, **named))

    async def session(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Find out whose a request is."""
        return await _run(self._sessions, partial(work, *arguments, **named))

    async def file(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Write or read a long file: an export, a list of feeds."""
        return await _run(self._files, partial(work, *arguments, **named))

    async def fetch(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run what waits for another server; ``AppContext.fetch`` does so for one request of a user at a time."""
        return await _run(self._fetches, partial(work, *arguments, **named))

    def later(self, work: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> None:
        """Run what nobody waits for, and what may fail."""
        self._notes.submit(partial(work, *arguments, **named))


async def _run(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, work)
