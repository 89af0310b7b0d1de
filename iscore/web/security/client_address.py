"""Who sends a request: the other end of the connection, or the client that a trusted proxy names.

A client can send ``X-Forwarded-For`` itself, so only the last names count, those that trusted proxies have added.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.requests import Request

from iscore.core.errors import ServeError

FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
"""Headers that proxies add."""


class ClientAddress:
    """Finds the address of a request's client.

    ``trusted`` are addresses and networks of proxies. Raises ``ServeError`` if one is invalid.
    """

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        try:
            self._networks = [ip_network(each) for each in trusted]
        except ValueError as error:
            raise ServeError(
                f"trusted proxy: {error}; write an address or a network, as 127.0.0.1 or 10.0.0.0/8"
            ) from error

    def of(self, request: Request) -> str:
        """Return the address of the client.

        Clients of a proxy that is not trusted cannot be told apart, but from those who connect directly.
        """
        peer = _peer(request)
        if self.is_untrusted_proxy(request):
            return f"{peer} as a proxy"
        if not self._trusts(peer):
            return peer
        named = [each.strip() for line in request.headers.getlist("x-forwarded-for") for each in line.split(",")]
        return next((each for each in reversed(named) if each and not self._trusts(each)), peer)

    def is_untrusted_proxy(self, request: Request) -> bool:
        """Whether a proxy that is not trusted sends a request."""
        return through_proxy(request) and not self._trusts(_peer(request))

    def is_trusted_proxy(self, request: Request) -> bool:
        """Whether a trusted proxy sends a request."""
        return self._trusts(_peer(request))

    def _trusts(self, address: str) -> bool:
        found = parsed(address)
        return found is not None and any(found in network for network in self._networks)


def parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, also one of IPv4 in IPv6, or with a port; None if it is none."""
    bare = address.partition("]")[0].removeprefix("[") if address.startswith("[") else address
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ip_address(bare)
    except ValueError:
        return None
    return (isinstance(found, IPv6Address) and found.ipv4_mapped) or found


def through_proxy(request: Request) -> bool:
    """Whether a request came through a proxy. Browsers speak HTTP/1.1 or newer; some proxies still use HTTP/1.0."""
    return request.scope["http_version"] == "1.0" or any(name in request.headers for name in FORWARDED)


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""
