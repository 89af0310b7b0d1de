"""Run the web server.

It binds the port first, so that a port in use gives a clear error. SIGTERM and SIGINT stop it gracefully.
"""

from __future__ import annotations

import signal
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from iscore.core.clock import Clock
from iscore.core.errors import os_problem
from iscore.services.insight.server_overview import ServerOverview
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts, LoginAttempts
from iscore.services.people.identities import Identities
from iscore.services.reading.picture_cache import PictureCache
from iscore.services.reading.pictures import Pictures
from iscore.web.app import is_public, make_app
from iscore.web.base_path import base_path
from iscore.web.context import AppContext
from iscore.web.errors import ServeError
from iscore.web.http_connections import MOST_CONNECTIONS, LimitedConnection
from iscore.web.metrics import Metrics, MetricsAccess
from iscore.web.model_process import ModelProcess
from iscore.web.request_log import HandledRequest
from iscore.web.routes.health import Readiness
from iscore.web.routes.hubs import HubCallbacks
from iscore.web.security.access import SignOn, is_set_up
from iscore.web.security.client_address import ClientAddress
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.openid import OpenId, OpenIdSettings, is_installed
from iscore.web.security.passwords import OF_APPS, LoginLimits
from iscore.web.security.setup_link import SetupLink
from iscore.web.user_pool import UserPool

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
    sign_on: SignOn | None = None,
    openid: OpenIdSettings | None = None,
    passwords: bool = True,
    hub_address: str = "",
    tls: Certificate | None = None,
    metrics: MetricsAccess | None = None,
    observe: Callable[[HandledRequest], None] = lambda _: None,
    wake: Callable[[], None] | None = None,
    ready: Callable[[str, str], None],
    log: Callable[[str], None],
) -> None:
    """Serve a data folder until a signal stops the server.

    ``port`` 0 takes any free port. ``ready`` gets the URL when the server accepts connections, and the link to set it
    up, or an empty string. ``openid``: a provider with which users may sign in; ``passwords``: whether they may with
    passwords. ``hub_address``: the public URL at which hubs reach the server, or empty. ``metrics``: who
    may ask for them; None: nobody. ``observe`` gets each request when it is answered. ``wake`` has what polls in
    this process check at once what is due; None: nothing polls here. ``tls``: the certificate, for a server that speaks
    HTTPS itself. Raises ``ServeError`` if the port is not available, the certificate cannot be used, or the server
    would be public without a password.
    """
    credentials, accounts = CredentialStore(folder), Accounts(news.database, clock)
    clients = ClientAddress(trusted_proxies)
    by_header = sign_on is not None and bool(sign_on.header)
    if not passwords and not by_header and openid is None:
        raise ServeError("password_sign_in is off and nobody could sign in: set openid_issuer or sign_on_header")
    if openid is not None and not is_installed():
        raise ServeError("openid_issuer needs a library: pip install 'iscore-news[openid]'")
    if (by_header and sign_on is not None and sign_on.adds_readers) or (openid is not None and openid.adds_readers):
        news.people.move_documents()
    credentials.adopt_password(accounts)
    present = accounts.present()
    set_up = is_set_up(present, credentials.read())
    open_ = present.only is not None and not present.only.has_password
    if set_up and open_ and (trusted_proxies or is_public(host, address) or is_public(host, hub_address)):
        where = address or hub_address or host
        raise ServeError(f"other machines can reach {where}: set a password first with `iscore serve --set-password`")
    if tls is not None:
        tls.check()
    with listening(host, port) as bound:
        bound_port = bound.getsockname()[1]
        users = UserPool(news.context.folder, news.database, clock, ModelProcess(folder), log)
        pictures = Pictures(PictureCache(news.context.folder.pictures), news.context.poll_settings)
        setup = SetupLink(clock())
        attempts = LoginAttempts(news.database, clock)
        secret, known = credentials.read().secret, attempts.list()
        context = AppContext(
            users,
            accounts,
            credentials,
            clock,
            pictures,
            setup,
            clients=clients,
            logins=LoginLimits(secret, known, attempts.save),
            app_logins=LoginLimits(secret, known, attempts.save, prefix=OF_APPS),
            openid=None if openid is None else OpenId(openid, Identities(news.database, clock), clock),
            passwords=passwords,
            wake=wake,
        )
        app = make_app(
            context,
            host=host,
            port=bound_port,
            address=address,
            log=log,
            readiness=Readiness(news.database, log),
            overview=ServerOverview(news.database, clock),
            callbacks=HubCallbacks(
                news.database, clock, address=hub_address, max_body=news.context.poll_settings.max_body
            ),
            observe=observe,
            metrics=None if metrics is None else (Metrics(news.database, clock), metrics),
            tls=tls is not None,
            sign_on=sign_on,
        )
        if set_up and present.only is not None:
            users.entry(present.only.id)  # so that the first page has its reasons
        shown = reachable(host)
        scheme = "http" if tls is None else "https"
        root = f"{scheme}://[{shown}]:{bound_port}" if ":" in shown else f"{scheme}://{shown}:{bound_port}"
        root += base_path(address)
        link = "" if set_up else (address.rstrip("/") or root) + setup.path
        try:
            _Server(app, lambda: ready(f"{root}/", link), tls).run(sockets=[bound])
        finally:
            users.close(SHUTDOWN_TIMEOUT)
            pictures.close()


@dataclass(frozen=True, slots=True)
class Certificate:
    """Files in PEM format; an empty ``key``: it is in the file of the certificate."""

    certificate: str
    key: str = ""

    def check(self) -> None:
        """Raise ``ServeError`` unless the files can be used."""
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key or None, password="")
        except (OSError, ValueError) as error:  # SSLError is an OSError
            reason = os_problem(error) if isinstance(error, OSError) and error.errno else str(error)
            raise ServeError(f"the certificate {self.certificate} cannot be used: {reason}") from error


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
