"""Fetches one picture, within limits, with the same client as feeds.

The first bytes of a picture tell what it is: see ``picture_files``. The header also tells its decoded size, at 4 bytes
a pixel (8 bits of red, green, blue and opacity) of one frame. A picture with more than ``MAX_DECODED`` is scaled down
before it is shown; one with more than ``MAX_PIXELS`` is refused.
"""

from __future__ import annotations

from dataclasses import replace

from iscore.feeds.errors import FeedError, NoPictureError
from iscore.feeds.http.fetch import Accepted, Fetcher
from iscore.feeds.http.outcomes import FetchFailed
from iscore.feeds.picture_files import PictureHeader, read_header
from iscore.feeds.poll_settings import PollSettings

MAX_BYTES = 10_000_000
"""Of a picture file, after content decoding."""
MAX_DECODED = 10_000_000
"""Bytes of a decoded picture: 2.5 megapixels, such as 1,800 × 1,350."""
MAX_PIXELS = 25_000_000
"""Of a picture that is scaled down. Most cameras have fewer."""
SECONDS = 15.0
"""For one picture, redirects included."""
PICTURE = Accepted("image/avif, image/webp, image/png, image/jpeg, image/gif, image/x-icon;q=0.5", max_size=MAX_BYTES)


async def fetch_picture(url: str, settings: PollSettings, *, private: bool) -> tuple[bytes, PictureHeader]:
    """Fetch a picture. ``private``: whether it may be in a private network in which feeds are allowed.

    Raises ``FeedError`` if it cannot be fetched, ``NoPictureError`` if it is not a picture or is too large.
    """
    settings = settings if private else settings.for_public()
    settings = replace(settings, fetch_timeout=SECONDS, host_spacing=0.0, max_body=MAX_BYTES)
    async with Fetcher(settings) as fetcher, fetcher.fetch(url, accepted=PICTURE) as answer:
        if isinstance(answer, FetchFailed):
            raise FeedError(answer.reason)
        body = answer.body or b""
    header = read_header(body)
    if header is None:
        raise NoPictureError("it is not a picture in PNG, JPEG, GIF, WebP, AVIF or ICO")
    if header.pixels > MAX_PIXELS:
        raise NoPictureError(f"the picture has more than {MAX_PIXELS / 1e6:g} megapixels")
    return body, header


def is_too_large_to_show(header: PictureHeader) -> bool:
    """Whether a picture takes more than ``MAX_DECODED`` when it is shown."""
    return 4 * header.pixels > MAX_DECODED
