"""Readwise's highlights: a table with a passage a row, which names its book or article by title and author only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iscore.services.interests.formats.builder import moment, work_of
from iscore.services.learning.imported_item import ImportedItem

DISCARDED = ".discard"
"""A tag by which Readwise's users throw a highlight away."""


def is_highlights(names: set[str]) -> bool:
    """Whether these, in lower case, are the names of the columns."""
    return {"highlight", "book title"} <= names


def read_highlights(rows: Iterator[Mapping[str, str]]) -> Iterator[ImportedItem | None]:
    """Yield an item per book or article, with its highlights as its text; None for each row without a highlight."""
    works: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        tags = [tag.strip() for tag in row.get("tags", "").split(",")]
        if row["highlight"].strip() and row["book title"].strip() and DISCARDED not in tags:
            works.setdefault((row["book title"], row.get("book author", "")), []).append(row)
        else:
            yield None
    for (title, author), passages in works.items():
        when = [at for at in (moment(each.get("highlighted at", "")) for each in passages) if at]
        yield work_of(
            title,
            "\n".join(each["highlight"] for each in passages),
            author=author,
            categories=passages[0].get("document tags", "").split(","),
            added=max(when, default=None),
        )
