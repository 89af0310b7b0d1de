"""The kinds of documents that are fetched, and what is accepted of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accepted:
    """What is accepted for one kind of document."""

    header: str
    """The Accept header."""
    types: frozenset[str] = frozenset()
    """Media types that are accepted; empty: all, and answers without one."""
    max_size: int | None = None
    """Bytes of the decoded document, if that is less than the settings allow."""
    truncate: bool = False
    """Whether a larger document is truncated, and not an error."""


FEED = Accepted(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    "application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
PAGE = Accepted(
    "text/html, application/xhtml+xml;q=0.9",
    frozenset({"text/html", "application/xhtml+xml"}),
    5_000_000,  # the longest articles' pages have some 3 MB, most of it scripts
)
FEED_OR_PAGE = Accepted(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    "text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
"""For a URL that the user gives, which may be either."""
ROBOTS = Accepted("text/plain, */*;q=0.5", max_size=512_000, truncate=True)
"""RFC 9309, section 2.5: at least the first 500 KiB are read; what follows is ignored."""


def media_type(content_type: str) -> str:
    """Return ``text/html`` of ``Text/HTML; charset=utf-8``."""
    return content_type.partition(";")[0].strip().lower()
