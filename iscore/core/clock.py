"""The one place that reads the time, which the composition root makes and passes on; and time zones by their names."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from iscore.core.errors import ConfigError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]
"""Returns the present, aware and in UTC."""

EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""A clock that is further off shows these, so that adding a month is possible everywhere."""


def system_clock() -> Clock:
    """Return the system's clock, or one that is fixed at ``ISCORE_NOW`` (ISO 8601), for tests and demonstrations.

    Raises ``ConfigError`` when ``ISCORE_NOW`` is no time.
    """
    fixed = os.environ.get("ISCORE_NOW")
    if not fixed:
        return lambda: _possible(datetime.now(UTC))
    try:
        moment = datetime.fromisoformat(fixed)
    except ValueError as error:
        raise ConfigError("ISCORE_NOW", f"{fixed!r} is not a time; write it like 2025-03-01T07:00:00Z") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    moment = _possible(moment).astimezone(UTC)
    return lambda: moment


def _possible(moment: datetime) -> datetime:
    return min(max(moment, EARLIEST), LATEST)


def zone_named(name: str) -> ZoneInfo | None:
    """Return a time zone; None, the machine's own, for an empty name. Raises ``ValueError`` for an unknown name.

    >>> str(zone_named("Europe/Rome"))
    'Europe/Rome'
    """
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name) if name else None
    except (LookupError, OSError, ValueError) as error:  # an unknown name, a folder's name, or no name at all
        raise ValueError(f"unknown time zone {name!r}; write it like Europe/Rome") from error
