"""How a process and the extractor behind it talk: a length, and so many bytes."""

from __future__ import annotations

import socket
import struct
import time

_LENGTH = struct.Struct("<Q")
_PIECE = 1 << 20


def send(channel: socket.socket, body: bytes) -> None:
    """Send one frame. Raises ``OSError``."""
    channel.sendall(_LENGTH.pack(len(body)) + body)


def receive(channel: socket.socket, seconds: float | None = None) -> bytes:
    """Return the next frame. Raises ``EOFError`` when the other side is gone, ``TimeoutError``, ``OSError``.

    ``seconds``: for all of it; None waits as long as it takes.
    """
    until = None if seconds is None else time.monotonic() + seconds
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size, until))
    return _exactly(channel, length, until)


def _exactly(channel: socket.socket, length: int, until: float | None) -> bytes:
    body = bytearray()
    while len(body) < length:
        if until is not None:
            channel.settimeout(max(until - time.monotonic(), 0.001))
        piece = channel.recv(min(length - len(body), _PIECE))
        if not piece:
            raise EOFError("the other side is gone")
        body += piece
    return bytes(body)
