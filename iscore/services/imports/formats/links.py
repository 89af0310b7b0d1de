"""Addresses, one a line: a text file, or what was typed. Empty lines and lines after ``#`` are notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iscore.services.imports.errors import MalformedError
from iscore.services.imports.formats.builder import item_of
from iscore.services.imports.item import ImportedItem

_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def is_address(text: str) -> bool:
    """Whether this is meant as the address of a page."""
    return _SCHEME.match(text.strip()) is not None


def read_links(text: str) -> Iterator[ImportedItem]:
    """Yield an item per address; what follows an address after a space is its title.

    Raises ``MalformedError`` with the number of an invalid line.
    """
    for number, row in enumerate(text.splitlines(), start=1):
        value = row.strip()
        if not value or value.startswith("#"):
            continue
        address, _, title = value.partition(" ") if "\t" not in value else value.partition("\t")
        item = item_of(address, title) if is_address(address) else None
        if item is None:
            raise MalformedError(f"line {number} is not a web address: {value[:60]!r}")
        yield item
