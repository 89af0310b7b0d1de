"""Durations as typed by the user: ``1d``, ``6h``, ``30m``, ``45s``, ``2w``."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

import typer

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_FORM = re.compile(r"(\d{1,6})\s*([smhdw])")


def duration(text: str) -> timedelta:
    """Return a duration. Raises ``typer.BadParameter`` for anything else."""
    found = _FORM.fullmatch(text.strip().lower())
    if found is None:
        if text.strip() == "0":
            return timedelta(0)
        raise typer.BadParameter(f"{text!r} is not a duration; write it like 30m, 6h, 30d or 4w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def interval(text: str) -> timedelta | int:
    """Return the time between batches, or the number of articles of a batch.

    Raises ``typer.BadParameter`` for anything else, and for zero.
    """
    length = int(text) if re.fullmatch(r"\d{1,9}", text.strip()) else duration(text)
    if not length:
        raise typer.BadParameter("must be more than zero")
    return length


def moment(text: str, now: datetime, zone: tzinfo | None) -> datetime:
    """Return the time that a date, or a duration before ``now``, stands for. Raises ``typer.BadParameter``.

    A date begins at midnight in ``zone``, None for the machine's.
    """
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        try:
            return now - duration(text)
        except typer.BadParameter as error:
            raise typer.BadParameter(
                f"{text!r} is neither a date nor a duration; write 2026-03-01, 3d or 12h"
            ) from error
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    return midnight.astimezone(UTC)  # without a zone it is the machine's
