"""A page → the feeds that it declares.

A page declares feeds in its head: ``<link rel="alternate" type="application/rss+xml" href="…" title="…">``. If it does
not, links that look like a feed's (``/rss.xml``, ``/feed/``) are guesses. Hostile pages can make the standard library's
parser slow; so this runs in a child process only: see ``worker``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html.parser import HTMLParser

from iscore.feeds.parsing.encoding import page_to_text
from iscore.feeds.parsing.html_to_text import feed_name
from iscore.feeds.parsing.jobs import FeedLink, LinksJob
from iscore.feeds.urls import safe_url

MAX_FEEDS = 20
"""Feeds of one page; forges and magazines have about ten."""
_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/feed+json",
        "application/json",
        "application/rdf+xml",
        "application/rss+xml",
        "application/xml",
        "text/xml",
    }
)
_NO_FEED = re.compile(r"/wp-json/|oembed|opensearch", re.IGNORECASE)
"""Other things that pages declare as an alternate in JSON or XML."""
_LOOKS_LIKE_A_FEED = re.compile(r"(?:[/._-](?:feeds?|rss2?|atom)(?:\.xml|\.json|\.php)?|\.rdf)/?$", re.IGNORECASE)


def feed_links(job: LinksJob) -> list[FeedLink]:
    """List the feeds that a page declares, in its order; if it declares none, links that look like one."""
    reader = _LinkParser(job.url)
    with suppress(AssertionError):  # ``HTMLParser`` asserts that ``<![`` begins a section that it knows.
        reader.feed(page_to_text(job.body, job.content_type))
        reader.close()
    found = reader.declared or reader.guessed
    return list(found.values())[:MAX_FEEDS]


class _LinkParser(HTMLParser):
    """Collects links by address, the first of each."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.declared: dict[str, FeedLink] = {}
        self.guessed: dict[str, FeedLink] = {}
        self._base = url

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the URL of a link."""
        if tag not in ("a", "base", "link"):
            return
        values = {name: value or "" for name, value in attributes}
        url = safe_url(values.get("href", "").strip(), self._base) if values.get("href") else ""
        if not url:
            return
        url = url.partition("#")[0]
        if tag == "base":
            self._base = url
        elif tag == "link" and _is_declared(values, url):
            self.declared.setdefault(url, FeedLink(url, feed_name(values.get("title", "")), declared=True))
        elif tag == "a" and _LOOKS_LIKE_A_FEED.search(url.partition("?")[0]):
            self.guessed.setdefault(url, FeedLink(url, feed_name(values.get("title", "")), declared=False))


def _is_declared(values: dict[str, str], url: str) -> bool:
    relations = values.get("rel", "").lower().split()
    if "stylesheet" in relations:
        return False
    kind = values.get("type", "").partition(";")[0].strip().lower()
    return ("feed" in relations or ("alternate" in relations and kind in _TYPES)) and not _NO_FEED.search(url)
