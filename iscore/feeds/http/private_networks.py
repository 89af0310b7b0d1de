"""Protection against requests to private networks (SSRF).

Feeds come from strangers, and so do redirects and DNS answers. Each address is checked when the socket is made, after
the name was resolved, so that neither a redirect nor DNS rebinding reaches this machine or its local network, even if
they have public addresses.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from iscore.feeds.http.own_networks import is_in_own_network

_NOT_PUBLIC_V4 = (
    IPv4Network("0.0.0.0/8"),  # "this network"; 0.0.0.0 connects to the machine itself
    IPv4Network("192.0.0.0/24"),  # protocol assignments; partly global for some versions of Python
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, abandoned; Python calls them global
)
_GLOBAL_V6 = IPv6Network("2000::/3")
"""All that IANA has given out for the public internet, except:"""
_NOT_PUBLIC_V6 = (
    IPv6Network("2001::/23"),  # protocol assignments, such as Teredo: tunnels to an IPv4 address of the sender's choice
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4: tunnels, likewise
    IPv6Network("3fff::/20"),  # documentation
)
_NAT64 = IPv6Network("64:ff9b::/96")


class PrivateAddressError(OSError):
    """A host has a private address. An ``OSError``, since that is what connecting may raise.

    The text is the same for every address, so that several refused addresses of one name are one error.
    """

    def __init__(self) -> None:
        super().__init__("the address is in a private network")


def is_public(address: str) -> bool:
    """Whether an IP address (text, with or without a zone) belongs to the public internet.

    Stricter than ``ipaddress``'s ``is_global``, which is true for multicast and for several IPv6 forms that contain
    another address. For an address of the public NAT64 prefix the IPv4 address inside decides: that is how a network
    without IPv4 reaches the internet. False for a text that is no IP address.
    """
    ip = _parsed(address)
    if isinstance(ip, IPv6Address):
        return ip in _GLOBAL_V6 and not any(ip in network for network in _NOT_PUBLIC_V6)
    if ip is None or ip.is_multicast:
        return False
    return ip.is_global and not any(ip in network for network in _NOT_PUBLIC_V4)


def may_be_asked(address: str) -> bool:
    """Whether an IP address is public and not in a network of this machine, which may have public addresses, too."""
    ip = _parsed(address)
    return ip is not None and is_public(address) and not is_in_own_network(ip)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Return an address, or the IPv4 address inside it that is meant; None for a text that is none."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, IPv4Address):
        return ip
    return ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else ip)


def guarded_socket(address: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
    """Return a socket for one result of ``getaddrinfo``. Raises ``PrivateAddressError`` for an address inside."""
    family, kind, protocol, _, target = address
    if not may_be_asked(str(target[0])):
        raise PrivateAddressError
    return socket.socket(family, kind, protocol)


def is_private_literal(url: str) -> bool:
    """Whether the host of a checked URL is an IP address that is not public, or localhost. False for other names."""
    host = urlsplit(url).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return not is_public(host)
