"""Run the web server.

It binds the port first, so that a port in use gives a clear error. SIGTERM and SIGINT stop it gracefully.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from iscore.core.clock import Clock
from iscore.services.news_filter import NewsFilter
from iscore.services.picture_cache import PictureCache
from iscore.services.pictures import Pictures
from iscore.web.app import is_public, make_app
from iscore.web.background_worker import BackgroundWorker
from iscore.web.connections import MOST_CONNECTIONS, LimitedConnection
from iscore.web.context import AppContext
from iscore.web.errors import ServeError
from iscore.web.model_process import ModelProcess
from iscore.web.security.client_address import ClientAddress
from iscore.web.security.credentials import CredentialStore

HEADER_BYTES = 16_384
KEEP_ALIVE = 20
"""Seconds."""
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
    trusted_proxies: Sequence[str] = (),
    ready: Callable[[str], None],
    log: Callable[[str], None],
) -> None:
    """Serve a data folder until a signal stops the server.

    ``port`` 0 takes any free port. ``ready`` gets the URL when the server accepts connections. Raises ``ServeError``
    if the port is not available, or if the server would be public without a password.
    """
    credentials = CredentialStore(folder)
    clients = ClientAddress(trusted_proxies)
    if (trusted_proxies or is_public(host, address)) and not credentials.read().password:
        raise ServeError(
            f"other machines can reach {address or host}: set a password first with `iscore serve --set-password`"
        )
    with listening(host, port) as bound:
        bound_port = bound.getsockname()[1]
        worker = BackgroundWorker(news, ModelProcess(folder), log)
        pictures = Pictures(PictureCache(news.context.folder.pictures), news.context.poll_settings)
        context = AppContext(news, worker, credentials, clock, pictures, clients=clients)
        app = make_app(context, host=host, port=bound_port, address=address, log=log)
        worker.start()
        shown = reachable(host)
        url = f"http://[{shown}]:{bound_port}/" if ":" in shown else f"http://{shown}:{bound_port}/"
        try:
            _Server(app, lambda: ready(url)).run(sockets=[bound])
        finally:
            worker.stop(SHUTDOWN_TIMEOUT)
            pictures.close()


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


class _Server(uvicorn.Server):
    """Uvicorn that stops cleanly on a signal and calls ``ready`` when it accepts connections."""

    def __init__(self, application: object, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
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
