"""Protection against requests to private networks (SSRF).

Strangers choose the addresses of feeds, redirects and DNS answers. Each address is checked when the socket is made,
after the name was resolved. So neither a redirect nor DNS rebinding reaches this machine or its local network, even if
these have public addresses.

On Linux the kernel lists the addresses of this machine's interfaces (rtnetlink(7)). That takes a tenth of a
millisecond, so nothing is cached, and a network that was just joined counts at once. On other systems only the
machine's own addresses are known, not their networks.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

_NOT_PUBLIC_V4 = (
    IPv4Network("0.0.0.0/8"),  # "this network"; 0.0.0.0 connects to the machine itself
    IPv4Network("192.0.0.0/24"),  # protocol assignments; partly global for some versions of Python
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, abandoned; Python calls them global
)
_GLOBAL_V6 = IPv6Network("2000::/3")
"""All addresses that IANA has assigned to the public internet, except those of ``_NOT_PUBLIC_V6``."""
_NOT_PUBLIC_V6 = (
    IPv6Network("2001::/23"),  # protocol assignments, such as Teredo: tunnels to any IPv4 address that the sender wants
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4: tunnels in the same way
    IPv6Network("3fff::/20"),  # documentation
)
_NAT64 = IPv6Network("64:ff9b::/96")


_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
_ADDRESS = struct.Struct("=BBBBI")  # family, prefix length, flags, scope, interface
_ATTRIBUTE = struct.Struct("=HH")  # length, type
_GET_ADDRESSES, _NEW_ADDRESS, _REQUEST_ALL = 22, 20, 0x301
_ERROR, _DONE = 2, 3
_PEER, _LOCAL = 1, 2
"""Types of attributes. Without a peer, both hold the interface's own address."""
_SIZES = {socket.AF_INET: 4, socket.AF_INET6: 16}
_TIMEOUT = 1.0
"""Seconds; the kernel answers at once."""


class PrivateAddressError(OSError):
    """A host has a private address. An ``OSError``, since callers expect connecting to raise one.

    The text is the same for every address, so that several refused addresses of one name make one error.
    """

    def __init__(self) -> None:
        super().__init__("the address is in a private network")


def is_public(address: str) -> bool:
    """Whether an IP address (text, with or without a zone) belongs to the public internet.

    Stricter than ``is_global`` of ``ipaddress``, which is true for multicast and for several IPv6 forms that contain
    another address. For an address with the public NAT64 prefix the IPv4 address inside decides, since a network
    without IPv4 reaches the internet that way. False for a text that is not an IP address.
    """
    ip = _parsed(address)
    if isinstance(ip, IPv6Address):
        return ip in _GLOBAL_V6 and not any(ip in network for network in _NOT_PUBLIC_V6)
    if ip is None or ip.is_multicast:
        return False
    return ip.is_global and not any(ip in network for network in _NOT_PUBLIC_V4)


def may_be_asked(address: str) -> bool:
    """Whether an IP address is public and outside the networks of this machine, which may have public addresses too."""
    ip = _parsed(address)
    return ip is not None and is_public(address) and not is_in_own_network(ip)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Return the address, or the IPv4 address that it contains; None if the text is not an IP address."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, IPv4Address):
        return ip
    return ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else ip)


def guarded_socket(address: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
    """Return a socket for one result of ``getaddrinfo``. Raises ``PrivateAddressError`` for a private address."""
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


def is_in_own_network(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to this machine, or to a network that one of its interfaces is in."""
    if hasattr(socket, "AF_NETLINK"):
        try:
            return any(address in ip_network((own, prefix), strict=False) for own, prefix in _interfaces())
        except OSError:
            pass  # such as a sandbox that forbids it
    return _can_bind(address)


def _interfaces() -> Iterator[tuple[bytes, int]]:
    """Yield the addresses of all interfaces and of their peers, each with the length of its network's prefix."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.settimeout(_TIMEOUT)
        kernel.send(
            _HEADER.pack(_HEADER.size + _ADDRESS.size, _GET_ADDRESSES, _REQUEST_ALL, 1, 0) + bytes(_ADDRESS.size)
        )
        while True:
            answer = kernel.recv(1 << 16)
            while answer:
                length, kind, *_ = _HEADER.unpack_from(answer)
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    raise OSError("the kernel lists no interfaces")
                if kind == _NEW_ADDRESS:
                    yield from _addresses(answer[_HEADER.size : length])
                answer = answer[_aligned(length) :]


def _addresses(message: bytes) -> Iterator[tuple[bytes, int]]:
    family, prefix, *_ = _ADDRESS.unpack_from(message)
    size = _SIZES.get(family, 0)
    attributes = message[_ADDRESS.size :]
    while len(attributes) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(attributes)
        if kind in (_PEER, _LOCAL) and length == _ATTRIBUTE.size + size:
            yield attributes[_ATTRIBUTE.size : length], prefix
        attributes = attributes[max(_aligned(length), _ATTRIBUTE.size) :]


def _aligned(length: int) -> int:
    return (length + 3) & ~3


def _can_bind(address: IPv4Address | IPv6Address) -> bool:
    """Whether the address is this machine's own: one can listen there."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
