"""The networks that this machine is in, by the addresses of its interfaces now.

On Linux the kernel lists them (rtnetlink(7)), which takes a tenth of a millisecond: nothing is cached, and a network
that one joins counts at once. Elsewhere only the machine's own addresses are known, not their networks.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network

_HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
_ADDRESS = struct.Struct("=BBBBI")  # family, prefix length, flags, scope, interface
_ATTRIBUTE = struct.Struct("=HH")  # length, type
_GET_ADDRESSES, _NEW_ADDRESS, _REQUEST_ALL = 22, 20, 0x301
_ERROR, _DONE = 2, 3
_PEER, _LOCAL = 1, 2
"""Attributes. Without a peer, both are the interface's own address."""
_SIZES = {socket.AF_INET: 4, socket.AF_INET6: 16}
_TIMEOUT = 1.0
"""Seconds; the kernel answers at once."""


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
