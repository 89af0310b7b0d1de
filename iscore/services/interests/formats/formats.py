"""Detects the format of a file by its content, and reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from iscore.core.translation import gettext
from iscore.feeds.parsing.encoding import page_to_text
from iscore.feeds.parsing.html_to_text import line
from iscore.rules.rule import Rule
from iscore.services.interests.formats.bookmarks import (
    has_links,
    is_ris,
    is_table,
    read_bookmarks,
    read_ris,
    read_table,
)
from iscore.services.interests.formats.builder import MalformedError
from iscore.services.interests.formats.opml import read_opml
from iscore.services.interests.formats.starred import read_json, read_xml
from iscore.services.interests.formats.text import is_address, is_text, read_keywords, read_links, read_text
from iscore.services.learning.imported_item import ImportedItem

Entry = ImportedItem | Rule | None

LARGEST = 100_000_000
"""Bytes of a file: some thousand starred articles with their texts have a tenth of this."""
SHOWN_EVERY = 200
"""Entries between two steps of the progress."""
_OF_TEXTS = ("", ".txt", ".md")
"""Endings of files that may be a text; without one it is, for instance, standard input."""
_LOOK = 4096
"""Characters from which a format is detected."""


@dataclass(frozen=True, slots=True)
class FileContents:
    """What a file has."""

    items: tuple[ImportedItem, ...]
    """In their order, each once."""
    rules: tuple[Rule, ...] = ()
    """What NewsBlur was trained to like and dislike."""
    skipped: int = 0
    """Entries that were left out: without a web address, or neither liked nor saved there."""
    problem: str = ""
    """Why the rest of a damaged file could not be read; empty if nothing is wrong."""


def read(
    data: bytes, format_name: str = "", name: str = "", progress: Callable[[int, int, str], None] | None = None
) -> FileContents:
    """Return what a file has; ``format_name`` is one of ``FORMATS``, or empty to detect it by content and ``name``.

    A damaged file is read up to its damage. Raises ``MalformedError`` when nothing can be read, or there is nothing to
    learn from.
    """
    if len(data) > LARGEST:
        raise MalformedError(gettext("it has more than %(size)s MB", size=LARGEST // 1_000_000))
    format_name = format_name or detect(data, name)
    found: dict[str, ImportedItem] = {}
    rules: list[Rule] = []
    skipped, problem = 0, ""
    try:
        for number, entry in enumerate(FORMATS[format_name](data), start=1):
            if isinstance(entry, Rule):
                rules.append(entry)
            elif entry is None or not entry.has_content:
                skipped += 1
            else:
                unnamed = format_name == "text" and not entry.title
                item = replace(entry, title=line(Path(name).stem)) if unnamed else entry
                found.setdefault(item.key, item)
            if progress is not None and number % SHOWN_EVERY == 0:
                progress(number, 0, "reading")
    except MalformedError as error:
        if not (found or rules):
            raise
        problem = str(error)
    if not (found or rules):
        raise MalformedError(gettext("nothing to learn from in it, read as %(format)s", format=format_name))
    return FileContents(tuple(found.values()), tuple(rules), skipped, problem)


def detect(data: bytes, name: str = "") -> str:
    """Return the name of the format that the content is in; ``name`` is that of the file.

    Raises ``MalformedError`` when it is in none.
    """
    if data.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        raise MalformedError(gettext("it is compressed; unpack it first"))
    head = page_to_text(data[: 4 * _LOOK])[:_LOOK].lstrip()
    if not head:
        raise MalformedError(gettext("it is empty"))
    if "\x00" in head:
        raise MalformedError(gettext("it is not text"))
    if head.startswith(("{", "[")):
        return "json"
    if head.startswith("<"):
        return _markup(head, data)
    first = next((row for row in head.splitlines() if row.strip() and not row.startswith("#")), "")
    if is_table(first) or name.lower().endswith(".csv"):
        return "csv"
    if is_ris(first):
        return "ris"
    if is_address(first):
        return "links"
    return "text" if Path(name).suffix.lower() in _OF_TEXTS and is_text(page_to_text(data)) else "keywords"


def _markup(head: str, data: bytes) -> str:
    if re.search(r"<opml\b", head, re.IGNORECASE):
        return "opml"
    if re.search(r"^(?:<\?xml[^>]*>)?\s*(?:<\w+>\s*<entry>|<articles\b[^>]*>\s*<article>|<posts\b[^>]*>)", head):
        return "xml"
    if re.search(r"<!doctype\s+netscape", head, re.IGNORECASE):
        return "html"
    if re.search(r"<(?:html|a|dl|ul|h1|title|body)\b", head, re.IGNORECASE):
        return "html" if has_links(page_to_text(data)) else "text"
    raise MalformedError(gettext("it is markup, but neither OPML, bookmarks nor what a reader exports"))


def _of_text(read_text: Callable[[str], Iterator[Entry]]) -> Callable[[bytes], Iterator[Entry]]:
    return lambda data: read_text(page_to_text(data))


FORMATS: dict[str, Callable[[bytes], Iterator[Entry]]] = {
    "links": _of_text(read_links),
    "keywords": _of_text(read_keywords),
    "text": _of_text(read_text),
    "html": _of_text(read_bookmarks),
    "csv": _of_text(read_table),
    "json": _of_text(read_json),
    "ris": _of_text(read_ris),
    "opml": read_opml,
    "xml": read_xml,
}
"""Name → reader. Every reader yields None for single things that it leaves out, and raises ``MalformedError`` for a
document that is not in its format, or where it is damaged."""
