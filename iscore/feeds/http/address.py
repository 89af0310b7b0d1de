"""The one place where outgoing addresses are judged.

Feeds come from strangers, and so do redirects and DNS answers. An address is judged twice: its spelling
before anything is done with it (``check_url``), and the number that the name really led to when the socket is
made (``guarded_socket``), so that neither a redirect nor a name that changes its mind reaches the machine
itself or the network it stands in.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from iscore.feeds.errors import AddressError

MAX_LENGTH = 4_000
"""Longest address accepted; real ones stay below 2,000 characters."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_PUBLIC_V4 = (
    IPv4Network("0.0.0.0/8"),  # "this network"; 0.0.0.0 connects to the machine itself
    IPv4Network("192.0.0.0/24"),  # protocol assignments; partly global for some versions of Python
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, abandoned; Python calls them global
)
_NOT_PUBLIC_V6 = (
    IPv6Network("::/96"),  # unspecified, loopback, and IPv4 in its long abandoned "compatible" form
    IPv6Network("64:ff9b:1::/48"),  # translation prefixes for local use
    IPv6Network("2001::/32"),  # Teredo: tunnels to an IPv4 address of the sender's choice
    IPv6Network("2002::/16"),  # 6to4: likewise
    IPv6Network("fec0::/10"),  # site-local, the former private addresses
)
_NAT64 = IPv6Network("64:ff9b::/96")


class PrivateAddressError(OSError):
    """A name led into a private network. An ``OSError``, because that is what connecting may raise.

    Its text is the same for every address, so that several refused addresses of one name are one error.
    """

    def __init__(self) -> None:
        super().__init__("the address is in a private network")


def is_public(address: str) -> bool:
    """Whether an IP address (text, with or without a zone) belongs to the public internet.

    Stricter than ``ipaddress``'s ``is_global``, which is true for multicast and for several IPv6 forms that
    only wrap another address. An address of the public NAT64 prefix is judged by the IPv4 address inside:
    that is how a network without IPv4 reaches the rest of the world. What is no IP address is not public.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        inner = ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        if inner is None:
            return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOT_PUBLIC_V6)
        ip = inner
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOT_PUBLIC_V4)


def guarded_socket(address: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
    """A socket for one result of ``getaddrinfo``; raises ``PrivateAddressError`` instead of making one to a
    private address."""
    family, kind, protocol, _, target = address
    if not is_public(str(target[0])):
        raise PrivateAddressError
    return socket.socket(family, kind, protocol)


def check_url(url: str) -> str:
    """The address without surrounding blanks and fragment, if a feed may be fetched from it.

    Raises ``AddressError`` for everything that is not plain http or https with a host: other schemes, blanks
    and control characters inside, backslashes (which parsers disagree about), impossible ports. Names are not
    resolved here.
    """
    url = url.strip()
    if not url:
        raise AddressError(url, "is empty")
    if len(url) > MAX_LENGTH:
        raise AddressError(url[:60] + "…", f"is longer than {MAX_LENGTH} characters")
    if not url.isprintable() or "\\" in url or any(map(str.isspace, url)):
        raise AddressError(url, "has blanks, backslashes or control characters inside")
    url = url.partition("#")[0]
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressError(url, f"cannot be understood ({error})") from error
    if parts.scheme not in _DEFAULT_PORTS:
        hint = (
            "begin it with https://" if not parts.scheme or "." in parts.scheme else "only http and https are fetched"
        )
        raise AddressError(url, f"is no web address: {hint}")
    if not host or ("%" in host and ":" not in host):  # in IPv6 numbers a zone may follow
        raise AddressError(url, "has no possible host")
    if port == 0:
        raise AddressError(url, "has an impossible port")
    return url


def is_private_literal(url: str) -> bool:
    """Whether the host of a checked address is itself a number that is not public. False for names."""
    host = urlsplit(url).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return not is_public(host)


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port: what must be equal for a password to be sent again."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _DEFAULT_PORTS.get(parts.scheme)


def sameness(url: str) -> str:
    """A key under which two spellings of the same address are equal: case of scheme and host, default port,
    bare path."""
    parts = urlsplit(url)
    scheme, host, port = origin(url)
    login = parts.netloc.rpartition("@")[0]
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}://{login}@{host}:{port}{parts.path or '/'}{query}"


def shown(url: str) -> str:
    """The address as it may appear on screens, pages and in logs: without user name and password."""
    scheme, slashes, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{authority.rpartition('@')[2]}{slash}{path}" if slashes else url
