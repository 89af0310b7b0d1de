"""Where a story stands in a list by time, and how pages and client apps say where the next part of the list begins.

    2026-03-01 12:00  number 7  ─► "1772366400000000_7"  ─► stories behind it

A list is ordered by when its stories count as published (``records.articles.dated``), those of the same time by their
numbers. Both never change. So whatever arrives between two pages, no story moves from one to the other.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, or_

from storage.schema.column_types import microseconds, moment_or_none

_PLACE = re.compile(r"(-?[0-9]{1,16})_([0-9]{1,18})")


class Place(NamedTuple):
    """A place in a list by time."""

    dated: datetime
    seq: int

    def __str__(self) -> str:
        """Write it: letters and digits that addresses may have."""
        return f"{microseconds(self.dated)}_{self.seq}"


def read_place(text: str) -> Place | None:
    """Read what ``str`` wrote; None for anything else.

    >>> read_place("1772366400000000_7").seq, read_place("7")
    (7, None)
    """
    found = _PLACE.fullmatch(text)
    at = moment_or_none(int(found[1])) if found else None
    return Place(at, int(found[2])) if found and at else None


def behind(
    place: Place, dated: ColumnElement[Any], seq: ColumnElement[Any], *, oldest_first: bool = False
) -> ColumnElement[bool]:
    """Return the condition that a row is behind a place, as a range that an index of both columns answers."""
    if oldest_first:
        return and_(dated >= place.dated, or_(dated > place.dated, seq > place.seq))
    return and_(dated <= place.dated, or_(dated < place.dated, seq < place.seq))
