"""Reads answers of the Google Reader API, and writes items as JSON Feed, which our parser understands. Pure.

The names of streams ``user/-/…`` and ``user/1/…`` mean the same. Ids of items are signed numbers of 64 bits. We always
write them as ``tag:google.com,2005:reader/item/`` with 16 hexadecimal digits: some servers read shorter forms as
hexadecimal, others as decimal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

from iscore.feeds.errors import NotAReaderServerError
from iscore.feeds.parsing.html_to_text import feed_name, line
from iscore.feeds.urls import safe_url
from storage.records.connections import RemoteFeed

ITEM = "tag:google.com,2005:reader/item/"
STATE, LABEL = "user/-/state/com.google/", "user/-/label/"
READING_LIST, STARRED, READ = f"{STATE}reading-list", f"{STATE}starred", f"{STATE}read"
LIKES = frozenset({"like", "iscore: like", "iscore/like"})
DISLIKES = frozenset({"dislike", "iscore: dislike", "iscore/dislike"})
"""Labels that count as verdicts, in upper or lower case."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_USER = re.compile(r"^user/[^/]*/")
_BITS = 1 << 64
_WIDE = str.maketrans("＆＜＞", "&<>")
"""FreshRSS's replacements for characters that could be markup."""
_WIDER = str.maketrans("？＼／，；", "?\\/,;")
"""The further replacements in titles of feeds."""


@dataclass(frozen=True, slots=True)
class FoundItem:
    """An item of the other server."""

    item: int
    stream: str
    """The stream of its feed."""
    feed_site: str
    title: str
    url: str
    author: str
    markup: str
    published: datetime | None
    arrived: datetime | None
    """When the other server fetched it."""
    tags: tuple[str, ...]
    """The publisher's categories."""
    files: tuple[tuple[str, str, int], ...]
    """Address, media type and bytes (0: unknown) of each attachment."""
    starred: bool
    liked: bool
    disliked: bool
    read: bool


def document(body: bytes) -> dict[str, Any]:
    """Read an answer. Raises ``NotAReaderServerError`` unless it is a JSON object."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotAReaderServerError("the server's answer is not that of a Google Reader API: no JSON") from error
    if not isinstance(found, dict):
        raise NotAReaderServerError("the server's answer is not that of a Google Reader API")
    return found


def token(body: bytes) -> str:
    """Return the token of an answer to a sign-in. Raises ``NotAReaderServerError``."""
    lines = body[:10_000].decode("utf-8", "replace").splitlines()
    found = next((line.partition("=")[2].strip() for line in lines if line.startswith("Auth=")), "")
    if not found or not found.isascii() or not found.isprintable():
        raise NotAReaderServerError("there is no Google Reader API at this address: it answered, but gave no token")
    return found


def feeds(body: bytes) -> list[RemoteFeed]:
    """Return the feeds of a list of subscriptions. Raises ``NotAReaderServerError``."""
    listed = document(body).get("subscriptions")
    if not isinstance(listed, list):
        raise NotAReaderServerError("the server's answer has no list of subscriptions")
    return [
        RemoteFeed(
            stream=stream,
            title=feed_name(_plain(each.get("title")).translate(_WIDER)) or feed_name(stream),
            site_url=safe_url(_text(each.get("htmlUrl"))),
            folders=tuple(filter(None, (line(_plain(each.get("label"))) for each in _objects(each.get("categories"))))),
        )
        for each in _objects(listed)
        if (stream := _text(each.get("id")))
    ]


def labels(body: bytes) -> list[str]:
    """Return the names of all labels and folders. Raises ``NotAReaderServerError``."""
    streams = (_stream(_text(each.get("id"))) for each in _objects(document(body).get("tags")))
    return [each.removeprefix(LABEL) for each in streams if each.startswith(LABEL)]


def item_numbers(body: bytes) -> tuple[list[int], str]:
    """Return the items of a list of ids, and its continuation, which is empty at the end.

    Raises ``NotAReaderServerError``.
    """
    found = document(body)
    listed = found.get("itemRefs")
    if listed is None:
        listed = []  # some servers leave an empty list out
    if not isinstance(listed, list):
        raise NotAReaderServerError("the server's answer has no list of items")
    numbers = [number(str(each.get("id", ""))) for each in _objects(listed)]
    following = found.get("continuation")
    return [each for each in numbers if each], _text(str(following)) if following else ""


def items(body: bytes, folders: Collection[str] = ()) -> list[FoundItem]:
    """Return items with their contents. Raises ``NotAReaderServerError``.

    ``folders``: names, in lower case, that are not labels. The server lists the folder of an item's feed like a label.
    """
    listed = document(body).get("items")
    if not isinstance(listed, list):
        raise NotAReaderServerError("the server's answer has no list of items")
    return [found for each in _objects(listed) if (found := _item(each, folders)) is not None]


def number(text: str) -> int:
    """Return the signed number of an id in its long form (hexadecimal) or in decimal; 0 if it is not an id.

    >>> number("tag:google.com,2005:reader/item/ffffffffffffffff"), number("17")
    (-1, 17)
    """
    name = text.rpartition("/")[2]
    if text.startswith(ITEM) and re.fullmatch("[0-9A-Fa-f]{1,16}", name):
        value = int(name, 16)
    elif re.fullmatch("-?[0-9]{1,20}", name):
        value = int(name)
    else:
        return 0
    value %= _BITS
    return value - _BITS if value >= _BITS // 2 else value


def long_id(item: int) -> str:
    """Return the long form of an id.

    >>> long_id(-1)
    'tag:google.com,2005:reader/item/ffffffffffffffff'
    """
    return f"{ITEM}{item % _BITS:016x}"


def json_feed(found: Iterable[FoundItem]) -> bytes:
    """Write items of one feed as JSON Feed 1.1; each has its number as ``id``."""
    written = [
        {
            "id": str(each.item),
            "url": each.url,
            "title": each.title,
            "content_html": each.markup,
            "date_published": each.published.isoformat() if each.published else "",
            "authors": [{"name": each.author}],
            "tags": list(each.tags),
            "attachments": [
                {"url": url, "mime_type": kind, **({"size_in_bytes": size} if size else {})}
                for url, kind, size in each.files
            ],
        }
        for each in found
    ]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": written}).encode("utf-8", "replace")


def _item(each: Mapping[str, Any], folders: Collection[str]) -> FoundItem | None:
    item = number(_text(each.get("id")))
    origin = each.get("origin")
    origin = origin if isinstance(origin, dict) else {}
    stream = _text(origin.get("streamId"))
    if not item or not stream:
        return None
    listed = each.get("categories")
    streams = [_stream(name) for each in listed if (name := _text(each))] if isinstance(listed, list) else []
    named = {name.removeprefix(LABEL).casefold() for name in streams if name.startswith(LABEL)}
    named -= set(folders)
    arrived = _moment(each.get("crawlTimeMsec"), 1000) or _moment(each.get("timestampUsec"), 1_000_000)
    return FoundItem(
        item=item,
        stream=stream,
        feed_site=safe_url(_text(origin.get("htmlUrl"))),
        title=_plain(each.get("title")),
        url=_href(each.get("canonical")) or _href(each.get("alternate")),
        author=_plain(each.get("author")),
        markup=max(_content(each.get("content")), _content(each.get("summary")), key=len),
        published=_moment(each.get("published"), 1),
        arrived=arrived,
        tags=tuple(name for name in streams if not name.startswith("user/")),
        files=tuple(
            (_text(file.get("href")), _text(file.get("type")), _size(file.get("length")))
            for file in _objects(each.get("enclosure"))
        ),
        starred=STARRED in streams,
        liked=f"{STATE}like" in streams or not named.isdisjoint(LIKES),
        disliked=not named.isdisjoint(DISLIKES),
        read=READ in streams,
    )


def _stream(name: str) -> str:
    return _USER.sub("user/-/", name)


def _plain(value: object) -> str:
    """Return a title as plain text. Servers write it as HTML, or with replacements for markup characters."""
    return " ".join(unescape(_text(value)).translate(_WIDE).split())


def _text(value: object) -> str:
    """Return a text without lone surrogates, which JSON can escape but nothing can store or send."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _href(value: object) -> str:
    return next((_text(each.get("href")) for each in _objects(value)), "")


def _content(value: object) -> str:
    return _text(value.get("content")) if isinstance(value, dict) else ""


def _size(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 1 << 50 else 0


def _moment(value: object, units: int) -> datetime | None:
    digits = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not re.fullmatch("[0-9]{1,17}", digits) or not int(digits):
        return None
    try:
        return _EPOCH + timedelta(seconds=int(digits) // units, microseconds=int(digits) % units * (1_000_000 // units))
    except OverflowError:
        return None
