"""Threads for what blocks: the database and templates.

Verdicts have threads of their own, so that they never queue behind pages. Few threads are faster than many, since only
one at a time runs Python. What they run acts for the same user as the request. One user never has all threads of a
kind, where there are several: what else they ask for waits, and others are answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar, copy_context
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

P = ParamSpec("P")
T = TypeVar("T")

PAGES = 3
VERDICTS = 2
SESSIONS = 2
FILES = 2
FETCHES = 4
MOST_AT_ONCE = 20
"""Addresses that one form adds, or folders; longer lists are imported as OPML."""
FETCH_SECONDS = 20.0
"""In which other servers have to answer what a user's form asks of them, all together."""

acting_user: ContextVar[int | None] = ContextVar("acting_user", default=None)
"""The number of the user whose request this is; None where there is none."""


class Places:
    """Lets each user do a number of things at a time; what else they ask for waits."""

    def __init__(self, of_one: int) -> None:
        self._of_one = of_one
        self._users: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()

    def take(self) -> AbstractAsyncContextManager[None]:
        """Hold a place of the user whose request this is in a block; where there is none, there is no limit."""
        user = acting_user.get()
        return nullcontext() if user is None else self._users.setdefault(user, asyncio.Semaphore(self._of_one))


class _Pool:
    """Threads for one kind of work, of which a user has all but one at most."""

    def __init__(self, threads: int, name: str, of_one: int = 0) -> None:
        self._executor = ThreadPoolExecutor(threads, name)
        self._places = Places(of_one or max(threads - 1, 1))

    async def run(self, work: Callable[[], T]) -> T:
        async with self._places.take():
            return await asyncio.get_running_loop().run_in_executor(self._executor, copy_context().run, work)


class Threads:
    """Pools of threads. Each method runs ``work`` in one of them and waits for its result."""

    def __init__(self) -> None:
        self._pages = _Pool(PAGES, "page")
        self._verdicts = _Pool(VERDICTS, "verdict")
        # Argon2 uses 64 MB on purpose: one password at a time.
        self._passwords = _Pool(1, "password")
        self._sessions = _Pool(SESSIONS, "session")
        self._files = _Pool(FILES, "file")
        self._fetches = _Pool(FETCHES, "fetch", of_one=1)
        self._notes = ThreadPoolExecutor(1, "note")

    async def page(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run what reads or takes long."""
        return await self._pages.run(partial(work, *arguments, **named))

    async def verdict(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run what a user waits for with every click."""
        return await self._verdicts.run(partial(work, *arguments, **named))

    async def password(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Check a password."""
        return await self._passwords.run(partial(work, *arguments, **named))

    async def session(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Find out whose a request is."""
        return await self._sessions.run(partial(work, *arguments, **named))

    async def file(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Write or read a long file: an export, a list of feeds."""
        return await self._files.run(partial(work, *arguments, **named))

    async def fetch(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run what waits for another server: one at a time for each user."""
        return await self._fetches.run(partial(work, *arguments, **named))

    def later(self, work: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> None:
        """Run what nobody waits for, and what may fail."""
        self._notes.submit(partial(work, *arguments, **named))
