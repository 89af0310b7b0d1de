"""What parsing takes and gives: the nouns between the poller and the parser's process. They load no parser."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records import NewArticle

MAX_ENTRIES = 1000
"""Newest entries kept of one document, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class ParseJob:
    """One document to parse."""

    body: bytes
    """As received, after content decoding, before any character decoding."""
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
    """A feed document, read and cleaned. Texts are plain, safe and encodable as UTF-8."""

    title: str
    site_url: str
    """The page that the feed belongs to: http or https, or empty."""
    language: str
    """Two-letter ISO 639-1 code, or empty."""
    ttl_minutes: int | None
    """How long the publisher says the document stays fresh; None when not said."""
    skip_hours: tuple[int, ...]
    """Hours of the day, UTC, 0 to 23, in which the publisher asks not to be polled."""
    skip_days: tuple[int, ...]
    """Days of the week on which the publisher asks not to be polled, Monday is 0 (``datetime.weekday``)."""
    items_seen: bytes
    """The 8-byte hashes of this document's raw items, in their order; empty when it cannot be cut into items."""
    entries: tuple[NewArticle, ...]
    """The entries whose raw item was not in ``seen``, in the document's order."""
    total: int
    """Entries in the document, known ones included."""
    dropped: int
    """Entries left out because the document had more than ``max_entries``."""
