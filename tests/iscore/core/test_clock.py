"""The one reading of the time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from iscore.core.clock import EARLIEST, LATEST, system_clock
from iscore.core.errors import ConfigError


def test_it_tells_the_present_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISCORE_NOW", raising=False)
    clock = system_clock()
    before, shown, after = datetime.now(UTC), clock(), datetime.now(UTC)
    assert before <= shown <= after
    assert shown.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-03-01T07:00:00Z", datetime(2025, 3, 1, 7, tzinfo=UTC)),
        ("2025-03-01T07:00:00+02:00", datetime(2025, 3, 1, 5, tzinfo=UTC)),
        ("2025-03-01 07:00", datetime(2025, 3, 1, 7, tzinfo=UTC)),
        ("2025-03-01", datetime(2025, 3, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59-05:00", LATEST),
        ("0001-01-01T00:00:00+05:00", EARLIEST),
    ],
)
def test_it_can_be_made_to_stand_still(monkeypatch: pytest.MonkeyPatch, text: str, moment: datetime) -> None:
    monkeypatch.setenv("ISCORE_NOW", text)
    clock = system_clock()
    assert clock() == clock() == moment
    assert clock().utcoffset() == timedelta(0)


def test_what_is_no_time_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_NOW", "noon")
    with pytest.raises(ConfigError, match="ISCORE_NOW: 'noon' is not a time"):
        system_clock()
