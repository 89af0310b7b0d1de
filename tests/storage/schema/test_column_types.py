from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.schema.column_types import from_json, microseconds, microseconds_or_none, moment_or_none, to_json


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_survives_to_the_microsecond(moment: datetime) -> None:
    assert moment_or_none(microseconds(moment)) == moment


def test_a_time_of_another_zone_comes_back_in_utc() -> None:
    moment = datetime(2026, 3, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    back = moment_or_none(microseconds(moment))
    assert back == moment
    assert back is not None
    assert back.tzinfo is UTC


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(TypeError):
        microseconds(datetime(2026, 3, 1))  # noqa: DTZ001 -- the mistake itself


def test_a_missing_time_stays_missing() -> None:
    assert microseconds_or_none(None) is None
    assert moment_or_none(None) is None


@given(st.lists(st.text()).map(tuple))
def test_words_survive(words: tuple[str, ...]) -> None:
    assert from_json(to_json(words)) == words


@given(st.lists(st.integers()).map(tuple))
def test_whole_numbers_survive(numbers: tuple[int, ...]) -> None:
    assert from_json(to_json(numbers)) == numbers
