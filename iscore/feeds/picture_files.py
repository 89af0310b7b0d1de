"""Reads the kind and size of a picture from its first bytes, scales pictures down, and makes icons of them.

Only raster formats: PNG, JPEG, GIF, WebP and AVIF, which every browser shows, and ICO, which is converted before it is
shown. SVG is refused, since it is a document that can run scripts. What a server calls a picture does not matter.

``read_header`` decodes nothing. ``scaled`` and ``icon_pixels`` decode with Pillow, in a parser process only: decoders
of pictures are large C libraries, and the pictures come from strangers. Pixels are harmless, whatever that process
does: files and sheets of icons are made of them elsewhere, without Pillow.

Sources: PNG (W3C) 5.2 and 11.2.2, GIF89a 18, JPEG (ITU-T T.81) B.1 and B.2.2, WebP (RFC 9649) 2, HEIF (ISO/IEC
23008-12) 6.5.3 for AVIF; ICO: Microsoft's ICONDIR, ICONDIRENTRY and BITMAPINFOHEADER.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iscore.feeds.errors import NoPictureError

MAX_BOXES = 1000
"""Most boxes of an AVIF file, segments of a JPEG file, and pictures of an ICO file that are read."""
ICO = "image/vnd.microsoft.icon"
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "ICO")
QUALITIES = (75, 60, 45, 30)
"""Qualities of WebP, tried in this order until the picture is small enough; then again at half its size."""
MIN_EDGE = 16
"""Pixels. Smaller pictures show nothing."""

EDGE = 32
"""Pixels of an icon: for 16 on screens, twice as many where they are fine."""
ICON_EDGES, ICON_PIXELS = (8, 4096), 4_000_000
"""Edges and pixels of a picture of which an icon is made. A smaller one shows nothing."""
ICON_BYTES = 850
"""Of an icon, compressed without its header. Colours are reduced until it has no more."""
DARKEST, LIGHTEST = 60, 245
"""Mean lightness, of 255, of what is drawn on nothing: beyond, it gets a ground, to be seen on dark and on light
pages."""
COLOURS = (128, 48, 24, 12, 6)

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of JPEG without a length."""


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """What a picture states about itself."""

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
    """Return what a picture states about itself; None if it has none of the six formats.

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
    """Return the size of the largest picture, as each picture states it: the directory may state smaller sizes."""
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
    """Return the largest size of its items: a picture may be composed of several."""
    sizes = [(0, 0)]
    for start, end in _boxes(data, 0, len(data), b"meta"):
        for properties in _boxes(data, start + 4, end, b"iprp"):
            for container in _boxes(data, *properties, b"ipco"):
                sizes += [struct.unpack_from(">II", data, begin + 4) for begin, _ in _boxes(data, *container, b"ispe")]
    return max(sizes, key=lambda size: size[0] * size[1])


def _boxes(data: bytes, start: int, end: int, kind: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end in ``data`` of the contents of all boxes of a kind."""
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


def load_pillow() -> None:
    """Import Pillow, whose memory should not count for the picture."""
    from PIL import Image

    Image.init()


def scaled(data: bytes, edge: int, max_bytes: int, max_pixels: int) -> bytes:
    """Return a picture as WebP, at most ``edge`` pixels wide and high, in at most ``max_bytes``.

    It is turned upright by its EXIF orientation. Of an animation only the first frame remains. Raises
    ``NoPictureError``, also for a picture with more than ``max_pixels``.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if opened.width * opened.height > max_pixels:
                raise NoPictureError("the picture has too many pixels")
            opened.draft("RGB", (edge, edge))  # decodes a JPEG at a fraction of its size
            picture = ImageOps.exif_transpose(opened)
            picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
        while edge >= MIN_EDGE:
            picture.thumbnail((edge, edge))
            for quality in QUALITIES:
                out = io.BytesIO()
                picture.save(out, "WEBP", quality=quality)
                if out.tell() <= max_bytes:
                    return out.getvalue()
            edge = max(picture.size) // 2
    except (MemoryError, NoPictureError):
        raise
    except Exception as error:  # a hostile picture can make a decoder raise any error
        raise NoPictureError(f"the picture cannot be read ({type(error).__name__})") from error
    raise NoPictureError("the picture cannot be made small enough")


def can_be_icon(header: PictureHeader) -> bool:
    """Whether a picture has a size of which an icon is made."""
    smallest, largest = ICON_EDGES
    edges = header.width, header.height
    return smallest <= max(edges) <= largest and smallest <= 4 * min(edges) and header.pixels <= ICON_PIXELS


def icon_pixels(data: bytes) -> bytes:
    """Return the pixels of an icon, row by row: red, green, blue and opacity of each, a byte each.

    Raises ``NoPictureError``, also for a picture of which nothing can be seen.
    """
    from PIL import Image, ImageOps, ImageStat

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if not can_be_icon(PictureHeader("", opened.width, opened.height)):
                raise NoPictureError("the picture is no icon")
            if (EDGE, EDGE) in opened.info.get("sizes", ()):
                opened.size = EDGE, EDGE  # type: ignore[misc]
            picture = opened.convert("RGBA")
        # Half as large ones keep their pixels.
        way = Image.Resampling.NEAREST if 2 * max(picture.size) == EDGE else Image.Resampling.LANCZOS
        picture = ImageOps.contain(picture, (EDGE, EDGE), way)
        canvas = Image.new("RGBA", (EDGE, EDGE))
        canvas.paste(picture, ((EDGE - picture.width) // 2, (EDGE - picture.height) // 2))
        opacity = canvas.getchannel("A")
        if opacity.getbbox() is None:
            raise NoPictureError("nothing can be seen of the picture")
        lightness = ImageStat.Stat(canvas.convert("L"), opacity).mean[0]
        if opacity.getextrema()[0] == 0 and not DARKEST <= lightness <= LIGHTEST:
            ground = Image.new("RGBA", canvas.size, "white" if lightness < DARKEST else "gray")
            canvas = Image.alpha_composite(ground, canvas)
        pixels = canvas.tobytes()
        for colours in COLOURS:
            if len(zlib.compress(_rows(pixels))) <= ICON_BYTES:
                break
            pixels = (
                canvas.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).convert("RGBA").tobytes()
            )
    except (MemoryError, NoPictureError):
        raise
    except Exception as error:  # a hostile picture can make a decoder raise any error
        raise NoPictureError(f"the picture cannot be read ({type(error).__name__})") from error
    return pixels


def icon_file(pixels: bytes) -> bytes:
    """Return an icon as PNG. Raises ``NoPictureError`` for another number of pixels."""
    if len(pixels) != 4 * EDGE * EDGE:
        raise NoPictureError("the picture is no icon")
    return _png(_rows(pixels))


def sheet(icons: Sequence[bytes]) -> bytes:
    """Return icons that ``icon_file`` has made as one PNG, each below the one before."""
    return _png(b"".join(zlib.decompress(each[_BEFORE:-_AFTER]) for each in icons))


_BEFORE, _AFTER = 8 + 25 + 8, 4 + 12
"""Bytes of a PNG of ours before and after what is compressed: signature, header, beginning; checksum, end."""


def _rows(pixels: bytes) -> bytes:
    """Return pixels as PNG compresses them: the number of no filter before each row."""
    return b"".join(b"\0" + pixels[at : at + 4 * EDGE] for at in range(0, len(pixels), 4 * EDGE))


def _png(rows: bytes) -> bytes:
    """Return a PNG of some rows (sections 5.3 and 11.2 of the standard): 8 bits a channel, with opacity."""
    header = struct.pack(">IIBBBBB", EDGE, len(rows) // (1 + 4 * EDGE), 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return _PNG + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
