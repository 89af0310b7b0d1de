"""The digest's time of day in the user's time zone, also when daylight saving time starts or ends.

Local times may not exist (clocks go forward) or exist twice (clocks go back). So the digest is due at the first moment
whose local time is the digest's time of day, or later on the same day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

SECOND = timedelta(seconds=1)


def local_time(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the naive local time of an aware ``moment``; ``zone`` None is the system's."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def moment_of(day: date, hour: time, zone: tzinfo | None) -> datetime:
    """Return the first moment (UTC, to the second) whose local time is ``hour`` of ``day`` or later.

    For a day that a time zone skips, that is the start of the next day.
    """
    shown = datetime.combine(day, hour)
    # They differ only around a change: the two moments of an ambiguous time, or the moments before and after a gap
    # (PEP 495).
    early, late = sorted(_moment(shown.replace(fold=fold), zone) for fold in (0, 1))
    if local_time(early, zone) == shown:
        return early
    while late - early > SECOND:
        middle = (early + (late - early) / 2).replace(microsecond=0)
        if local_time(middle, zone) >= shown:
            late = middle
        else:
            early = middle
    return late


def _moment(shown: datetime, zone: tzinfo | None) -> datetime:
    aware = shown.replace(tzinfo=zone) if zone is not None else shown
    return aware.astimezone(UTC)


def last_due(now: datetime, hour: time, zone: tzinfo | None) -> datetime:
    """Return the last moment, not after ``now``, at which a digest was due."""
    day = local_time(now, zone).date()
    return next(moment for back in range(4) if (moment := moment_of(day - timedelta(days=back), hour, zone)) <= now)


def next_due_after(now: datetime, hour: time, zone: tzinfo | None) -> datetime:
    """Return the next moment after ``now`` at which a digest is due."""
    day = local_time(now, zone).date()
    return next(moment for on in range(4) if (moment := moment_of(day + timedelta(days=on), hour, zone)) > now)
