"""A text that one likes, such as an essay: plain text, Markdown, or a page in HTML without links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iscore.feeds.parsing.html_to_text import MAX_TEXT, line, line_of_markup, prose
from iscore.services.interests.formats.keywords import LONGEST
from iscore.services.learning.imported_item import Form, ImportedItem

_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_USUAL = 5
"""Words between two commas of a list of keywords, at most, on average; sentences have more."""


def is_text(text: str) -> bool:
    """Whether a file without addresses is no list of keywords: it has a line that is long, and not for its commas."""
    return any(len(row) > LONGEST and _has_sentences(row) for row in text.splitlines())


def _has_sentences(row: str) -> bool:
    values = re.split("[,;]", row)
    return len(row.split()) > _USUAL * len(values) or max(map(len, values)) > LONGEST


def read_text(text: str) -> Iterator[ImportedItem]:
    """Yield the text as one item. Its title is that of the page, or a short first line; else it has none."""
    if text.lstrip().startswith("<"):
        found = _TITLE.search(text)
        page = prose(text[found.end() :] if found else text)
        title = line_of_markup(found[1]) if found else ""
        yield ImportedItem(Form.TEXT, title, text=page.text, links=page.links, pictures=page.pictures)
        return
    first, *rows = [line(row, MAX_TEXT) for row in text.strip()[:MAX_TEXT].splitlines()] or [""]
    title = first.lstrip("# ") if len(first) <= LONGEST else ""
    paragraphs = rows if title else [first, *rows]
    yield ImportedItem(Form.TEXT, title, text="\n\n".join(filter(None, paragraphs)))
