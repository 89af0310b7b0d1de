"""Dates are read in the formats that feeds use and believed only when they can be true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from iscore.feeds.parsing.dates import from_text, newest, plausible

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-20T10:00:00Z", datetime(2026, 11, 20, 10, tzinfo=UTC)),
        ("2026-11-20T10:00:00.1234567+02:00", datetime(2026, 11, 20, 8, 0, 0, 123456, tzinfo=UTC)),
        ("2026-11-20", datetime(2026, 11, 20, tzinfo=UTC)),
        ("Fri, 20 Nov 2026 10:00:00 +0100", datetime(2026, 11, 20, 9, tzinfo=UTC)),
        ("Fri, 20 Nov 2026 10:00:00 GMT", datetime(2026, 11, 20, 10, tzinfo=UTC)),
        ("yesterday", None),
        ("", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("2026-13-45", None),
    ],
)
def test_dates_of_feeds_are_read(text: str, moment: datetime | None) -> None:
    assert from_text(text) == moment


@pytest.mark.parametrize("year", [1, 1970, 1989, 2027, 9999])
def test_impossible_dates_are_missing(year: int) -> None:
    assert plausible(datetime(year, 11, 21, 12, tzinfo=UTC), NOW) is None


def test_dates_a_few_hours_ahead_are_wrong_time_zones() -> None:
    assert plausible(NOW + timedelta(hours=14), NOW) == NOW + timedelta(hours=14)
    assert plausible(None, NOW) is None


def test_the_newest_are_kept_in_their_order() -> None:
    days = [3, 9, 1, 7, 5]
    dated = {day: datetime(2026, 1, day, tzinfo=UTC) for day in days}
    assert newest(days, 3, lambda day: dated[day]) == [9, 7, 5]
    assert newest(days, 9, lambda day: dated[day]) == days


def test_without_dates_the_first_are_the_newest() -> None:
    assert newest(["a", "b", "c"], 2, lambda _: None) == ["a", "b"]
