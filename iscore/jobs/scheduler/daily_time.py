"""The hour of the digest in the person's time zone, through summer time and its end.

Asked is always what a clock on the wall shows at a moment, never which moment shows a time: where clocks are put
forward, some times do not exist, and where they are put back, some exist twice. The first moment at which the clock on
the wall shows the hour, or a later one of the same day, is the digest's.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

SECOND = timedelta(seconds=1)


def on_the_wall(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return what a clock on the wall shows at an aware ``moment``; ``zone`` None is the machine's own."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def moment_of(day: date, hour: time, zone: tzinfo | None) -> datetime:
    """Return the first moment, to the second and in UTC, at which the wall shows ``hour`` of ``day`` or later.

    For a day that a place leaves out, that is the beginning of the next.
    """
    shown = datetime.combine(day, hour)
    # Both are the same but around a leap: where the time exists twice they are these two, where it does not exist, one
    # lies before the leap and one behind it (PEP 495).
    early, late = sorted(_moment(shown.replace(fold=fold), zone) for fold in (0, 1))
    if on_the_wall(early, zone) == shown:
        return early
    while late - early > SECOND:
        middle = (early + (late - early) / 2).replace(microsecond=0)
        if on_the_wall(middle, zone) >= shown:
            late = middle
        else:
            early = middle
    return late


def _moment(shown: datetime, zone: tzinfo | None) -> datetime:
    aware = shown.replace(tzinfo=zone) if zone is not None else shown
    return aware.astimezone(UTC)


def last_hour(now: datetime, hour: time, zone: tzinfo | None) -> datetime:
    """Return the digest's newest moment that is not after ``now``."""
    day = on_the_wall(now, zone).date()
    return next(moment for back in range(4) if (moment := moment_of(day - timedelta(days=back), hour, zone)) <= now)


def next_hour(now: datetime, hour: time, zone: tzinfo | None) -> datetime:
    """Return the digest's next moment after ``now``."""
    day = on_the_wall(now, zone).date()
    return next(moment for on in range(4) if (moment := moment_of(day + timedelta(days=on), hour, zone)) > now)
