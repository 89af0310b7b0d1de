"""A feed's hints about when to fetch it again, and about the hub that pushes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from iscore.feeds.urls import safe_url

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PERIODS = {"hourly": 60, "daily": 1440, "weekly": 10_080, "monthly": 43_200, "yearly": 525_600}
"""Minutes of the syndication module's updatePeriod."""

_SKIP_HOURS = re.compile(rb"<skipHours>(.{0,4000}?)</skipHours>", re.IGNORECASE | re.DOTALL)
_SKIP_DAYS = re.compile(rb"<skipDays>(.{0,2000}?)</skipDays>", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(rb">\s*(\d{1,2})\s*<")
_WORD = re.compile(rb">\s*([A-Za-z]{6,9})\s*<")


def ttl_minutes(feed: Mapping[str, Any]) -> int | None:
    """Return the minutes that the document stays fresh, by ``ttl`` or the syndication module; None without either."""
    ttl = _positive(feed.get("ttl"))
    if ttl is not None:
        return ttl
    period = _PERIODS.get(str(feed.get("sy_updateperiod", "")).strip().lower())
    return None if period is None else period // (_positive(feed.get("sy_updatefrequency")) or 1) or 1


def skip_hours(prologue: bytes) -> tuple[int, ...]:
    """Return hours, UTC, 0 to 23, in which not to fetch; 24 is midnight in the old specification."""
    found = _SKIP_HOURS.search(prologue)
    return tuple(sorted({int(hour) % 24 for hour in _NUMBER.findall(found[1]) if int(hour) <= 24})) if found else ()


def skip_days(prologue: bytes) -> tuple[int, ...]:
    """Return days of the week on which not to fetch, Monday is 0."""
    found = _SKIP_DAYS.search(prologue)
    names = {day.decode("ascii").lower() for day in _WORD.findall(found[1])} if found else set()
    return tuple(number for number, name in enumerate(_DAYS) if name in names)


def link(feed: Mapping[str, Any], relation: str, base: str) -> str:
    """Return the address of the feed's first link with this relation, http or https; empty if there is none."""
    found = (each for each in feed.get("links", ()) if relation in str(each.get("rel", "")).lower().split())
    return next(filter(None, (safe_url(str(each.get("href", "")), base) for each in found)), "")


def _positive(value: object) -> int | None:
    try:
        number = int(str(value).strip())
    except ValueError:
        return None
    return number if number > 0 else None
