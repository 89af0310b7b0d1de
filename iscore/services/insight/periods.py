"""Days, weeks and months, as a user counts them: in their time zone, weeks from Monday."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum

MONTH = timedelta(days=30)
"""How long ago a month ago is."""
MOST_DAYS = 35
MOST_WEEKS = 78


class Scale(StrEnum):
    """How long a period is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


def scale_of(first: date, last: date) -> Scale:
    """Return the finest scale on which the time from ``first`` to ``last`` can still be taken in."""
    days = (last - first).days + 1
    if days <= MOST_DAYS:
        return Scale.DAY
    return Scale.WEEK if days <= 7 * MOST_WEEKS else Scale.MONTH


def day_of(moment: datetime, zone: tzinfo | None) -> date:
    """Return the day of a moment in ``zone``; None: the machine's own."""
    return moment.astimezone(zone).date()


def start_of(day: date, scale: Scale) -> date:
    """Return the first day of the period that a day is in."""
    if scale is Scale.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if scale is Scale.MONTH else day


def next_start(start: date, scale: Scale) -> date:
    """Return the first day of the period after the one that begins at ``start``."""
    if scale is Scale.MONTH:
        return (start.replace(day=1) + timedelta(days=32)).replace(day=1)
    return start + timedelta(days=7 if scale is Scale.WEEK else 1)


def starts(first: date, last: date, scale: Scale) -> list[date]:
    """Return the first days of all periods from that of ``first`` to that of ``last``."""
    found = [start_of(first, scale)]
    while (following := next_start(found[-1], scale)) <= last:
        found.append(following)
    return found
