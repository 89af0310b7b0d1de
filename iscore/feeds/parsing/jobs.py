"""The jobs of the parser processes, their results, and the frames in which both are sent. Nothing here loads a parser.

    4 bytes: length of the header │ 4 bytes: length of the body │ header, JSON in UTF-8 │ the body, raw

The header is JSON, since the parser process has handled hostile input: its answers must be harmless to read.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from storage.records.articles import Content, Enclosure, NewArticle

MAX_ENTRIES = 1000
"""Newest entries kept of one document."""
PREFIX = struct.Struct("<II")
"""Of a frame: the lengths of its header and its body."""

Header = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FeedJob:
    """A feed document to parse."""

    body: bytes
    """As received, after content decoding and before character decoding. The same in all jobs."""
    url: str
    """The address; relative links are resolved against it."""
    content_type: str
    """The Content-Type header, or empty."""
    now: datetime
    """Dates more than a day later than this are ignored."""
    seen: bytes = b""
    """``ParsedFeed.items_seen`` of the feed's last document. These items are skipped."""
    max_entries: int = MAX_ENTRIES


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed document, parsed and cleaned. Texts are plain, safe and encodable as UTF-8."""

    title: str
    site_url: str
    """The feed's web page: http or https, or empty."""
    language: str
    """Two-letter ISO 639-1 code, or empty."""
    ttl_minutes: int | None
    """How long the document stays fresh according to the publisher; None if not given."""
    skip_hours: tuple[int, ...]
    """Hours of the day, UTC, 0 to 23, in which the publisher asks not to be polled."""
    skip_days: tuple[int, ...]
    """Days of the week on which the publisher asks not to be polled, Monday is 0 (``datetime.weekday``)."""
    items_seen: bytes
    """The 8-byte hashes of the document's raw items, in order; empty when items cannot be told apart before parsing."""
    entries: tuple[NewArticle, ...]
    """The entries whose raw item was not in ``seen``, in the document's order."""
    total: int
    """Entries in the document, known ones included."""
    dropped: int
    """Entries left out because the document had more than ``max_entries``."""
    icon: str = ""
    """Address of the feed's icon or logo, http or https; empty if not given."""
    hub: str = ""
    """Address of the hub that pushes the feed (WebSub), http or https; empty if not given."""
    self_url: str = ""
    """The feed's own address, as it states it, http or https; empty if not given."""


@dataclass(frozen=True, slots=True)
class PageJob:
    """An article's page, to find its main text."""

    body: bytes
    content_type: str
    url: str = ""
    """Where it came from; relative links are resolved against it."""


@dataclass(frozen=True, slots=True)
class PageArticle:
    """The article of a page."""

    text: str
    """Paragraphs separated by a blank line; not empty."""
    html: str
    """The same as HTML, made by ``article_html.article_html``; empty if it shows no more than the text."""


@dataclass(frozen=True, slots=True)
class LinksJob:
    """A page, to find the feeds that it names."""

    body: bytes
    content_type: str
    url: str
    """Where it came from; relative links are resolved against it."""


@dataclass(frozen=True, slots=True)
class IconLinksJob(LinksJob):
    """The same, to find the icons that it names."""


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A link on a page that may lead to a feed."""

    url: str
    """Safe and absolute."""
    title: str
    """The page's name for it, one clean line; may be empty."""
    declared: bool
    """Whether the page declares it as a feed. Otherwise its URL looks like one."""


@dataclass(frozen=True, slots=True)
class RobotsJob:
    """A question to a site's robots.txt: may ``agent`` fetch ``url``?"""

    body: bytes
    """At most the first 500 KiB of the file."""
    agent: str
    """Name and version, without comments: ``iscore/1.0``."""
    url: str


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether a page may be fetched."""

    refusal: str = ""
    """Why not: one readable line; empty when it may."""
    delay: float = 0.0
    """Seconds that the site wants between two requests; 0 if it does not say."""


@dataclass(frozen=True, slots=True)
class PictureJob:
    """A picture to scale down."""

    body: bytes
    edge: int
    """Largest width and height in pixels."""
    max_bytes: int
    """Largest size of the result."""
    max_pixels: int
    """Pictures with more pixels are refused."""


@dataclass(frozen=True, slots=True)
class IconJob:
    """A picture of which to make an icon."""

    body: bytes


Job = FeedJob | PageJob | LinksJob | IconLinksJob | RobotsJob | PictureJob | IconJob


_KINDS: tuple[type[Job], ...] = (FeedJob, PageJob, LinksJob, IconLinksJob, RobotsJob, PictureJob, IconJob)
_JOBS = {kind.__name__: kind for kind in _KINDS}
_FEED = tuple(field.name for field in fields(ParsedFeed) if field.name not in ("items_seen", "entries"))
_ARTICLE = ("key", "url", "title", "author", "categories", "language", "links", "pictures")
"""Fields of a feed and of an article that JSON can hold; tuples become lists."""


def frame(header: Header, body: bytes = b"") -> bytes:
    """Return a frame."""
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join((PREFIX.pack(len(text), len(body)), text, body))


def lengths(prefix: bytes) -> tuple[int, int]:
    """Return the lengths of header and body from the first 8 bytes of a frame."""
    header, body = PREFIX.unpack(prefix)
    return header, body


def job_to_frame(job: Job, seconds: float) -> bytes:
    """Return the frame of a job that may take ``seconds`` of processor time."""
    header: Header = {"job": type(job).__name__, "seconds": seconds}
    for field in fields(job):
        value = getattr(job, field.name)
        if field.name != "body":
            header[field.name] = value.hex() if isinstance(value, bytes) else value
    if isinstance(job, FeedJob):
        header["now"] = job.now.timestamp()
    return frame(header, job.body)


def job_from(header: Header, body: bytes) -> Job:
    """Return the job of a frame."""
    values = {name: value for name, value in header.items() if name not in ("job", "seconds")}
    if header["job"] == FeedJob.__name__:
        values["now"] = datetime.fromtimestamp(values["now"], UTC)
        values["seen"] = bytes.fromhex(values["seen"])
    return _JOBS[header["job"]](body=body, **values)


def feed_to_answer(feed: ParsedFeed) -> tuple[Header, bytes]:
    """Return the header and body of the frame of a parsed feed.

    The body has the long parts: the hashes of its items, then the text and HTML of each article. The header has their
    lengths.
    """
    long = [(article.text.encode(), article.content.html.encode()) for article in feed.entries]
    header = {
        "items_seen": len(feed.items_seen),
        "feed": [getattr(feed, name) for name in _FEED],
        "entries": [
            [
                *(getattr(article, name) for name in _ARTICLE),
                len(text),
                article.published.timestamp() if article.published else None,
                article.content_hash.hex(),
                len(html),
                [[each.url, each.type, each.length] for each in article.content.enclosures],
                article.content.thumbnail,
            ]
            for article, (text, html) in zip(feed.entries, long, strict=True)
        ],
    }
    return header, b"".join((feed.items_seen, *(part for parts in long for part in parts)))


def feed_from_answer(header: Header, body: bytes) -> ParsedFeed:
    """Return the parsed feed of a frame. Raises ``KeyError``, ``TypeError`` or ``ValueError`` if it is invalid."""
    values = dict(zip(_FEED, header["feed"], strict=True))
    values |= {name: tuple(values[name]) for name in ("skip_hours", "skip_days")}
    rest = BytesIO(body)
    items_seen = rest.read(header["items_seen"])
    return ParsedFeed(items_seen=items_seen, entries=tuple(_article(row, rest) for row in header["entries"]), **values)


def _article(row: list[Any], rest: BytesIO) -> NewArticle:
    *plain, text_length, published, content_hash, html_length, enclosures, thumbnail = row
    values = dict(zip(_ARTICLE, plain, strict=True))
    values["categories"] = tuple(values["categories"])
    text, html = rest.read(text_length).decode(), rest.read(html_length).decode()
    return NewArticle(
        text=text,
        published=None if published is None else datetime.fromtimestamp(published, UTC),
        content_hash=bytes.fromhex(content_hash),
        content=Content(html, tuple(Enclosure(*each) for each in enclosures), thumbnail),
        **values,
    )
