"""One request at a time per host, with a pause in between."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

MAX_UNANSWERED = 3
"""Requests in a row that may fail before a host is asked less in this poll."""


class _Host:
    __slots__ = ("last_request", "lock", "paused", "unanswered", "unconnected")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.last_request = -math.inf
        self.unconnected = 0
        self.unanswered = 0
        self.paused: set[str] = set()
        """Logins with which it is not asked any more."""


class HostRateLimit:
    """Lets requests through. Knows hosts by name; times are the event loop's, in seconds.

    A host to which no connection could be made ``MAX_UNANSWERED`` times in a row is not asked again: a hundred feeds of
    one dead server would otherwise make a poll last an hour. One that accepts connections and leaves as many requests
    unanswered is still asked for what it had the last time: some hosts serve good feeds and dead ones. One that wants
    to be left alone is not asked again with the same login. No host is asked after ``closes_at``, or when ``may_ask``
    is no longer true.
    """

    def __init__(self, spacing: float, closes_at: float, may_ask: Callable[[], bool] = lambda: True) -> None:
        self._spacing = spacing
        self._closes_at = closes_at
        self._may_ask = may_ask
        self._hosts: dict[str, _Host] = {}

    async def acquire(self, name: str, delay: float = 0.0, *, failed_before: bool = False, login: str = "") -> bool:
        """Wait until the host may be asked. True: go, and call ``release`` afterwards. False: not in this poll.

        ``delay``: seconds after the last request that the host asks for, when that is more than the spacing. Other
        requests may go first meanwhile. ``failed_before``: the last request for the same URL failed.
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
        """Return whether anything may still be asked; if not, let the next one find that out."""
        if not self._may_ask():
            host.lock.release()
            return False
        return True

    def release(self, name: str, *, connected: bool, answered: bool, paused: str | None = None) -> None:
        """The request is over. ``answered``: anything at all came back. ``paused``: the host wants to be left alone by
        whoever has this login, which may be empty."""
        host = self._hosts[name]
        if paused is not None:
            host.paused.add(paused)
        host.unconnected = 0 if connected else host.unconnected + 1
        host.unanswered = 0 if answered else host.unanswered + 1
        host.last_request = asyncio.get_running_loop().time()
        host.lock.release()
