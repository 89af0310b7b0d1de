"""Run the web server.

It binds the port first, so that a port in use gives a clear error. SIGTERM and SIGINT stop it gracefully.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import h11
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from iscore.core.clock import Clock
from iscore.core.errors import ServeError
from iscore.services.news_filter import NewsFilter
from iscore.web.app import make_app, make_context
from iscore.web.base_path import base_path
from iscore.web.config import Certificate, ServerConfig, known_hosts
from iscore.web.metrics import METRICS, Metrics, MetricsAccess, MetricsRequests
from iscore.web.model_process import ModelProcess
from iscore.web.security.access import is_set_up
from iscore.web.security.client_address import ClientAddress
from iscore.web.security.openid import is_installed

HEADER_BYTES = 16_384
KEEP_ALIVE = 20
"""Seconds."""
SHUTDOWN_TIMEOUT = 5
"""Seconds for open requests when the server stops."""
SMALLEST_CHUNK = 16
"""Bytes for each end of a line, where a body comes in chunks: one of a byte takes as long to read as one of 64 kB."""
MOST_TINY = 100
"""Ends of lines in one piece of such a body that are always read."""
HEADER_SECONDS = 10.0
"""Limit for receiving the headers of a request."""
CONNECTIONS = 300
"""With more, waiting ones are closed."""
MOST_CONNECTIONS = 500
"""With more, requests are refused (503). Half of what a process may usually open."""


def serve(news: NewsFilter, config: ServerConfig) -> None:
    """Serve a data folder until a signal stops the server.

    Raises ``ServeError`` if the port is not available, the certificate cannot be used, or the server would be public
    without a password.
    """
    _check_sign_in(config)
    adds_readers = config.sign_on.header and config.sign_on.adds_readers
    if adds_readers or (config.openid is not None and config.openid.adds_readers):
        news.people.move_documents()
    context = make_context(config, news, ModelProcess(news.context.folder.path))
    present = context.accounts.present()
    set_up = is_set_up(present, context.credentials.read())
    open_ = present.only is not None and not present.only.has_password
    if set_up and open_ and (config.trusted_proxies or config.is_public):
        where = config.address or config.hub_address or config.host
        raise ServeError(f"other machines can reach {where}: set a password first with `iscore serve --set-password`")
    if config.tls is not None:
        config.tls.check()
    with listening(config.host, config.port) as bound:
        port = bound.getsockname()[1]
        app = make_app(context, replace(config, port=port), news)
        if set_up and present.only is not None:
            context.users.entry(present.only.id)  # so that the first page has its reasons
        shown = reachable(config.host)
        scheme = "http" if config.tls is None else "https"
        root = f"{scheme}://[{shown}]:{port}" if ":" in shown else f"{scheme}://{shown}:{port}"
        root += base_path(config.address)
        link = "" if set_up else (config.address.rstrip("/") or root) + context.setup.path
        try:
            _Server(app, lambda: config.ready(f"{root}/", link), config.tls).run(sockets=[bound])
        finally:
            context.users.close(SHUTDOWN_TIMEOUT)
            context.pictures.close()


def _check_sign_in(config: ServerConfig) -> None:
    """Raise ``ServeError`` if nobody could sign in."""
    if not config.passwords and not config.sign_on.header and config.openid is None:
        raise ServeError("password_sign_in is off and nobody could sign in: set openid_issuer or sign_on_header")
    if config.openid is not None and not is_installed():
        raise ServeError("openid_issuer needs a library: pip install 'iscore-news[openid]'")


def reachable(host: str) -> str:
    """Return an address under which browsers find a server that listens on ``host``.

    For all addresses of this machine (0.0.0.0, ::) that is the one with which it reaches other networks.
    """
    if host not in ("0.0.0.0", "::"):  # noqa: S104 -- compared, not bound
        return host
    family, elsewhere, loopback = (
        (socket.AF_INET6, "2001:db8::1", "::1") if ":" in host else (socket.AF_INET, "192.0.2.1", "127.0.0.1")
    )
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((elsewhere, 9))  # sends nothing: a datagram socket only chooses its route
        except OSError:
            return loopback
        return str(probe.getsockname()[0])


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


def uvicorn_config(application: object, tls: Certificate | None = None) -> uvicorn.Config:
    """Return how an ASGI app is served: with limits, and without a word."""
    return uvicorn.Config(
        application,  # type: ignore[arg-type]
        http=LimitedConnection,
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
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=HEADER_BYTES,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=(tls.key or None) if tls else None,
    )


class _Server(uvicorn.Server):
    """Uvicorn that stops cleanly on a signal and calls ``ready`` when it accepts connections."""

    def __init__(self, application: object, ready: Callable[[], None], tls: Certificate | None) -> None:
        super().__init__(uvicorn_config(application, tls))
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
        for begin in range(0, len(data), HEADER_BYTES):
            piece = data[begin : begin + HEADER_BYTES]
            if self._has_tiny_chunks(piece):
                self.transport.abort()
            if not self._is_open():
                return
            self._receive(piece)

    def _has_tiny_chunks(self, data: bytes) -> bool:
        """Whether this is a body of chunks so small that reading them takes the time of others."""
        chunked = self.conn.their_state is h11.SEND_BODY and any(
            name == b"transfer-encoding" for name, _ in self.headers
        )
        return chunked and data.count(b"\r\n") > max(MOST_TINY, len(data) // SMALLEST_CHUNK)

    def _receive(self, data: bytes) -> None:
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


@contextmanager
def serving_metrics(address: str, access: MetricsAccess, clock: Clock) -> Iterator[str]:
    """Answer requests for ``/metrics`` while the block runs; gives the URL.

    ``address``: host and port, such as ``127.0.0.1:8474`` or ``[::1]:8474``; port 0 takes any free one. Raises
    ``ServeError`` if that is no address, or not available.
    """
    host, port = _parts(address)
    with listening(host, port) as bound:
        app = MetricsRequests(
            PlainTextResponse("Not Found\n", 404),
            Metrics(None, clock),
            access,
            ClientAddress(),
            known_hosts(host),
        )
        server = uvicorn.Server(uvicorn_config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="metrics", daemon=True)
        thread.start()
        try:
            shown = f"[{host}]" if ":" in host else host
            yield f"http://{shown}:{bound.getsockname()[1]}{METRICS}"
        finally:
            server.should_exit = True
            thread.join()


def _parts(address: str) -> tuple[str, int]:
    """Return host and port. Raises ``ServeError``.

    >>> _parts("[::1]:8474")
    ('::1', 8474)
    """
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ServeError(f"--metrics {address}: write an address and a port, such as 127.0.0.1:8474")
    return host.removeprefix("[").removesuffix("]"), int(port)
