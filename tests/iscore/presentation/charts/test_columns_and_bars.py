"""Columns over time, bars along rows, days along an axis: nothing is cut off or covered, and lengths are values."""

from __future__ import annotations

import re
from datetime import UTC, date, timedelta
from itertools import pairwise
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.presentation.charts.bars import Bar, Column, Dot, Row, bar_chart, column_chart, row_chart
from iscore.presentation.charts.line_chart import MOST, Axis, Line, line_chart, moment, named_days
from tests.iscore.presentation.charts.reading import assert_readable, texts

NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"]), max_size=40)


def rectangles(drawing: str) -> list[dict[str, float]]:
    found = ET.fromstring(drawing).iter("rect")
    return [{name: float(each.attrib[name]) for name in ("x", "y", "width", "height")} for each in found]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 2_000_000), max_size=80), st.sampled_from([190, 360]))
def test_columns_stand_on_nought_and_are_as_high_as_their_values(values: list[int], width: float) -> None:
    drawing = column_chart([Column(v, f"{n} Mar") for n, v in enumerate(values)], 1, "Columns", width=width)
    assert_readable(drawing)
    drawn = rectangles(drawing)
    seen = [value for value in values if value]
    assert len(drawn) == len(seen)
    assert len({round(each["y"] + each["height"], 1) for each in drawn}) <= 1
    if seen:
        tallest = max(each["height"] for each in drawn)
        for each, value in zip(drawn, seen, strict=True):
            assert each["height"] == pytest.approx(max(tallest * value / max(seen), 1.0), abs=0.02)
            assert each["x"] + each["width"] <= width


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NAMES, st.floats(-5, 5), NAMES), max_size=12))
def test_bars_are_as_long_as_their_values(rows: list[tuple[str, float, str]]) -> None:
    drawing = bar_chart([Bar(name, value, 1, words[:14]) for name, value, words in rows], "Bars")
    assert_readable(drawing)
    drawn = [each["width"] for each in rectangles(drawing)]
    values = [abs(value) for _, value, _ in rows if abs(value) > 0.2]
    if len(drawn) == len(values) > 1:
        scale = max(drawn) / max(values)
        assert sorted(drawn) == pytest.approx(sorted(value * scale for value in values), abs=0.05)


@given(st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.integers(0, 9000), st.integers(1, 8))
def test_named_days_are_few_in_order_and_inside(first: date, days: int, most: int) -> None:
    last = first + timedelta(days=days)
    found = named_days(first, last, most)
    assert 1 <= len(found) <= most
    assert found == sorted(found)
    assert all(first <= day <= last for day, _ in found)
    if len(found) > 2:
        gaps = {(b - a).days for (a, _), (b, _) in pairwise(found)}
        assert max(gaps) <= 1.2 * min(gaps) + 1


def test_days_weeks_months_and_years_are_named() -> None:
    def names(first: date, last: date) -> list[str]:
        return [name for _, name in named_days(first, last)]

    monday = date(2026, 3, 2)
    assert names(monday, monday + timedelta(days=3)) == ["2 Mar", "3 Mar", "4 Mar", "5 Mar"]
    assert names(date(2026, 2, 26), date(2026, 3, 26)) == ["2 Mar", "9 Mar", "16 Mar", "23 Mar"]
    assert names(date(2025, 11, 5), date(2026, 3, 5)) == ["Dec", "Jan 2026", "Feb", "Mar"]
    assert names(date(2020, 5, 1), date(2024, 5, 1)) == ["2021", "2022", "2023", "2024"]
    assert len(names(monday, monday + timedelta(days=900))) <= MOST


def test_a_day_begins_in_its_zone() -> None:
    assert moment(date(2026, 3, 2), UTC) == 1772409600.0
    assert moment(date(2026, 3, 2), ZoneInfo("Europe/Rome")) == 1772409600.0 - 3600


def test_names_take_the_place_of_numbers_and_an_upright_is_drawn() -> None:
    lines = [Line(1, np.array([0.0, 10.0]), np.array([0.0, 1.0]))]
    axis = Axis("", 0.0, 10.0, names=[(0.0, "2 Mar"), (5.0, "9 Mar"), (5.1, "covered")])
    drawing = line_chart(lines, axis, Axis("", 0.0, 1.0, 1), "Lines", upright=5.0)
    assert [words for _, _, _, words in texts(drawing)] == ["0", "1", "2 Mar", "9 Mar"]
    (upright,) = re.findall(r'd="M([\d.]+),[\d.]+V[\d.]+" class="reference"', drawing)
    (place,) = re.findall(r'd="M([\d.]+),[\d.]+v4"', drawing)[1:]
    assert upright == place


def test_a_span_is_drawn_instead_of_the_line_between_dots() -> None:
    axis = Axis("", 0.0, 100.0)
    plain, spanned = (
        row_chart([Row("a", [Dot(1, 50.0), Dot(2, 60.0)], span)], axis, "Rows") for span in (None, (10.0, 90.0))
    )
    line = re.compile(r'd="M([\d.]+),[\d.]+H([\d.]+)" class="range"')
    ends = [[float(x) for x in line.findall(drawing)[0]] for drawing in (plain, spanned)]
    assert ends[1][1] - ends[1][0] == pytest.approx(8 * (ends[0][1] - ends[0][0]), rel=0.01)
