"""Any text in the place of a date is a moment in UTC or none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

from hypothesis import example, given
from hypothesis import strategies as st

from iscore.feeds.parsing.dates import from_text
from tests.hostile.fuzz import seeds
from tests.hostile.fuzz.damage import damaged, examples
from tests.hostile.fuzz.date_claim import date_is_read_safely

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@examples(40)
@given(damaged([date.encode() for date in seeds.DATES]) | st.text().map(str.encode))
@example("٢٠٢٦-١١-٢٠T10:00:00Z".encode())
@example(b"9999-12-31T23:59:59-14:00")
@example(b"Fri, 31 Dec 9999 23:59:59 -2359")
@example(b"0001-01-01T00:00:00+23:59")
@example(b"20 Nov 2026 10:00:00 +99999999999999999999")
@example(b"2026-11-20T10:00:00." + b"1" * 5000)
def test_a_damaged_date_is_read_or_none(content: bytes) -> None:
    date_is_read_safely(content.decode("utf-8", "replace"))


@examples(27)
@given(st.datetimes(datetime(1901, 1, 1), datetime(9998, 12, 31), timezones=zones))  # noqa: DTZ001 -- zones are drawn
def test_a_date_in_order_is_read_as_it_is_meant(moment: datetime) -> None:
    assert from_text(moment.isoformat()) == moment
    assert from_text(format_datetime(moment)) == moment.replace(microsecond=0)
