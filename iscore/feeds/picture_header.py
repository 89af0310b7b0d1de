"""The kind and size of a picture, from its first bytes. Nothing is decoded.

Only raster formats: PNG, JPEG, GIF, WebP and AVIF, which every browser shows, and ICO, which is converted before it is
shown. SVG is none of them: it is a document that can run scripts. What a server calls a picture does not matter.

Sources: PNG (W3C) 5.2 and 11.2.2, GIF89a 18, JPEG (ITU-T T.81) B.1 and B.2.2, WebP (RFC 9649) 2, HEIF (ISO/IEC
23008-12) 6.5.3 for AVIF; ICO: Microsoft's ICONDIR, ICONDIRENTRY and BITMAPINFOHEADER.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAX_BOXES = 1000
"""Boxes of an AVIF file that are looked at, segments of a JPEG file, and pictures of an ICO file."""
ICO = "image/vnd.microsoft.icon"

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of JPEG without a length."""


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """What a picture says of itself."""

    media_type: str
    """``image/png``, ``image/jpeg``, ``image/gif``, ``image/webp``, ``image/avif`` or ``ICO``."""
    width: int
    """Pixels, at least 1; of an animation, of every frame."""
    height: int

    @property
    def pixels(self) -> int:
        """Pixels of one frame."""
        return self.width * self.height


def read_header(data: bytes) -> PictureHeader | None:
    """Return what a picture says of itself; None for all that is not one of the six formats.

    >>> read_header(b"GIF89a" + bytes([2, 0, 3, 0]))
    PictureHeader(media_type='image/gif', width=2, height=3)
    """
    try:
        media_type, (width, height) = _kind_and_size(data)
    except (struct.error, IndexError):  # the file ends within its header
        return None
    return PictureHeader(media_type, width, height) if media_type and width > 0 and height > 0 else None


def _kind_and_size(data: bytes) -> tuple[str, tuple[int, int]]:
    if data.startswith(_PNG) and data[12:16] == b"IHDR":
        return "image/png", struct.unpack_from(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif", struct.unpack_from("<HH", data, 6)
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg", _jpeg_size(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp", _webp_size(data)
    if data.startswith(b"\0\0\1\0"):
        return ICO, _ico_size(data)
    return ("image/avif", _avif_size(data)) if data[4:8] == b"ftyp" and _is_avif(data) else ("", (0, 0))


def _jpeg_size(data: bytes) -> tuple[int, int]:
    place = 2
    for _ in range(MAX_BOXES):
        if data[place] != 0xFF:
            break
        marker = data[place + 1]
        if marker == 0xFF:  # a fill byte
            place += 1
        elif marker in _JPEG_ALONE:
            place += 2
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        else:
            place += 2 + max(2, int(struct.unpack_from(">H", data, place + 2)[0]))
    return 0, 0


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L" and data[20] == 0x2F:
        (bits,) = struct.unpack_from("<I", data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _ico_size(data: bytes) -> tuple[int, int]:
    """The largest of its pictures, each with the size that it gives itself: the directory may say less."""
    sizes = [(0, 0)]
    for number in range(min(int(struct.unpack_from("<H", data, 4)[0]), MAX_BOXES)):
        (place,) = struct.unpack_from("<I", data, 6 + 16 * number + 12)
        if data[place : place + 8] == _PNG:
            sizes.append(struct.unpack_from(">II", data, place + 16))
        else:  # a bitmap, with its mask below it
            width, height = struct.unpack_from("<ii", data, place + 4)
            sizes.append((abs(width), abs(height) // 2))
    return max(sizes, key=lambda size: size[0] * size[1])


def _is_avif(data: bytes) -> bool:
    (size,) = struct.unpack_from(">I", data, 0)
    brands = data[8:12] + data[16 : min(size, 256)]
    return b"avif" in brands or b"avis" in brands


def _avif_size(data: bytes) -> tuple[int, int]:
    """The largest of the sizes that its items have: one picture may be put together of others."""
    sizes = [(0, 0)]
    for start, end in _boxes(data, 0, len(data), b"meta"):
        for properties in _boxes(data, start + 4, end, b"iprp"):
            for container in _boxes(data, *properties, b"ipco"):
                sizes += [struct.unpack_from(">II", data, begin + 4) for begin, _ in _boxes(data, *container, b"ispe")]
    return max(sizes, key=lambda size: size[0] * size[1])


def _boxes(data: bytes, start: int, end: int, kind: bytes) -> Iterator[tuple[int, int]]:
    """Yield the contents of boxes of a kind, as places in ``data``."""
    for _ in range(MAX_BOXES):
        if start + 8 > end:
            return
        size, content = int(struct.unpack_from(">I", data, start)[0]), start + 8
        if size == 1:
            size, content = int(struct.unpack_from(">Q", data, start + 8)[0]), start + 16
        elif size == 0:
            size = end - start
        if size < content - start or start + size > end:
            return
        if data[start + 4 : start + 8] == kind:
            yield content, start + size
        start += size
