"""Listening, and ending well.

The port is taken before anything else, so that one that is in use is told in a sentence. SIGTERM and SIGINT end the
server after what it is answering.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from iscore.core.clock import Clock
from iscore.services.news_filter import NewsFilter
from iscore.web.app import is_public, make_application
from iscore.web.background_worker import Study
from iscore.web.context import Room
from iscore.web.errors import ServeError
from iscore.web.security.credentials import Vault

HEADER_BYTES = 16_384
HEADER_SECONDS = 10.0
"""For a request to be there, headers and all."""
KEEP_ALIVE = 20
"""Seconds that a connection may rest."""
CONNECTIONS = 200
LAST_ANSWERS = 5
"""Seconds for what is being answered when the server is to end."""


def serve(
    news: NewsFilter,
    folder: Path,
    *,
    clock: Clock,
    host: str,
    port: int,
    address: str,
    ready: Callable[[str], None],
    tell: Callable[[str], None],
) -> None:
    """Serve the pages of a home until a signal ends it.

    ``port`` 0 takes any that is free. ``ready`` is called with the address once browsers may come. Raises
    ``ServeError`` when the port cannot be had, and when others could come in without a password.
    """
    vault = Vault(folder)
    if is_public(host, address) and not vault.read().password:
        raise ServeError(
            f"others could read along at {address or host}: set a password first with `iscore serve --set-password`"
        )
    with listening(host, port) as place:
        found = place.getsockname()[1]
        study = Study(news, tell)
        room = Room(news, study, vault, clock)
        application = make_application(room, host=host, port=found, address=address, tell=tell)
        study.start()
        shown = f"[{host}]" if ":" in host else host
        try:
            _Server(application, lambda: ready(f"http://{shown}:{found}/")).run(sockets=[place])
        finally:
            study.stop(LAST_ANSWERS)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Take a port. Raises ``ServeError``."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        found = socket.socket(family, kind)
    except OSError as error:
        raise ServeError(f"cannot listen on {host}: {error.strerror}") from error
    with found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(place)
            found.listen()
        except OSError as error:
            if isinstance(error, PermissionError):
                raise ServeError(f"you may not listen on port {port}; choose one above 1023 with --port") from error
            raise ServeError(
                f"port {port} of {host} cannot be had ({error.strerror}); perhaps `iscore serve` runs already. "
                "Another port: --port 0 takes any that is free"
            ) from error
        yield found


class _Server(uvicorn.Server):
    """Uvicorn, with signals that end it in peace, and a word when it listens."""

    def __init__(self, application: object, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                application,  # type: ignore[arg-type]
                http=PunctualProtocol,
                ws="none",
                lifespan="off",
                interface="asgi3",
                loop="asyncio",
                log_config=None,
                log_level="critical",  # what strangers send is no news
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=LAST_ANSWERS,
                limit_concurrency=CONNECTIONS,
                h11_max_incomplete_event_size=HEADER_BYTES,
            )
        )
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on a signal, and do not raise it again: that the program was asked to end is no failure."""
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


class PunctualProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, for clients that come to the point.

    Uvicorn waits for ever for a request whose headers come a byte a minute.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._late = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._late = self.loop.call_later(HEADER_SECONDS, self._give_up)
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._in_time()

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self.transport.close()
