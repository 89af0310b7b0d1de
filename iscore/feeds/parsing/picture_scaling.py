"""A picture → a smaller one, as WebP.

Pillow decodes it, in a child process only: decoders of pictures are large C libraries, which read what strangers wrote.
"""

from __future__ import annotations

import io

from iscore.feeds.errors import NoPictureError
from iscore.feeds.parsing.jobs import PictureJob

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "ICO")
QUALITIES = (75, 60, 45, 30)
"""Of WebP, tried one after the other until the picture is small enough; then the same at half its size."""
MIN_EDGE = 16
"""Pixels below which a picture shows nothing."""


def load() -> None:
    """Import Pillow, which takes more memory than it should count for."""
    from PIL import Image

    Image.init()


def scaled(job: PictureJob) -> bytes:
    """Return the picture as WebP, at most ``job.edge`` pixels wide and high, in at most ``job.max_bytes``.

    It is turned as its camera was held; of an animation there is the first frame. Raises ``NoPictureError``.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(job.body), formats=FORMATS) as opened:
            if opened.width * opened.height > job.max_pixels:
                raise NoPictureError("the picture has too many pixels")
            opened.draft("RGB", (job.edge, job.edge))  # lets JPEG be decoded at a fraction of its size
            picture = ImageOps.exif_transpose(opened)
            picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
        edge = job.edge
        while edge >= MIN_EDGE:
            picture.thumbnail((edge, edge))
            for quality in QUALITIES:
                out = io.BytesIO()
                picture.save(out, "WEBP", quality=quality)
                if out.tell() <= job.max_bytes:
                    return out.getvalue()
            edge = max(picture.size) // 2
    except (MemoryError, NoPictureError):
        raise
    except Exception as error:  # a hostile picture can make a decoder raise anything
        raise NoPictureError(f"the picture cannot be read ({type(error).__name__})") from error
    raise NoPictureError("the picture cannot be made small enough")
