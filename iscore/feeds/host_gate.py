"""One request at a time per host, with a pause in between."""

from __future__ import annotations

import asyncio

PATIENCE = 3
"""Requests in a row that a host may leave unanswered before its other feeds are left to the next round."""


class _Lane:
    """The queue before one host."""

    __slots__ = ("free_at", "lock", "silent")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.free_at = 0.0
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

    async def enter(self, host: str) -> bool:
        """Wait for one's turn. True: go, and call ``leave`` afterwards. False: not in this round."""
        lane = self._lanes.get(host)
        if lane is None:
            lane = self._lanes[host] = _Lane()
        await lane.lock.acquire()
        now = asyncio.get_running_loop().time()
        begin = max(now, lane.free_at)
        if lane.silent >= PATIENCE or begin > self._closes_at:
            lane.lock.release()
            return False
        if begin > now:
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
        lane.free_at = asyncio.get_running_loop().time() + self._spacing
        lane.lock.release()
