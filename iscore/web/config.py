"""How a server runs: where it listens, who may come in, and what it reports."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import Request

from iscore.core.errors import ServeError, os_problem
from iscore.web.metrics import MetricsAccess
from iscore.web.request_log import HandledRequest
from iscore.web.security.access import SignOn
from iscore.web.security.headers_and_hosts import LOOPBACK, host_of, is_address
from iscore.web.security.openid import OpenIdSettings


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


@dataclass(frozen=True)
class ServerConfig:
    """What the owner of a server has chosen, and who hears of it."""

    host: str
    """The address that the server listens on."""
    port: int
    """0: any free one."""
    log: Callable[[str], None]
    """Gets one line for each error."""
    address: str = ""
    """The public URL; empty: none but that of ``host``."""
    hub_address: str = ""
    """The public URL at which hubs reach the server; empty: they do not."""
    trusted_proxies: Sequence[str] = ()
    sign_on: SignOn = field(default_factory=SignOn)
    openid: OpenIdSettings | None = None
    """A provider with which users may sign in."""
    passwords: bool = True
    """Whether users may sign in with passwords."""
    tls: Certificate | None = None
    """For a server that speaks HTTPS itself."""
    metrics: MetricsAccess | None = None
    """Who may ask for metrics; None: nobody, there is no such page."""
    ready: Callable[[str, str], None] = lambda _address, _setup: None
    """Gets the URL when the server accepts connections, and the link to set it up, or an empty string."""
    observe: Callable[[HandledRequest], None] = lambda _: None
    """Gets each request when it is answered."""
    wake: Callable[[], None] | None = None
    """Has what polls in this process check at once what is due; None: nothing polls here."""
    pause_polls: Callable[[float], None] | None = None
    """Lets it begin no poll for some seconds, or until ``wake``."""

    @property
    def is_public(self) -> bool:
        """Whether other machines can connect, directly or through the proxy at one of the addresses."""
        return is_public(self.host, self.address) or is_public(self.host, self.hub_address)

    def is_secure(self, request: Request) -> bool:
        """Whether the browser speaks HTTPS, with the server itself or with the proxy at the public URL."""
        secure_host = _host(self.address) if is_https(self.address) else ""
        return self.tls is not None or (secure_host != "" and host_of(request.headers["host"]) == secure_host)

    @property
    def is_ours(self) -> Callable[[str], bool]:
        """The check of a request's host name."""
        return known_hosts(self.host, self.address, self.hub_address)


def known_hosts(host: str, *addresses: str) -> Callable[[str], bool]:
    """Return the check of a request's host name.

    Allowed are loopback names and the hosts of ``addresses``; IP addresses too when the server is reachable from other
    machines, since DNS cannot rebind those.
    """
    names = LOOPBACK | {_host(each) for each in addresses} - {""}
    public = not _is_loopback(host)
    return lambda name: name in names or (public and is_address(name))


def is_public(host: str, address: str) -> bool:
    """Whether other machines can connect, directly or through the proxy at ``address``."""
    return not _is_loopback(host) or bool(address and _host(address) not in LOOPBACK)


def is_https(address: str) -> bool:
    """Whether a URL has HTTPS."""
    return address.lower().startswith("https://")


def _is_loopback(host: str) -> bool:
    return host in ("127.0.0.1", "::1", "localhost")


def _host(address: str) -> str:
    return host_of(urlsplit(address).netloc.rpartition("@")[2])
