"""Sources of imported items: addresses, files, or ``-`` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from iscore.services.imports.errors import ImportsError, MalformedError
from iscore.services.imports.formats.builder import item_of
from iscore.services.imports.formats.formats import FORMATS, LARGEST, read
from iscore.services.imports.formats.keywords import read_keywords
from iscore.services.imports.formats.links import is_address
from iscore.services.imports.item import ImportedItem

PIPE = "-"


def gather(sources: Sequence[str], keywords: str = "", format_name: str = "") -> list[ImportedItem]:
    """Return the items of all sources, each once. Reads files, and standard input for ``-``.

    Raises ``ImportsError`` for the first source that cannot be read; then nothing is imported.
    """
    if format_name and format_name not in FORMATS:
        raise ImportsError(format_name, f"no such format; use {', '.join(FORMATS)}")
    found: dict[str, ImportedItem] = {}
    for source in sources:
        _add(found, _read_source(source, format_name))
    if keywords:
        try:
            _add(found, read_keywords(keywords))
        except MalformedError as error:
            raise ImportsError("the keywords", str(error)) from error
    if not found:
        raise ImportsError("nothing", "name addresses, files or keywords to learn from")
    return list(found.values())


def source_names(sources: Sequence[str], keywords: str = "") -> str:
    """Return what a list of imports calls these sources, in short."""
    parts = [source if is_address(source) or source == PIPE else Path(source).name for source in sources[:3]]
    if len(sources) > 3:
        parts.append(f"{len(sources) - 3} more")
    if keywords:
        parts.append(f"keywords {keywords}")
    return ", ".join(parts)[:200]


def newest(items: Sequence[ImportedItem], limit: int) -> list[ImportedItem]:
    """Return at most ``limit`` items, the newest, oldest first; an item without a date counts as old."""
    dated = [item.added.timestamp() if item.added else 0.0 for item in items]
    order = sorted(range(len(items)), key=dated.__getitem__)
    return [items[place] for place in order[-limit:]]


def _read_source(source: str, format_name: str) -> Iterable[ImportedItem]:
    if is_address(source):
        item = item_of(source)
        if item is None:
            raise ImportsError(source, "is not a web address")
        return [item]
    data = _read(source)
    try:
        return read(data, format_name)
    except MalformedError as error:
        raise ImportsError("standard input" if source == PIPE else source, str(error)) from error


def _read(source: str) -> bytes:
    try:
        if source == PIPE:
            return sys.stdin.buffer.read(LARGEST + 1)
        with Path(source).open("rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        hint = "no such file, and not an address starting with https://; `iscore interests add` takes words"
        raise ImportsError(source, hint) from None
    except (OSError, ValueError) as error:  # a name with a zero byte
        raise ImportsError(source, str(getattr(error, "strerror", "") or error)) from error


def _add(found: dict[str, ImportedItem], items: Iterable[ImportedItem]) -> None:
    for item in items:
        found.setdefault(item.key, item)
