"""A deadline that does not count time in which this machine was busy.

Time is counted in steps of a second. A step is not counted if this computer was slow in it, and not the other side.
The total time of a poll is limited elsewhere: see ``iscore.feeds.poll``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

STEP = 1.0
"""Seconds."""
MAX_LATE = 0.25
"""Seconds. A step that ends later than this is not counted."""


def on_time(late: float) -> bool:
    """Whether the event loop was responsive in a step. This is the rule for deadlines on the network."""
    return late <= MAX_LATE


class Deadline:
    """Ends a block with ``TimeoutError`` after ``seconds`` of counted time."""

    def __init__(self, seconds: float, counts: Callable[[float], bool] = on_time) -> None:
        """``counts`` tells whether to count a step, given the seconds by which it ended late."""
        self._left = seconds
        self._counts = counts

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run a block. Another block may follow with the remaining time."""
        async with asyncio.timeout(None) as self._timeout:
            self._start_step()
            try:
                yield
            finally:
                self._stop_step()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time of this part of the block."""
        self._stop_step()
        try:
            yield
        finally:
            self._start_step()

    def _start_step(self) -> None:
        self._step = max(0.0, min(STEP, self._left))
        loop = asyncio.get_running_loop()
        self._step_ends = loop.time() + self._step
        self._handle = loop.call_at(self._step_ends, self._end_step)

    def _end_step(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._counts(now - self._step_ends):
            self._left -= self._step
        if self._left > 0:
            self._start_step()
        else:
            self._timeout.reschedule(now)

    def _stop_step(self) -> None:
        self._handle.cancel()
        self._left -= max(0.0, self._step - max(0.0, self._step_ends - asyncio.get_running_loop().time()))
