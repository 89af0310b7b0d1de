"""Reads dates of feeds: texts and numbers → plausible aware datetimes in UTC, or None."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TypeVar

FIRST_YEAR = 1990
"""Earlier dates are wrong, since feeds did not exist: 1970 is an unset clock, 0001 an unset field."""
TOLERANCE = timedelta(days=1)
"""Missing time zones make dates wrong by hours. Articles with later dates would stay on top forever."""

_Dated = TypeVar("_Dated")
_FRACTION = re.compile(r"([:.,]\d{2})[.,](\d{1,6})\d*")


def plausible(moment: datetime | None, now: datetime) -> datetime | None:
    """Return the moment if an article can have been published then; otherwise None."""
    if moment is None or moment.year < FIRST_YEAR or moment > now + TOLERANCE:
        return None
    return moment


def from_text(text: str) -> datetime | None:
    """Convert an RFC 3339 or RFC 822 date. A missing time zone means UTC."""
    text = text.strip()[:60]
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(_FRACTION.sub(r"\1.\2", text) if text[:4].isdigit() else text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def newest(items: Sequence[_Dated], limit: int, date: Callable[[_Dated], datetime | None]) -> list[_Dated]:
    """Return the ``limit`` newest items in their order. Without dates the first are the newest.

    An undated item counts as being as old as the one before it.
    """
    if len(items) <= limit:
        return list(items)
    moments, last = [], datetime.max.replace(tzinfo=UTC)
    for item in items:
        last = date(item) or last
        moments.append(last)
    ranked = sorted(range(len(items)), key=lambda position: (moments[position], -position), reverse=True)
    return [items[position] for position in sorted(ranked[:limit])]
