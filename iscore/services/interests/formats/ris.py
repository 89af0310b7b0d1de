"""RIS: references as Zotero and other reference managers export them, a field a line.

TY  - JOUR
TI  - Grid storage doubles
AU  - Halloran, Ines
AB  - What the work says of itself.
KW  - energy
UR  - https://grid.example/storage
ER  -
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from iscore.core.translation import gettext
from iscore.services.interests.formats.builder import MalformedError, item_of, moment, work_of
from iscore.services.learning.imported_item import ImportedItem

_FIELD = re.compile(r"([A-Z][A-Z0-9])  - ?(.*)")
_BEGINNING, _END = "TY", "ER"
_TITLES, _ABSTRACTS, _AUTHORS, _ADDRESSES = ("TI", "T1", "CT", "BT"), ("AB", "N2"), ("AU", "A1"), ("UR", "L2", "LK")


def is_ris(first: str) -> bool:
    """Whether a first line begins a reference."""
    return first.startswith(f"{_BEGINNING}  -")


def read_ris(text: str) -> Iterator[ImportedItem | None]:
    """Yield an item per reference; None for one without a title or address.

    Raises ``MalformedError`` for a text without any, and after the references before one that does not end.
    """
    fields: dict[str, list[str]] = {}
    last = ""
    found = 0
    for row in text.splitlines():
        match = _FIELD.match(row)
        if match is None:
            if last and row.strip():  # a long field goes on
                fields[last][-1] += " " + row.strip()
            continue
        last = match[1]
        fields.setdefault(last, []).append(match[2].strip())
        if last == _END:
            found += 1
            yield _reference(fields)
            fields, last = {}, ""
    if not found:
        raise MalformedError(gettext("it has no reference from `TY  -` to `ER  -`"))
    if fields:
        raise MalformedError(gettext("its last reference does not end with `ER  -`"))


def _reference(fields: Mapping[str, Sequence[str]]) -> ImportedItem | None:
    title, abstract, address = _first(fields, _TITLES), _first(fields, _ABSTRACTS), _first(fields, _ADDRESSES)
    doi = _first(fields, ("DO",))
    authors = "; ".join(author for name in _AUTHORS for author in fields.get(name, ()))
    return reference_of(address, doi, title, abstract, authors, fields.get("KW", ()))


def reference_of(
    address: str, doi: str, title: str, abstract: str, authors: str, keywords: Sequence[str], added: str = ""
) -> ImportedItem | None:
    """Return a reference as an item: a page by its address or DOI, else a work without an address."""
    url = address or (f"https://doi.org/{re.sub(r'^(?:doi:|https?://(?:dx[.])?doi[.]org/)', '', doi)}" if doi else "")
    when = moment(added)
    if url:
        item = item_of(url, title, abstract, author=authors, categories=keywords, added=when)
        if item is not None:
            return item
    return work_of(title, abstract, author=authors, categories=keywords, added=when)


def _first(fields: Mapping[str, Sequence[str]], names: Sequence[str]) -> str:
    return next((value for name in names for value in fields.get(name, ()) if value), "")
