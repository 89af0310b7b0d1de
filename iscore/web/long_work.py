"""Work of a user that may take minutes: the page that starts it waits a few seconds, and later says how far it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, Self, TypeVar

from iscore.core.timings import Progress

T = TypeVar("T")
TIMEOUT = 4.0
"""Seconds that a page waits."""


class LongWork(Generic[T]):
    """One piece of work. Whoever does it reports to ``report``, and sets ``result``."""

    def __init__(self) -> None:
        self.result: Future[T] = Future()
        self.done = 0
        self.total = 0
        """Of which ``done`` is done; 0 while that is not known."""

    @classmethod
    def begin(cls, work: Callable[[Progress], T], name: str) -> Self:
        """Begin work in a thread of its own. Nothing waits for it at the end of the process."""
        begun = cls()

        def run() -> None:
            try:
                begun.result.set_result(work(begun.report))
            except Exception as error:  # noqa: BLE001, RUF100 -- who asks for the result gets it
                begun.result.set_exception(error)

        threading.Thread(target=run, name=name, daemon=True).start()
        return begun

    @property
    def goes_on(self) -> bool:
        """Whether it is not finished yet."""
        return not self.result.done()

    def report(self, done: int, total: int, what: str) -> None:  # noqa: ARG002 -- a ``Progress``
        """Note how far it is."""
        self.done, self.total = done, total

    async def wait(self) -> None:
        """Wait until it is finished, at most ``TIMEOUT`` seconds."""
        await asyncio.wait([asyncio.wrap_future(self.result)], timeout=TIMEOUT)
