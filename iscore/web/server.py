"""Run the web server.

It binds the port first, so that a port in use gives a clear error. SIGTERM and SIGINT stop it gracefully.
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
from iscore.web.app import is_public, make_app
from iscore.web.background_worker import BackgroundWorker
from iscore.web.context import AppContext
from iscore.web.errors import ServeError
from iscore.web.security.credentials import CredentialStore

HEADER_BYTES = 16_384
HEADER_SECONDS = 10.0
"""Limit for receiving the headers of a request."""
KEEP_ALIVE = 20
"""Seconds."""
CONNECTIONS = 200
SHUTDOWN_TIMEOUT = 5
"""Seconds for open requests when the server stops."""


def serve(
    news: NewsFilter,
    folder: Path,
    *,
    clock: Clock,
    host: str,
    port: int,
    address: str,
    ready: Callable[[str], None],
    log: Callable[[str], None],
) -> None:
    """Serve a data folder until a signal stops the server.

    ``port`` 0 takes any free port. ``ready`` gets the URL when the server accepts connections. Raises ``ServeError``
    if the port is not available, or if the server would be public without a password.
    """
    credentials = CredentialStore(folder)
    if is_public(host, address) and not credentials.read().password:
        raise ServeError(
            f"other machines can reach {address or host}: set a password first with `iscore serve --set-password`"
        )
    with listening(host, port) as bound:
        bound_port = bound.getsockname()[1]
        worker = BackgroundWorker(news, log)
        context = AppContext(news, worker, credentials, clock)
        app = make_app(context, host=host, port=bound_port, address=address, log=log)
        worker.start()
        shown = f"[{host}]" if ":" in host else host
        try:
            _Server(app, lambda: ready(f"http://{shown}:{bound_port}/")).run(sockets=[bound])
        finally:
            worker.stop(SHUTDOWN_TIMEOUT)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Bind a port. Raises ``ServeError``."""
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
                raise ServeError(
                    f"no permission to listen on port {port}; use a port above 1023 with --port"
                ) from error
            raise ServeError(
                f"cannot listen on {host}:{port} ({error.strerror}); is `iscore serve` running already? "
                "Use another port with --port; 0 takes any free one"
            ) from error
        yield found


class _Server(uvicorn.Server):
    """Uvicorn that stops cleanly on a signal and calls ``ready`` when it accepts connections."""

    def __init__(self, application: object, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                application,  # type: ignore[arg-type]
                http=HeaderDeadlineProtocol,
                ws="none",
                lifespan="off",
                interface="asgi3",
                loop="asyncio",
                log_config=None,
                log_level="critical",  # malformed requests are not worth a log line
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
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
        """Stop on a signal without raising it again: stopping on request is not a failure."""
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


class HeaderDeadlineProtocol(H11Protocol):
    """Uvicorn's HTTP protocol with a deadline for the headers of a request (slowloris).

    Overrides parts of uvicorn that are not documented; ``pyproject.toml`` limits its version, and a test names them.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and (self.cycle is None or self.cycle.response_complete):
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._close)
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel_deadline()

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()
