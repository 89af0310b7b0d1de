"""Tables of bookmarks with columns ``url`` and ``title``: Pocket, Instapaper, Raindrop, Readwise and others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping

from iscore.services.imports.errors import MalformedError
from iscore.services.imports.formats.builder import item_of, moment
from iscore.services.imports.item import ImportedItem

_COLUMNS = {
    "url": ("url", "link", "href"),
    "title": ("title", "name"),
    "text": ("selection", "excerpt", "note", "description"),
    "tags": ("tags",),
    "added": ("time_added", "timestamp", "created", "date", "saved date"),
}
"""What is wanted, and the headings under which programs write it."""


def is_table(head: str) -> bool:
    """Whether a first line heads a table of bookmarks."""
    names = {name.strip().casefold() for name in next(csv.reader([head], delimiter=_delimiter(head)), [])}
    return len(names) > 1 and bool(names & set(_COLUMNS["url"]))


def read_table(text: str) -> Iterator[ImportedItem]:
    """Yield an item per row with an address. Raises ``MalformedError`` without a column of addresses."""
    head = text.lstrip().partition("\n")[0]
    try:
        rows = csv.reader(io.StringIO(text.lstrip(), newline=""), delimiter=_delimiter(head))
        names = [name.strip().casefold() for name in next(rows, [])]
        columns = {
            what: [names.index(heading) for heading in headings if heading in names]
            for what, headings in _COLUMNS.items()
        }
        if not columns["url"]:
            raise MalformedError("its first line names no column `url`")
        for row in rows:
            values = {
                what: next((row[place] for place in places if place < len(row) and row[place].strip()), "")
                for what, places in columns.items()
            }
            item = _item(values)
            if item is not None:
                yield item
    except csv.Error as error:
        raise MalformedError(f"not a CSV table: {error}") from error


def _item(values: Mapping[str, str]) -> ImportedItem | None:
    return item_of(
        values["url"], values["title"], values["text"], categories=_tags(values["tags"]), added=moment(values["added"])
    )


def _tags(values: str) -> list[str]:
    """Read ``a|b`` as Pocket writes it, ``["a","b"]`` as Instapaper does, or ``a, b``."""
    if values.startswith("["):
        try:
            found = json.loads(values)
        except (ValueError, RecursionError):
            return []
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
    return values.split("|" if "|" in values else ",")


def _delimiter(head: str) -> str:
    return max(",;\t", key=head.count)
