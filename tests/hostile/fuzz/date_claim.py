"""What must hold of any text that stands where a date is looked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from iscore.feeds.parsing.dates import from_text, plausible

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def date_is_read_safely(text: str) -> bool:
    """Raise ``AssertionError`` if what is read is no moment in UTC; return whether one is read. Nothing is raised."""
    moment = from_text(text)
    if moment is None:
        return False
    assert moment.tzinfo is UTC
    assert from_text(moment.isoformat()) == moment
    assert from_text(f"  {moment.isoformat()}\n") == moment
    believed = plausible(moment, NOW)
    assert believed in (None, moment)
    assert believed is None or datetime(1990, 1, 1, tzinfo=UTC) <= believed <= NOW + timedelta(days=1)
    if moment.year >= 1900:
        assert from_text(format_datetime(moment)) == moment.replace(microsecond=0)
    return True
