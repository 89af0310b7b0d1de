"""Times and durations in words. The current time and the time zone are arguments.

``age`` and ``until`` are for the command line, which is English.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from iscore.core.translation import gettext, ngettext
from iscore.presentation.wording.dates import short_day

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 31_556_952


def age(moment: datetime, now: datetime) -> str:
    """Return how long ago ``moment`` was: ``now``, ``5 min``, ``3 h``, ``2 days``, ``6 years``. The future is now."""
    seconds = int((now - moment).total_seconds())
    if seconds < _MINUTE:
        return "now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR} h"
    if seconds < 2 * _YEAR:
        return f"{seconds // _DAY:,} days"
    return f"{seconds // _YEAR:,} years"


def age_of(published: datetime | None, now: datetime) -> str:
    """Return the age of an article, as ``age`` does; its arrival says nothing about it."""
    return age(published, now) if published else "no date"


def ago(moment: datetime, now: datetime) -> str:
    """Return when something happened: ``just now``, ``5 min ago``, ``2 days ago``."""
    seconds = int((now - moment).total_seconds())
    if seconds < _MINUTE:
        return gettext("just now")
    if seconds < _HOUR:
        return gettext("%(number)s min ago", number=seconds // _MINUTE)
    if seconds < 2 * _DAY:
        return gettext("%(number)s h ago", number=seconds // _HOUR)
    if seconds < 2 * _YEAR:
        return ngettext("%(count)s day ago", "%(count)s days ago", seconds // _DAY)
    return ngettext("%(count)s year ago", "%(count)s years ago", seconds // _YEAR)


def short_age(moment: datetime, now: datetime) -> str:
    """Return how long ago something was published, in a column of a list: ``12 min``, ``3 h``, ``5 d``, ``2 y``."""
    seconds = max(0, int((now - moment).total_seconds()))
    if seconds < _HOUR:
        return gettext("%(number)s min", number=seconds // _MINUTE)
    if seconds < _DAY:
        return gettext("%(number)s h", number=seconds // _HOUR)
    if seconds < _YEAR:
        return gettext("%(number)s d", number=seconds // _DAY)
    return gettext("%(number)s y", number=seconds // _YEAR)


def until(moment: datetime, now: datetime) -> str:
    """Return the time until ``moment``: ``now``, ``in 5 min``, ``in 3 h``, ``in 2 days``."""
    distance = age(now, moment)
    return distance if distance == "now" else f"in {distance}"


def clock_time(moment: datetime, now: datetime, zone: tzinfo | None) -> str:
    """Return day and time in ``zone`` (None for the machine's): ``Mon 6 Oct, 14:05``, with its year if not this one."""
    local = moment.astimezone(zone)
    day = short_day(local, with_year=local.year != now.astimezone(zone).year)
    return f"{day}, {local:%H:%M}"
