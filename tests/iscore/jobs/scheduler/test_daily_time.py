"""The digest's hour where clocks are put forward and back, against a walk through all minutes."""

from __future__ import annotations

import time as system_time
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.jobs.scheduler.plan import last_due, local_time, moment_of, next_due_after

ROME = ZoneInfo("Europe/Rome")
APIA = ZoneInfo("Pacific/Apia")


@pytest.mark.parametrize(
    ("zone", "day", "hour", "moment"),
    [
        (ROME, date(2026, 7, 1), time(7), datetime(2026, 7, 1, 5, tzinfo=UTC)),
        (ROME, date(2026, 1, 7), time(7), datetime(2026, 1, 7, 6, tzinfo=UTC)),
        (ROME, date(2026, 3, 29), time(2, 30), datetime(2026, 3, 29, 1, tzinfo=UTC)),  # 2:30 does not exist: 3:00
        (ROME, date(2026, 10, 25), time(2, 30), datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),  # the first of two
        (APIA, date(2011, 12, 30), time(7), datetime(2011, 12, 30, 10, tzinfo=UTC)),  # a day that was left out
        (ZoneInfo("Australia/Lord_Howe"), date(2026, 10, 4), time(2, 10), datetime(2026, 10, 3, 15, 30, tzinfo=UTC)),
    ],
)
def test_it_is_the_first_moment_at_which_the_wall_shows_it(
    zone: ZoneInfo, day: date, hour: time, moment: datetime
) -> None:
    assert moment_of(day, hour, zone) == moment


ZONES = ["Europe/Rome", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"]
LEAPS = {
    "Europe/Rome": [date(2026, 3, 29), date(2026, 10, 25)],
    "America/St_Johns": [date(2006, 4, 2), date(2006, 10, 29)],  # a minute past midnight
    "Pacific/Apia": [date(2011, 12, 29), date(2011, 12, 31)],
    "Australia/Lord_Howe": [date(2026, 4, 5), date(2026, 10, 4)],  # half an hour
    "Africa/Casablanca": [date(2026, 2, 15), date(2026, 3, 22)],
    "UTC": [date(2026, 1, 1)],
}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ZONES).flatmap(lambda name: st.tuples(st.just(name), st.sampled_from(LEAPS[name]))), st.times())
def test_it_is_what_a_walk_through_all_minutes_finds(leap: tuple[str, date], hour: time) -> None:
    name, day = leap
    zone, hour = ZoneInfo(name), hour.replace(second=0, microsecond=0, tzinfo=None)
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=15)
    shown = datetime.combine(day, hour)
    while local_time(moment, zone) < shown:
        moment += timedelta(minutes=1)
    assert moment_of(day, hour, zone) == moment


@pytest.fixture
def in_rome(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the machine's own zone."""
    monkeypatch.setenv("TZ", "Europe/Rome")
    system_time.tzset()
    yield
    monkeypatch.undo()
    system_time.tzset()


@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25), date(2026, 7, 1)])
@pytest.mark.parametrize("hour", [time(2, 30), time(3), time(7), time(0)])
def test_the_machines_own_zone_is_as_good(in_rome: None, day: date, hour: time) -> None:
    assert moment_of(day, hour, None) == moment_of(day, hour, ROME)


def test_the_hours_around_a_moment(in_rome: None) -> None:
    for zone in (ROME, None):
        six = datetime(2026, 7, 1, 4, tzinfo=UTC)
        seven = datetime(2026, 7, 1, 5, tzinfo=UTC)
        day = timedelta(days=1)
        assert (last_due(six, time(7), zone), next_due_after(six, time(7), zone)) == (seven - day, seven)
        assert (last_due(seven, time(7), zone), next_due_after(seven, time(7), zone)) == (seven, seven + day)
