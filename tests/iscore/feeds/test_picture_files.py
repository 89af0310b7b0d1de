"""Headers of pictures, against files that Pillow writes; scaling in a child process, also of hostile pictures."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from iscore.feeds.errors import FeedError, NoPictureError
from iscore.feeds.parsing.jobs import IconJob, PictureJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.picture_files import ICO, PictureHeader, icon_file, icon_pixels, read_header, scaled, sheet


def picture(format_: str, size: tuple[int, int] = (37, 21), mode: str = "RGB", **options: object) -> bytes:
    """Return a picture as a file."""
    out = io.BytesIO()
    Image.new("RGB", size, "teal").convert(mode).save(out, format_, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("format_", "options"),
    [
        ("PNG", {}),
        ("GIF", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True, "exif": b"Exif\0\0" + bytes(500)}),
        ("WEBP", {}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"mode": "RGBA", "exif": b"Exif\0\0"}),
        ("AVIF", {}),
        ("AVIF", {"mode": "RGBA"}),
    ],
)
def test_type_and_size_are_what_was_written(format_: str, options: dict[str, object]) -> None:
    data = picture(format_, **options)  # type: ignore[arg-type]
    assert read_header(data) == PictureHeader(f"image/{format_.lower()}", 37, 21)
    assert all(read_header(data[:length]) in (None, read_header(data)) for length in range(min(len(data), 400)))


@pytest.mark.parametrize("bitmap_format", ["png", "bmp"])
def test_an_icon_has_the_size_of_its_largest_picture_whatever_its_directory_says(bitmap_format: str) -> None:
    data = picture("ICO", (64, 64), "RGBA", sizes=[(16, 16), (48, 48)], bitmap_format=bitmap_format)
    assert read_header(data) == PictureHeader(ICO, 48, 48)
    lying = data[:6] + b"\x10\x10" + data[8:22] + b"\x10\x10" + data[24:]
    assert read_header(lying) == PictureHeader(ICO, 48, 48)
    assert all(read_header(data[:length]) in (None, read_header(data)) for length in range(min(len(data), 400)))


def test_an_animation_has_the_size_of_its_frames() -> None:
    frames = [Image.new("RGB", (9, 7), colour) for colour in ("red", "blue")]
    for format_ in ("GIF", "WEBP", "PNG", "AVIF"):
        out = io.BytesIO()
        frames[0].save(out, format_, save_all=True, append_images=frames[1:])
        assert read_header(out.getvalue()) == PictureHeader(f"image/{format_.lower()}", 9, 7)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html>",
        b"GIF89a\0\0\0\0",
        b"\x89PNG\r\n\x1a\n" + bytes(30),
        b"RIFF\0\0\0\0WAVEfmt " + bytes(30),
        b"\xff\xd8\xff\xe0" + b"\0\2" * 50,
        b"\0\0\0\x18ftypmp42" + bytes(60),
        b"\0\0\0\x18ftypavif" + bytes(60),
        b"BM" + bytes(60),
        b"%PDF-1.7",
        b"\0\0\1\0" + bytes(60),
    ],
)
def test_all_else_is_no_picture(data: bytes) -> None:
    assert read_header(data) is None


def noise(format_: str, size: tuple[int, int] = (480, 320), mode: str = "RGB", **options: object) -> bytes:
    """A picture that hardly compresses."""
    out = io.BytesIO()
    Image.effect_noise(size, 90).convert(mode).save(out, format_, **options)
    return out.getvalue()


def png(width: int, height: int) -> bytes:
    """A small file that claims to be a large picture, and is one: all of it is black."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packing, line = zlib.compressobj(1), bytes(3 * width + 1)  # line by line: all of them may take 75 MB
    lines = b"".join(packing.compress(line) for _ in range(height)) + packing.flush()
    chunks = ((b"IHDR", header), (b"IDAT", lines), (b"IEND", b""))
    parts = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(
    ("format_", "mode"), [("PNG", "RGBA"), ("JPEG", "CMYK"), ("GIF", "P"), ("WEBP", "RGB"), ("AVIF", "RGB")]
)
def test_every_format_becomes_a_small_webp(format_: str, mode: str) -> None:
    found = scaled(noise(format_, mode=mode), 320, 60_000, 1_000_000)
    assert len(found) <= 60_000
    assert read_header(found) == PictureHeader("image/webp", 320, 213)


def test_it_becomes_smaller_until_it_fits() -> None:
    found = scaled(noise("PNG"), 320, 2_000, 1_000_000)
    assert len(found) <= 2_000
    assert (read_header(found) or PictureHeader("", 999, 999)).width < 200


def test_it_is_turned_as_the_camera_was_held() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    found = scaled(noise("JPEG", exif=exif), 300, 20_000, 1_000_000)
    assert read_header(found) == PictureHeader("image/webp", 200, 300)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<svg/>",
        b"GIF89a" + bytes([2, 0, 3, 0]),
        noise("PNG")[:3000],
        png(1001, 1000),
        b"RIFF\4\0\0\0WEBPVP8X" + bytes(99),
    ],
)
def test_what_is_none_or_too_large_is_refused(body: bytes) -> None:
    with pytest.raises(NoPictureError):
        scaled(body, 320, 20_000, 1_000_000)


async def test_a_child_process_does_it_and_survives_what_is_none() -> None:
    async with ParserPool(1, memory=64 << 20) as pool:
        with pytest.raises(NoPictureError):
            await pool.picture(PictureJob(b"no picture", 320, 20_000, 1_000_000))
        found = await pool.picture(PictureJob(noise("PNG"), 64, 20_000, 1_000_000))
        assert read_header(found) == PictureHeader("image/webp", 64, 43)
        with pytest.raises(FeedError):  # 75 MB decoded, of a small file
            await pool.picture(PictureJob(png(5_000, 5_000), 320, 20_000, 200_000_000))
        assert len(await pool.picture(PictureJob(noise("PNG"), 64, 20_000, 1_000_000))) < 20_000


def icon(drawn: Image.Image, format_: str = "PNG", **options: object) -> Image.Image:
    """Return the icon that a picture becomes, as a page shows it."""
    out = io.BytesIO()
    drawn.save(out, format_, **options)
    made = icon_file(icon_pixels(out.getvalue()))
    assert len(made) <= 910
    shown = Image.open(io.BytesIO(made), formats=["PNG"])
    assert (shown.size, shown.mode) == ((32, 32), "RGBA")
    return shown


def glyph(colour: str, size: int = 32) -> Image.Image:
    """A square on nothing."""
    drawn = Image.new("RGBA", (size, size))
    drawn.paste(Image.new("RGBA", (size // 2, size // 2), colour), (size // 4, size // 4))
    return drawn


def test_an_icon_keeps_its_colours_and_what_is_not_painted() -> None:
    assert icon(glyph("red", 64)).getpixel((16, 16)) == (255, 0, 0, 255)
    assert icon(glyph("red", 64)).getpixel((1, 1))[3] == 0  # type: ignore[index]
    checks = Image.new("RGB", (16, 16))
    checks.putdata([(255, 0, 0) if (n + n // 16) % 2 else (0, 0, 255) for n in range(256)])
    assert icon(checks).resize((16, 16), Image.Resampling.NEAREST).convert("RGB").tobytes() == checks.tobytes()
    wide = icon(Image.new("RGB", (400, 100), "teal"))
    assert [wide.getpixel((16, y))[3] for y in (2, 16, 29)] == [0, 255, 0]  # type: ignore[index]


@pytest.mark.parametrize(("colour", "ground"), [("black", (255, 255, 255, 255)), ("white", (128, 128, 128, 255))])
def test_a_glyph_without_colours_gets_a_ground_to_be_seen_on_any_page(colour: str, ground: tuple[int, ...]) -> None:
    assert icon(glyph(colour)).getpixel((1, 1)) == ground


def test_an_ico_file_gives_its_picture_of_that_size() -> None:
    small, right = Image.new("RGBA", (16, 16), "red"), Image.new("RGBA", (32, 32), "teal")
    large = Image.new("RGBA", (48, 48), "red")
    sizes = [(16, 16), (32, 32), (48, 48)]
    found = icon(large, "ICO", sizes=sizes, append_images=[small, right])
    assert found.getpixel((16, 16)) == (0, 128, 128, 255)


def test_a_picture_of_many_colours_has_fewer_and_a_sheet_has_all() -> None:
    bands = [Image.effect_noise((90, 90), 90) for _ in range(3)]
    out = io.BytesIO()
    icon(Image.merge("RGB", bands)).save(out, "PNG")
    plain = icon_file(icon_pixels(picture("PNG", (32, 32))))
    with Image.open(io.BytesIO(sheet([plain, plain, icon_file(icon_pixels(out.getvalue()))]))) as opened:
        assert (opened.size, opened.getpixel((16, 48))) == ((32, 96), (0, 128, 128, 255))


@pytest.mark.parametrize(
    "body",
    [
        b"<svg/>",
        picture("PNG", (7, 7)),
        picture("PNG", (4097, 2000)),
        picture("PNG", (2001, 2000)),
        picture("PNG", (400, 4)),
        picture("PNG", (32, 32), "RGBA").replace(b"IDAT", b"IDAX"),
    ],
)
def test_what_shows_nothing_or_is_too_large_is_no_icon(body: bytes) -> None:
    with pytest.raises(NoPictureError):
        icon_pixels(body)


async def test_a_child_process_makes_icons_of_which_only_the_pixels_are_taken() -> None:
    nothing = io.BytesIO()
    Image.new("RGBA", (32, 32)).save(nothing, "PNG")
    async with ParserPool(1) as pool:
        with pytest.raises(NoPictureError, match="nothing can be seen"):
            await pool.icon(IconJob(nothing.getvalue()))
        assert read_header(await pool.icon(IconJob(picture("WEBP")))) == PictureHeader("image/png", 32, 32)
    with pytest.raises(NoPictureError):
        icon_file(b"<script>" * 512 + b"x")
