"""Addresses, one a line: a text file, or what was typed. Empty lines and lines after ``#`` are notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iscore.core.translation import gettext
from iscore.services.interests.errors import MalformedError
from iscore.services.interests.formats.builder import item_of
from iscore.services.learning.imported_item import ImportedItem

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
