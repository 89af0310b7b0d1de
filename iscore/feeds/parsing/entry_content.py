"""feedparser's entries → what pages show of an article beside its text: HTML, enclosures, a thumbnail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from iscore.feeds.parsing.article_html import cleaned, first_picture, says_more_than_text, written
from iscore.feeds.urls import safe_url
from storage.records.contents import Content, Enclosure

MAX_ENCLOSURES = 20
"""Of one article; a podcast has one, a gallery a dozen."""
MAX_MARKUP = 3_000_000
"""Characters of markup of one document from which HTML is made; behind them articles have their text only. It takes
several times as long as the text: 1.5 s of processor time for 1 MB of dense markup."""
MAX_LENGTH = 1 << 50
"""Bytes that an enclosure can claim to have."""

_MEDIA_TYPE = re.compile(r"(?:application|audio|image|text|video)/[a-z0-9][a-z0-9.+-]{0,80}")

Fields = Mapping[str, Any]


def content(markup: str, base: str, files: Iterable[Enclosure], thumbnails: Iterable[str], clean: str = "") -> Content:
    """Return an article's content. ``thumbnails`` are addresses of pictures, the best first, relative to ``base``.

    ``clean`` is what ``cleaned`` has made of ``markup``, if it has been called.
    An enclosure that is a picture is a thumbnail when there is no other, and so is the first picture of ``markup``.
    """
    html = written(clean or cleaned(markup), base) if says_more_than_text(markup) else ""
    enclosures = tuple({each.url: each for each in files if each.url}.values())[:MAX_ENCLOSURES]
    addresses = (safe_url(each, base) for each in thumbnails if each)
    pictures = (each.url for each in enclosures if each.type.startswith("image/"))
    thumbnail = next(filter(None, (*addresses, *pictures)), "") or first_picture(html)
    return Content(html if says_more_than_text(html) else "", enclosures, thumbnail)


def entry_content(entry: Fields, markup: str, base: str, clean: str = "") -> Content:
    """Return the content of one of feedparser's entries. ``markup`` is its text as HTML, or empty; ``clean`` as
    above."""
    media = [each for each in _dicts(entry, "media_content") if _string(each, "url")]
    links = [each for each in _dicts(entry, "links") if each.get("rel") == "enclosure"]
    attached = [enclosure(_string(each, "href"), _string(each, "type"), each.get("length"), base) for each in links]
    attached += [
        enclosure(_string(each, "url"), _string(each, "type"), each.get("filesize"), base)
        for each in media
        if _kind(each) in ("audio", "video")
    ]
    image = entry.get("image")
    thumbnails = [_string(each, "url") for each in _dicts(entry, "media_thumbnail")]
    thumbnails += [_string(each, "url") for each in media if _kind(each) == "image"]
    thumbnails += [_string(image, "href")] if isinstance(image, dict) else []
    return content(markup, base, attached, thumbnails, clean)


def enclosure(url: str, media_type: str, length: object, base: str) -> Enclosure:
    """Return a cleaned enclosure; its ``url`` is empty if no page may link to it."""
    kind = media_type.partition(";")[0].strip().lower()
    digits = str(length).strip() if isinstance(length, str | int) else ""
    size = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
    return Enclosure(
        safe_url(url, base),
        kind if _MEDIA_TYPE.fullmatch(kind) else "",
        size if 0 < size < MAX_LENGTH else None,
    )


def icon(feed: Fields, base: str) -> str:
    """Return the address of a feed's icon, else of its logo; empty if it names none."""
    image = feed.get("image")
    named = (_string(feed, "icon"), _string(image, "href") if isinstance(image, dict) else "", _string(feed, "logo"))
    return next(filter(None, (safe_url(each, base) for each in named if each)), "")


def _kind(media: Fields) -> str:
    return _string(media, "medium").lower() or _string(media, "type").partition("/")[0].lower()


def _dicts(fields: Fields, name: str) -> list[Fields]:
    found = fields.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _string(fields: Fields, name: str) -> str:
    found = fields.get(name)
    return found if isinstance(found, str) else ""
