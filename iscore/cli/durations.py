"""Lengths of time as people type them: ``1d``, ``6h``, ``30m``, ``45s``, ``2w``."""

from __future__ import annotations

import re
from datetime import timedelta

import typer

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_FORM = re.compile(r"(\d{1,6})\s*([smhdw])")


def duration(text: str) -> timedelta:
    """Return the length of time. Raises ``typer.BadParameter`` for anything else."""
    found = _FORM.fullmatch(text.strip().lower())
    if found is None:
        if text.strip() == "0":
            return timedelta(0)
        raise typer.BadParameter(f"{text!r} is no length of time; write 1d, 6h or 30m")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def rhythm(text: str) -> timedelta | int:
    """Return the length of time between rounds, or the number of articles of a round.

    Raises ``typer.BadParameter`` for anything else, and for rounds that never end.
    """
    length = int(text) if re.fullmatch(r"\d{1,9}", text.strip()) else duration(text)
    if not length:
        raise typer.BadParameter("a round takes some time, or some articles")
    return length
