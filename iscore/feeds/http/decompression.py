"""Decodes Content-Encoding, with a limit on the decoded size."""

from __future__ import annotations

import re
import sys
import zlib
from typing import TypeAlias

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
"""What ``Body`` can decode, as a header."""

_MAX_MEMBERS = 64
"""Members of one gzip stream, or frames of zstd. Real answers have one; each costs a copy of the bytes that follow."""
_GZIP_MAGIC = b"\x1f\x8b"
_MAGIC = {"gzip": _GZIP_MAGIC, "x-gzip": _GZIP_MAGIC, "zstd": b"\x28\xb5\x2f\xfd"}
"""Beginnings of a further part. Other codings have one part."""
_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
"""8 MB, the most that RFC 9659 allows a server. zstd's own limit is 128 MB."""
_STEP = 65_536
"""Bytes that brotli may yield at a time. It exceeds its limit by as much again and more."""
_DOCUMENT = re.compile(rb"[\s\xef\xbb\xbf]{0,1000}[<{\[]|\xff\xfe|\xfe\xff")
"""Beginnings of feeds and pages."""


class CodingError(Exception):
    """The body does not match its headers. The message completes "the answer …"."""


class TooLargeError(CodingError):
    """The body, encoded or decoded, has more bytes than allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"is larger than {limit / 1e6:g} MB")


class _Brotli:
    """A decoder of brotli with the interface of the others."""

    unused_data = b""

    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._decoder.is_finished())

    def decompress(self, piece: bytes, most: int) -> bytes:
        """Decode until nothing is left, or a little more than ``most`` bytes have come."""
        found = bytearray(self._decoder.process(piece, output_buffer_limit=_STEP))
        while len(found) < most and not self._decoder.can_accept_more_data():
            found += self._decoder.process(b"", output_buffer_limit=_STEP)
        return bytes(found)


_Decoder: TypeAlias = "_Brotli | zstd.ZstdDecompressor | zlib._Decompress"


def _decoder(coding: str, first: int) -> _Decoder:
    """Return a decoder of a part that begins with the byte ``first``."""
    if coding == "br":
        return _Brotli()
    if coding == "zstd":
        return zstd.ZstdDecompressor(options=_WINDOW)
    if coding != "deflate":
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    # Some servers send "deflate" without its two header bytes, which the first byte shows.
    return zlib.decompressobj(zlib.MAX_WBITS if first & 0x0F == zlib.DEFLATED else -zlib.MAX_WBITS)


class Body:
    """Collects a body piece by piece. Never holds more than ``limit`` bytes, at any compression ratio.

    ``coding`` is the Content-Encoding header. A body of gzip without one is a file, and unpacked, too. Names that are
    no coding ("utf-8", "none") do not count if the body opens as a feed or page. Raises ``CodingError`` for other
    codings, for more than one coding, and for data that do not match their coding.
    """

    def __init__(self, coding: str, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._received = 0
        self._members = 0
        self.size = 0
        """Decoded bytes so far."""
        self._decoder: _Decoder | None = None
        names = [each.strip().lower() for each in coding.split(",")]
        known = [each for each in names if each in ("gzip", "x-gzip", "deflate", "br", "zstd")]
        if len(known) > 1:
            raise CodingError("is compressed more than once")
        self._coding = "".join(known)
        self._unknown = next((each for each in names if each not in ("", "identity", self._coding)), "")

    def add(self, piece: bytes) -> None:
        """Take the next bytes from the network."""
        self._received += len(piece)
        if not self._coding and self.size < len(_GZIP_MAGIC):
            piece, self._parts, self.size = b"".join((*self._parts, piece)), [], 0
            self._coding = "gzip" if piece.startswith(_GZIP_MAGIC) else ""
        if not self._coding:
            self._keep(piece)
            return
        if self._received > self._limit:
            raise TooLargeError(self._limit)
        try:
            self._unpack(piece)
        except (zlib.error, zstd.ZstdError, brotli.error) as error:
            raise CodingError("is not compressed as its header says") from error

    def _unpack(self, piece: bytes) -> None:
        while piece:
            if self._decoder is None:
                magic = _MAGIC.get(self._coding, b"")
                if self._members and not (magic and magic.startswith(piece[: len(magic)])):
                    return  # bytes after the end, which browsers ignore too
                self._members += 1
                if self._members > _MAX_MEMBERS:
                    raise CodingError("has too many compressed parts")
                self._decoder = _decoder(self._coding, piece[0])
            self._keep(self._decoder.decompress(piece, self._limit - self.size + 1))
            if not self._decoder.eof:
                return
            piece = self._decoder.unused_data
            self._decoder = None

    def _keep(self, piece: bytes) -> None:
        self._parts.append(piece[: self._limit - self.size])
        self.size += len(piece)
        if self.size > self._limit:
            raise TooLargeError(self._limit)

    def beginning(self) -> bytes:
        """Return the body so far; after ``TooLargeError`` its first ``limit`` bytes."""
        return b"".join(self._parts)

    def finish(self) -> bytes:
        """Return the whole body. Raises ``CodingError`` when it is incomplete, or compressed twice."""
        if self._decoder is not None or (self._coding and not self._members and self._received):
            raise CodingError("was cut off")
        body = b"".join(self._parts)
        if self._coding and body.startswith(_GZIP_MAGIC):
            raise CodingError("is compressed twice")
        if self._unknown and not self._coding and body and not _DOCUMENT.match(body):
            raise CodingError("uses a compression that was not requested")
        return body
