"""Allows one request at a time per host, with a pause between two."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

MAX_UNANSWERED = 3
"""Failures in a row after which a host gets fewer requests in this poll."""


class _Host:
    __slots__ = ("last_request", "lock", "paused", "unanswered", "unconnected")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.last_request = -math.inf
        self.unconnected = 0
        self.unanswered = 0
        self.paused: set[str] = set()
        """Logins with which it is not asked again in this poll."""


class HostRateLimit:
    """Decides when a request may begin. Knows hosts by name; times are the event loop's, in seconds.

    After ``MAX_UNANSWERED`` connections in a row that could not be made, a host is not asked again: otherwise a hundred
    feeds of one dead server would make a poll last an hour. A host that accepts connections but leaves as many requests
    unanswered is still asked for URLs that worked the last time, since some hosts serve both good feeds and dead ones.
    A host that asks for a pause is not asked again with the same login. No host is asked after ``closes_at``, or when
    ``may_ask`` has become false.
    """

    def __init__(self, spacing: float, closes_at: float, may_ask: Callable[[], bool] = lambda: True) -> None:
        self._spacing = spacing
        self._closes_at = closes_at
        self._may_ask = may_ask
        self._hosts: dict[str, _Host] = {}

    async def acquire(self, name: str, delay: float = 0.0, *, failed_before: bool = False, login: str = "") -> bool:
        """Wait until the host may be asked. True: send the request, then call ``release``. False: not in this poll.

        ``delay``: seconds since the last request that the host asks for, if that is more than the spacing. Other
        requests may go first in the meantime. ``failed_before``: the last request for the same URL failed.
        """
        host = self._hosts.setdefault(name, _Host())
        while True:
            await host.lock.acquire()
            now = asyncio.get_running_loop().time()
            begin = max(now, host.last_request + max(self._spacing, delay))
            silent = (host.unanswered if failed_before else host.unconnected) >= MAX_UNANSWERED
            if silent or login in host.paused or begin > self._closes_at:
                host.lock.release()
                return False
            if begin == now:
                return self._is_open(host)
            if delay > self._spacing:
                host.lock.release()
                await asyncio.sleep(begin - now)
                continue
            try:
                await asyncio.sleep(begin - now)
            except asyncio.CancelledError:
                host.lock.release()
                raise
            return self._is_open(host)

    def _is_open(self, host: _Host) -> bool:
        """Return whether requests are still allowed; if not, release the host, so that the next one can check too."""
        if not self._may_ask():
            host.lock.release()
            return False
        return True

    def release(self, name: str, *, connected: bool, answered: bool, paused: str | None = None) -> None:
        """End a request. ``answered``: the host sent something. ``paused``: the host asks for a pause for this login,
        which may be empty."""
        host = self._hosts[name]
        if paused is not None:
            host.paused.add(paused)
        host.unconnected = 0 if connected else host.unconnected + 1
        host.unanswered = 0 if answered else host.unanswered + 1
        host.last_request = asyncio.get_running_loop().time()
        host.lock.release()
