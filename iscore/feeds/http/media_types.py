"""The kinds of documents that are asked for, and what is accepted of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """One kind of document."""

    accept: str
    """The Accept header."""
    types: frozenset[str] = frozenset()
    """Media types that are taken; empty: all, and what says nothing."""
    largest: int | None = None
    """Bytes of the decoded document, if that is less than the settings allow."""
    cut: bool = False
    """Whether a larger one is cut there, and not an error."""


FEED = Wanted(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    "application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
PAGE = Wanted(
    "text/html, application/xhtml+xml;q=0.9",
    frozenset({"text/html", "application/xhtml+xml"}),
    5_000_000,  # the longest articles' pages have some 3 MB, most of it scripts
)
FEED_OR_PAGE = Wanted(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    "text/html;q=0.9, application/xhtml+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5"
)
"""What stands behind an address that a person gives may be either."""
ROBOTS = Wanted("text/plain, */*;q=0.5", largest=512_000, cut=True)
"""RFC 9309, section 2.5: at least the first 500 KiB are read; what is behind them is not believed to matter."""


def media_type(content_type: str) -> str:
    """Return ``text/html`` of ``Text/HTML; charset=utf-8``."""
    return content_type.partition(";")[0].strip().lower()
