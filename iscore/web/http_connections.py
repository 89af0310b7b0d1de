"""Connections that wait for their client are limited in time and number.

When there are too many, the address that has most of them loses one: a client that opens hundreds and sends nothing, or
a byte now and then (slowloris), keeps nobody else out. Connections whose request is being answered are never closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""Limit for receiving the headers of a request."""
CONNECTIONS = 300
"""With more, waiting ones are closed."""
MOST_CONNECTIONS = 500
"""With more, requests are refused (503). Half of what a process may usually open."""


class LimitedConnection(H11Protocol):
    """Uvicorn's HTTP protocol with these limits.

    Overrides parts of uvicorn that are not documented; ``pyproject.toml`` limits its version, and a test names them.
    """

    _deadline: asyncio.TimerHandle | None = None
    _active = 0.0
    """When it was opened, or last received anything, by the clock of the loop."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._active = self.loop.time()
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._close)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._active = self.loop.time()
        if self._deadline is None and (self.cycle is None or self.cycle.response_complete):
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._close)
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel_deadline()

    def _make_room(self) -> None:
        """Close a waiting connection if there are too many."""
        if len(self.connections) <= CONNECTIONS:
            return
        connections = [each for each in self.connections if isinstance(each, LimitedConnection) and each._is_open()]
        waiting = [each for each in connections if each._is_waiting()]
        if len(connections) > CONNECTIONS and waiting:
            ((most, _),) = Counter(each._address() for each in waiting).most_common(1)
            crowd = (each for each in waiting if each._address() == most)
            min(crowd, key=lambda each: each._active).transport.abort()

    def _is_open(self) -> bool:
        return not self.transport.is_closing()

    def _is_waiting(self) -> bool:
        """Whether it waits for its client: for a request, or for the rest of one."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if self._is_open():
            self.transport.close()
