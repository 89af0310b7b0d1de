"""Bookmarks as browsers export them (the Netscape format), and Pocket's and Instapaper's HTML: links with a title.

A scanner of our own reads them in time proportional to the file's length: the format was never valid HTML, its items
are not closed, and only the links matter. Folders say little about an article and are ignored.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from iscore.services.imports.formats.builder import item_of, moment
from iscore.services.imports.item import ImportedItem

_LINK = re.compile(r"<a\s([^<>]*)>([^<]*(?:<(?!/?a\b|/?d[dlt]\b|/?h[1-6]\b|/?li\b)[^<]*)*)", re.IGNORECASE)
"""A link with its contents, up to its end or to what cannot be inside a link."""
_ATTRIBUTE = re.compile(
    r"""(?<![a-z_])([a-z_]{1,20})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)


def read_bookmarks(text: str) -> Iterator[ImportedItem]:
    """Yield an item per link to a web page; bookmarklets, local files and browser pages are left out."""
    for found in _LINK.finditer(text):
        values = {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(found[1])}
        item = item_of(
            values.get("href", ""),
            found[2],
            categories=values.get("tags", "").split(","),
            added=moment(values.get("add_date") or values.get("time_added") or ""),
        )
        if item is not None:
            yield item
