"""Decodes Content-Encoding, with a limit on the decoded size."""

from __future__ import annotations

import zlib

_MAX_MEMBERS = 64
"""Members of one gzip stream. Real answers have one; each costs a copy of the bytes that follow."""
_GZIP_MAGIC = b"\x1f\x8b"


class CodingError(Exception):
    """The body does not match its headers. The message completes "the answer …"."""


class TooLargeError(CodingError):
    """The body, encoded or decoded, has more bytes than allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"is larger than {limit / 1e6:g} MB")


class Body:
    """Collects a body piece by piece. Never holds more than ``limit`` bytes, at any compression ratio.

    ``coding`` is the Content-Encoding header. Raises ``CodingError`` for codings that were not requested, for more
    than one coding, and for data that do not match their coding.
    """

    def __init__(self, coding: str, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._received = 0
        self._members = 0
        self.size = 0
        """Decoded bytes so far."""
        self._decoder: zlib._Decompress | None = None
        coding = coding.strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise CodingError("uses a compression that was not requested")
        self._packed = coding not in ("", "identity")
        self._gzip = coding in ("gzip", "x-gzip")

    def add(self, piece: bytes) -> None:
        """Take the next bytes from the network."""
        self._received += len(piece)
        if not self._packed:
            self._keep(piece)
            return
        if self._received > self._limit:
            raise TooLargeError(self._limit)
        try:
            self._unpack(piece)
        except zlib.error as error:
            raise CodingError("is not compressed as its header says") from error

    def _unpack(self, piece: bytes) -> None:
        while piece:
            if self._decoder is None:
                if self._members and not (self._gzip and _GZIP_MAGIC.startswith(piece[:2])):
                    return  # bytes after the end, which browsers ignore too
                self._members += 1
                if self._members > _MAX_MEMBERS:
                    raise CodingError("has too many compressed parts")
                self._decoder = self._new_decoder(piece)
            self._keep(self._decoder.decompress(piece, self._limit - self.size + 1))
            if not self._decoder.eof:
                return
            piece = self._decoder.unused_data
            self._decoder = None

    def _new_decoder(self, piece: bytes) -> zlib._Decompress:
        if self._gzip:
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        # Some servers send "deflate" without its two header bytes, which the first byte shows.
        return zlib.decompressobj(zlib.MAX_WBITS if piece[0] & 0x0F == zlib.DEFLATED else -zlib.MAX_WBITS)

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
        if self._decoder is not None or (self._packed and not self._members and self._received):
            raise CodingError("was cut off")
        body = b"".join(self._parts)
        if self._packed and body.startswith(_GZIP_MAGIC):
            raise CodingError("is compressed twice")
        return body
