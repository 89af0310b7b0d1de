"""Bookmarks as browsers and Raindrop export them (the Netscape format), and Pocket's and Instapaper's HTML: links.

A scanner of our own reads them in time proportional to the file's length: the format was never valid HTML, its items
are not closed, and only the links matter. Folders say little about an article and are ignored.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator

from iscore.services.interests.formats.builder import item_of, moment
from iscore.services.learning.imported_item import ImportedItem

_LINK = re.compile(r"<a\s([^<>]*)>([^<]*(?:<(?!/?a\b|/?d[dlt]\b|/?h[1-6]\b|/?li\b)[^<]*)*)", re.IGNORECASE)
"""A link with its contents, up to its end or to what cannot be inside a link."""
_ATTRIBUTE = re.compile(
    r"""(?<![a-z_-])([a-z_-]{1,20})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)

_HEADING = re.compile(r"<h1\b[^<>]*>([^<]*)", re.IGNORECASE)
_NOTE = re.compile(r"</a>\s*<dd>([^<]*)", re.IGNORECASE)
"""The beginning of the page, which Raindrop writes below a link. What browsers write there are the user's notes."""
_TO_READ = {"unread", "starred"}
"""Headings of Pocket and Instapaper over what waits to be read, or is a favourite."""


def has_links(text: str) -> bool:
    """Whether there is any link, to a web page or not."""
    return _LINK.search(text) is not None


def read_bookmarks(text: str) -> Iterator[ImportedItem | None]:
    """Yield an item per link to a web page, None for each bookmarklet, local file and browser page."""
    headings = deque((found.start(), found[1].strip().casefold() in _TO_READ) for found in _HEADING.finditer(text))
    to_read = False
    for found in _LINK.finditer(text):
        while headings and headings[0][0] < found.start():
            to_read = headings.popleft()[1]
        values = {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(found[1])}
        if "href" not in values:
            continue
        tags = values.get("tags", "").split(",")
        saved = to_read or values.get("data-important") == "true"
        note = _NOTE.match(text, found.end()) if "data-cover" in values else None
        yield item_of(
            values["href"],
            found[2],
            note[1] if note else "",
            categories=tags,
            added=moment(values.get("add_date") or values.get("time_added") or ""),
            saved=saved,
            user_labels=tags if saved else (),
        )
