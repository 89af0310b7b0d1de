"""Plain text: addresses, one a line; keywords; or a text that one likes, such as an essay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iscore.core.translation import gettext, grouped
from iscore.feeds.parsing.html_to_text import MAX_TEXT, line, line_of_markup, prose
from iscore.services.interests.formats.builder import MalformedError, item_of
from iscore.services.learning.imported_item import Form, ImportedItem

_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def is_address(text: str) -> bool:
    """Whether this is meant as the address of a page."""
    return _SCHEME.match(text.strip()) is not None


def read_links(text: str) -> Iterator[ImportedItem | None]:
    """Yield an item per address, None for each other line; what follows an address after a space is its title.

    Raises ``MalformedError`` with the number of the first invalid line when there is no address.
    """
    wrong, found = "", False
    for number, row in enumerate(text.splitlines(), start=1):
        value = row.strip()
        if not value or value.startswith("#"):
            continue
        address, _, title = value.partition(" ") if "\t" not in value else value.partition("\t")
        item = item_of(address, title) if is_address(address) else None
        if item is None:
            shown = repr(value[:60])
            wrong = wrong or gettext("line %(number)s is not a web address: %(text)s", number=number, text=shown)
        found = found or item is not None
        yield item
    if wrong and not found:
        raise MalformedError(wrong)


LONGEST = 200
"""Characters of one interest. What is longer is no keyword: most likely another kind of file was meant."""
MOST = 500
"""Interests in one list."""


def read_keywords(text: str) -> Iterator[ImportedItem]:
    """Yield an item per interest, which may be several words: ``solar power, chess``.

    Raises ``MalformedError`` for a text that is no list of words.
    """
    found: dict[str, ImportedItem] = {}
    for row in text.splitlines():
        for value in re.split("[,;]", "" if row.lstrip().startswith("#") else row):
            words = line(value)
            if len(words) > LONGEST:
                raise MalformedError(
                    gettext(
                        "%(text)s… is too long for a keyword; separate keywords with commas or line breaks",
                        text=repr(words[:40]),
                    )
                )
            if any(character.isalnum() for character in words):
                found.setdefault(words.casefold(), ImportedItem(Form.KEYWORDS, words))
    if len(found) > MOST:
        raise MalformedError(
            gettext("it has %(number)s keywords; use at most %(most)s", number=grouped(len(found)), most=MOST)
        )
    yield from found.values()


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
