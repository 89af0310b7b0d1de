"""Days, weeks and months of a person's time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.services.insight.agreement import Scale, agreement, day_of, next_start, periods, scale_of, start_of, starts
from storage.records.decisions import ArrivalCount
from tests.iscore.services.insight.made_verdicts import START, one_round, verdict

DAYS = st.dates(date(1999, 1, 1), date(2060, 12, 31))


@given(DAYS, st.integers(0, 4000), st.sampled_from(Scale))
def test_periods_follow_one_another_and_hold_every_day_once(first: date, days: int, scale: Scale) -> None:
    last = first + timedelta(days=days)
    found = starts(first, last, scale)
    assert found[0] <= first
    assert found[0] == start_of(first, scale)
    assert found[-1] == start_of(last, scale) <= last < next_start(found[-1], scale)
    assert [next_start(each, scale) for each in found[:-1]] == found[1:]


def test_the_scale_keeps_the_number_of_periods_in_sight() -> None:
    first = date(2026, 3, 4)
    scales = [scale_of(first, first + timedelta(days=days)) for days in (0, 34, 35, 545, 546)]
    assert scales == [Scale.DAY, Scale.DAY, Scale.WEEK, Scale.WEEK, Scale.MONTH]
    assert start_of(first, Scale.WEEK) == date(2026, 3, 2)
    assert starts(date(2026, 11, 30), date(2027, 2, 1), Scale.MONTH) == [
        date(2026, 11, 1),
        date(2026, 12, 1),
        date(2027, 1, 1),
        date(2027, 2, 1),
    ]


def test_a_day_is_that_of_the_zone() -> None:
    late = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    assert day_of(late, UTC) == date(2026, 3, 1)
    assert day_of(late, ZoneInfo("Europe/Rome")) == date(2026, 3, 2)
    assert day_of(late, ZoneInfo("Asia/Kathmandu")) == date(2026, 3, 2)


def test_each_thing_counts_where_it_happened() -> None:
    given = [
        verdict(0, "+", hours=1, delay=30),  # decided on the first day, said on the second
        verdict(1, "-", hours=2, delay=1),
        verdict(2, "+", "e", hours=26, delay=1),
        verdict(3, "0", hours=27, delay=1),
    ]
    rounds = [one_round(1, 2, 1, 7, 0.1), one_round(3, 0, 0, 5, 0.2), one_round(27, 1, 0, 0, 0.3)]
    arrived = [ArrivalCount(START + timedelta(hours=hours), n) for hours, n in ((0, 4), (23.75, 2), (24, 3))]
    scale, found = periods(
        given, rounds, arrived, trained=START + timedelta(hours=3), now=START + timedelta(hours=50), zone=UTC
    )
    assert scale is Scale.DAY
    rows = [(p.first.day, p.arrived, p.recommended, p.explored, p.read, p.verdicts, p.threshold) for p in found]
    assert rows == [(2, 6, 2, 1, 1, 1, None), (3, 3, 1, 0, 3, 2, 0.3), (4, 0, 0, 0, 0, 0, None)]
    assert found[0].agreement == agreement(given[:2])
    assert found[1].agreement == agreement(given[2:])
    assert periods(given, [], arrived, trained=None, now=START, zone=UTC)[1] == ()


@given(st.lists(st.tuples(st.sampled_from("+-0"), st.sampled_from("reh"), st.integers(0, 9000)), max_size=40))
def test_the_periods_add_up_to_the_whole(letters: list[tuple[str, str, int]]) -> None:
    sequence = [verdict(n, kind, how, hours=float(hours)) for n, (kind, how, hours) in enumerate(letters)]
    rounds = [one_round(hours, 1, 0, 0) for hours in sorted({hours for _, _, hours in letters} | {0})]
    _, found = periods(sequence, rounds, [], trained=None, now=START, zone=ZoneInfo("America/St_Johns"))
    whole = agreement(sequence)
    for name in ("recommended_liked", "recommended_disliked", "hidden_liked", "hidden_disliked"):
        assert sum(getattr(each.agreement, name) for each in found) == getattr(whole, name)
    assert sum(each.recommended for each in found) == len(rounds)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def test_days_on_which_clocks_change_are_days(zone: str) -> None:
    where = ZoneInfo(zone)
    rounds = [one_round(24.0 * day, 1, 0, 0) for day in range(34)]
    _, found = periods([], rounds, [], trained=None, now=rounds[-1].at, zone=where)
    assert {each.recommended for each in found} <= {0, 1, 2}
    assert sum(each.recommended for each in found) == 34
    assert len({each.first for each in found}) == len(found)
