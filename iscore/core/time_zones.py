"""Time zones by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


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
