"""Detects the format of a file by its content, and reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from iscore.services.imports.errors import MalformedError
from iscore.services.imports.formats.bookmarks_csv import is_table, read_table
from iscore.services.imports.formats.bookmarks_html import read_bookmarks
from iscore.services.imports.formats.keywords import read_keywords
from iscore.services.imports.formats.links import is_address, read_links
from iscore.services.imports.formats.opml import read_opml
from iscore.services.imports.formats.starred_json import read_starred
from iscore.services.imports.item import ImportedItem

LARGEST = 100_000_000
"""Bytes of a file: some thousand starred articles with their texts have a tenth of this."""
_LOOK = 4096
"""Characters from which a format is detected."""


def read(data: bytes, format_name: str = "") -> list[ImportedItem]:
    """Return the items of a file, in its order, each once; ``format_name`` is one of ``FORMATS``, or empty to detect
    it.

    Raises ``MalformedError`` when it cannot be read, or has nothing to learn from.
    """
    if len(data) > LARGEST:
        raise MalformedError(f"it has more than {LARGEST // 1_000_000} MB")
    name = format_name or detect(data)
    found: dict[str, ImportedItem] = {}
    for item in FORMATS[name](data):
        if item.has_content:
            found.setdefault(item.key, item)
    if not found:
        raise MalformedError(f"nothing to learn from in it, read as {name}; choose another format with --format")
    return list(found.values())


def detect(data: bytes) -> str:
    """Return the name of the format that the content is in. Raises ``MalformedError`` when it is in none."""
    if data.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        raise MalformedError("it is compressed; unpack it first")
    head = _text(data[: 4 * _LOOK], complete=False)[:_LOOK].lstrip()
    if not head:
        raise MalformedError("it is empty")
    if "\x00" in head:
        raise MalformedError("it is not text")
    if head.startswith(("{", "[")):
        return "json"
    if head.startswith("<"):
        return _markup(head)
    first = next((row for row in head.splitlines() if row.strip() and not row.startswith("#")), "")
    if is_table(first):
        return "csv"
    return "links" if is_address(first) else "keywords"


def _markup(head: str) -> str:
    if re.search(r"<opml\b", head, re.IGNORECASE):
        return "opml"
    if re.search(r"<!doctype\s+netscape|<(?:html|a|dl|ul|h1|title|body)\b", head, re.IGNORECASE):
        return "html"
    raise MalformedError("it is markup, but neither OPML nor bookmarks; --format opml or --format html reads it anyway")


def _text(data: bytes, *, complete: bool = True) -> str:
    """Decode what programs write: UTF-8, UTF-16 with its mark, and else the old Western code."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not complete and error.start > len(data) - 4:
            return data[: error.start].decode("utf-8-sig")
        return data.decode("cp1252", "replace")


def _of_text(read_text: Callable[[str], Iterator[ImportedItem]]) -> Callable[[bytes], Iterator[ImportedItem]]:
    return lambda data: read_text(_text(data))


FORMATS: dict[str, Callable[[bytes], Iterator[ImportedItem]]] = {
    "links": _of_text(read_links),
    "keywords": _of_text(read_keywords),
    "html": _of_text(read_bookmarks),
    "csv": _of_text(read_table),
    "json": _of_text(read_starred),
    "opml": read_opml,
}
"""Name → reader. Every reader passes over single things that are no web pages, and raises ``MalformedError`` for a
document that is not in its format."""
