"""Labels of a time axis: months, weeks or days, whichever fits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo

MOST = 5
"""Labels that fit on a phone."""
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)


def moment(day: date, zone: tzinfo | None) -> float:
    """Return the start of a day in ``zone`` (None for the machine's), in seconds since 1970."""
    return datetime.combine(day, time(), tzinfo=zone).timestamp()


def named_days(first: date, last: date, most: int = MOST) -> list[tuple[date, str]]:
    """Return one to ``most`` days from ``first`` to ``last``, evenly spaced, each with its label."""
    days = (last - first).days + 1
    for step in _DAYS:
        if days <= step * most:
            found = [first + timedelta(days=number) for number in range(_to_monday(first, step), days, step)]
            if found:
                return [(day, _day_name(day)) for day in found]
    for months in _MONTHS:
        found = [day for day in _firsts(first, last) if (12 * day.year + day.month - 1) % months == 0]
        if 0 < len(found) <= most:
            return [(day, _month_name(day, months)) for day in found]
    return [(first, _day_name(first))]


def _to_monday(first: date, step: int) -> int:
    """Return the days until the first label; weeks start on Monday."""
    return -first.weekday() % 7 if step >= 7 else 0


def _firsts(first: date, last: date) -> Iterator[date]:
    day = first if first.day == 1 else (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    while day <= last:
        yield day
        day = (day + timedelta(days=32)).replace(day=1)


def _day_name(day: date) -> str:
    return f"{day.day} {day:%b}"


def _month_name(day: date, months: int) -> str:
    if months >= 12:
        return f"{day:%Y}"
    return f"{day:%b %Y}" if day.month == 1 else f"{day:%b}"
