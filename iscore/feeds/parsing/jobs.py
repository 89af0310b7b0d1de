"""What the parser processes do: one job a document, and the results. Nothing here loads a parser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records.articles import NewArticle

MAX_ENTRIES = 1000
"""Newest entries kept of one document."""


@dataclass(frozen=True, slots=True)
class FeedJob:
    """A feed document to parse."""

    body: bytes
    """As received, after content decoding, before any character decoding. The same in all jobs."""
    url: str
    """Where it came from; relative links are resolved against it."""
    content_type: str
    """The Content-Type header, or empty."""
    now: datetime
    """Dates later than a day after this are not believed."""
    seen: bytes = b""
    """``ParsedFeed.items_seen`` of the feed's last document: items in there are skipped."""
    max_entries: int = MAX_ENTRIES


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed document, parsed and cleaned. Texts are plain, safe and encodable as UTF-8."""

    title: str
    site_url: str
    """The page that the feed belongs to: http or https, or empty."""
    language: str
    """Two-letter ISO 639-1 code, or empty."""
    ttl_minutes: int | None
    """How long the document stays fresh by the publisher's word; None without one."""
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
    """Address of the feed's icon or logo, http or https; empty if it names none."""
    hub: str = ""
    """Address of the hub that pushes it (WebSub), http or https; empty if it names none."""
    self_url: str = ""
    """Its own address, as it names it, http or https; empty if it does not."""


@dataclass(frozen=True, slots=True)
class PageJob:
    """An article's page, whose main text is wanted."""

    body: bytes
    content_type: str
    url: str = ""
    """Where it came from; relative links are resolved against it."""


@dataclass(frozen=True, slots=True)
class PageArticle:
    """An article, as its page has it."""

    text: str
    """Paragraphs separated by a blank line; not empty."""
    html: str
    """``article_html.article_html`` of the same; empty if the paragraphs show all there is."""


@dataclass(frozen=True, slots=True)
class LinksJob:
    """A page, whose feeds are wanted."""

    body: bytes
    content_type: str
    url: str
    """Where it came from; relative links are resolved against it."""


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A link of a page to what may be a feed."""

    url: str
    """Safe and absolute."""
    title: str
    """The page's name for it, one clean line; may be empty."""
    declared: bool
    """Whether the page declares it as a feed; else its URL looks like one."""


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
    """Seconds that the site wants between two requests; 0 when it says nothing."""


@dataclass(frozen=True, slots=True)
class PictureJob:
    """A picture to be scaled down."""

    body: bytes
    edge: int
    """Pixels that it may be wide and high."""
    max_bytes: int
    """Bytes that the result may have."""
    max_pixels: int
    """Pixels above which it is refused."""


Job = FeedJob | PageJob | LinksJob | RobotsJob | PictureJob
