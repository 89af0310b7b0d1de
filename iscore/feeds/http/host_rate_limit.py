"""One request at a time per host, with a pause in between."""

from __future__ import annotations

import asyncio
import math

PATIENCE = 3
"""Requests in a row that a host may leave unanswered before its other feeds are left to the next round."""


class _Lane:
    """The queue before one host."""

    __slots__ = ("left_at", "lock", "silent")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.left_at = -math.inf
        self.silent = 0


class HostGate:
    """Lets requests through. Knows hosts by name; times are the event loop's, in seconds.

    A host that leaves ``PATIENCE`` requests in a row unanswered is not asked again: a hundred feeds of one
    dead server would otherwise make a round last an hour. The same happens to everybody once ``closes_at``
    has come.
    """

    def __init__(self, spacing: float, closes_at: float) -> None:
        self._spacing = spacing
        self._closes_at = closes_at
        self._lanes: dict[str, _Lane] = {}

    async def enter(self, host: str, delay: float = 0.0) -> bool:
        """Wait for one's turn. True: go, and call ``leave`` afterwards. False: not in this round.

        ``delay``: seconds since the last request that the host asks for, when that is more than the spacing.
        Who waits for so long lets others pass.
        """
        lane = self._lanes.get(host)
        if lane is None:
            lane = self._lanes[host] = _Lane()
        while True:
            await lane.lock.acquire()
            now = asyncio.get_running_loop().time()
            begin = max(now, lane.left_at + max(self._spacing, delay))
            if lane.silent >= PATIENCE or begin > self._closes_at:
                lane.lock.release()
                return False
            if begin == now:
                return True
            if delay > self._spacing:
                lane.lock.release()
                await asyncio.sleep(begin - now)
                continue
            try:
                await asyncio.sleep(begin - now)
            except asyncio.CancelledError:
                lane.lock.release()
                raise
            return True

    def leave(self, host: str, *, answered: bool) -> None:
        """The request is over. ``answered``: anything at all came back."""
        lane = self._lanes[host]
        lane.silent = 0 if answered else lane.silent + 1
        lane.left_at = asyncio.get_running_loop().time()
        lane.lock.release()
