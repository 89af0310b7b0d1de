"""Days in words, in the language of the reader: the names of months and days of the week are messages."""

from __future__ import annotations

from datetime import date

from iscore.core.translation import gettext, gettext_noop, pgettext

_DAYS = (
    gettext_noop("Monday"),
    gettext_noop("Tuesday"),
    gettext_noop("Wednesday"),
    gettext_noop("Thursday"),
    gettext_noop("Friday"),
    gettext_noop("Saturday"),
    gettext_noop("Sunday"),
)
_SHORT_DAYS = (
    gettext_noop("Mon"),
    gettext_noop("Tue"),
    gettext_noop("Wed"),
    gettext_noop("Thu"),
    gettext_noop("Fri"),
    gettext_noop("Sat"),
    gettext_noop("Sun"),
)
_MONTHS = (
    gettext_noop("January"),
    gettext_noop("February"),
    gettext_noop("March"),
    gettext_noop("April"),
    gettext_noop("May"),
    gettext_noop("June"),
    gettext_noop("July"),
    gettext_noop("August"),
    gettext_noop("September"),
    gettext_noop("October"),
    gettext_noop("November"),
    gettext_noop("December"),
)


def day_of_month(day: date) -> str:
    """Return a day without its year: ``Monday, 6 October``.

    >>> day_of_month(date(2026, 10, 6))
    'Tuesday, 6 October'
    """
    return gettext("%(weekday)s, %(day)s %(month)s", **_names(day))


def full_day(day: date) -> str:
    """Return a day with its year: ``Monday, 6 October 2025``."""
    return gettext("%(weekday)s, %(day)s %(month)s %(year)s", **_names(day), year=day.year)


def short_day(day: date, *, with_year: bool) -> str:
    """Return a day in short: ``Mon 6 Oct``, ``Mon 6 Oct 2025``."""
    values = {"weekday": gettext(_SHORT_DAYS[day.weekday()]), "day": day.day, "month": _short_month(day.month)}
    if with_year:
        return pgettext("short day", "%(weekday)s %(day)s %(month)s %(year)s", **values, year=day.year)
    return pgettext("short day", "%(weekday)s %(day)s %(month)s", **values)


def _names(day: date) -> dict[str, object]:
    return {"weekday": gettext(_DAYS[day.weekday()]), "day": day.day, "month": gettext(_MONTHS[day.month - 1])}


def _short_month(month: int) -> str:
    names = (
        pgettext("short month", "Jan"),
        pgettext("short month", "Feb"),
        pgettext("short month", "Mar"),
        pgettext("short month", "Apr"),
        pgettext("short month", "May"),
        pgettext("short month", "Jun"),
        pgettext("short month", "Jul"),
        pgettext("short month", "Aug"),
        pgettext("short month", "Sep"),
        pgettext("short month", "Oct"),
        pgettext("short month", "Nov"),
        pgettext("short month", "Dec"),
    )
    return names[month - 1]
