"""Headers of pictures, against files that Pillow writes."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from iscore.feeds.picture_header import ICO, PictureHeader, read_header


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
