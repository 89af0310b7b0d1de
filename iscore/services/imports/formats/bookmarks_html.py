"""Bookmarks as browsers export them (the Netscape format), and Pocket's and Instapaper's HTML: links with a title.

Read by a scanner of its own, in time proportional to the file's length: the format was never HTML that a parser would
recognise, with items that are never closed, and all that is wanted are the links. Folders are a person's drawers; they
say little about an article and are passed over.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from iscore.services.imports.formats.builder import moment, seed_of
from iscore.services.imports.item import ImportedItem

_LINK = re.compile(r"<a\s([^<>]*)>([^<]*(?:<(?!/?a\b|/?d[dlt]\b|/?h[1-6]\b|/?li\b)[^<]*)*)", re.IGNORECASE)
"""A link and what it holds, up to its end or to whatever cannot stand within it."""
_ATTRIBUTE = re.compile(
    r"""(?<![a-z_])([a-z_]{1,20})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE
)


def read_bookmarks(text: str) -> Iterator[ImportedItem]:
    """Yield a seed per link to a web page; bookmarklets, local files and places of the browser are passed over."""
    for found in _LINK.finditer(text):
        said = {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(found[1])}
        seed = seed_of(
            said.get("href", ""),
            found[2],
            categories=said.get("tags", "").split(","),
            added=moment(said.get("add_date") or said.get("time_added") or ""),
        )
        if seed is not None:
            yield seed
