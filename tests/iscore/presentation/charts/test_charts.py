"""Drawings: text stays within the picture and apart, axes have round numbers, foreign names are text."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.presentation.charts.bars import Dot, Row, row_chart
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.svg import Scale, element, shortened, text_width, ticks, written
from tests.iscore.presentation.charts.reading import assert_readable


@settings(max_examples=30, deadline=None)
@given(st.floats(1, 3e7), st.integers(1, 6), st.sampled_from([190, 300, 360]), st.sampled_from(["articles", ""]))
def test_no_text_of_a_line_chart_is_cut_or_covered(last: float, most: int, width: float, title: str) -> None:
    lines = [Line(1, np.array([0.0, last]), np.array([0.1, 0.9]))]
    x = Axis(title, 0.0, last, min(most, 2) if width < 200 else most)
    assert_readable(line_chart(lines, x, Axis("F0.5" if title else "", 0.0, 1.0), "A line", width=width))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"]), max_size=60), min_size=1, max_size=30)
)
def test_no_name_of_a_row_is_cut_off_or_covered(names: list[str]) -> None:
    rows = [Row(name, [Dot(1, 0.5), Dot(2, None)]) for name in names]
    assert_readable(row_chart(rows, Axis("correlation with interest", -0.8, 0.8, 6), "Rows"))


def test_long_names_are_told_in_full_on_pointing() -> None:
    drawing = row_chart([Row("a" * 100, [])], Axis("F0.5", 0.0, 1.0), "Rows")
    assert f"<title>{'a' * 100}</title>" in drawing
    assert shortened("abc", 100) == "abc"
    assert text_width(shortened("漢" * 40, 100)) <= 100


def test_a_gap_breaks_a_line_and_a_single_point_is_marked() -> None:
    y = np.array([0.1, 0.2, math.nan, 0.4, 0.5])
    broken = line_chart([Line(1, np.arange(5.0), y)], Axis("", 0, 4), Axis("", 0, 1), "A line")
    (path,) = re.findall(r'd="([^"]*)" class="line s1"', broken)
    assert path.count("M") == 2
    assert path.count("L") == 2
    alone = line_chart([Line(3, np.array([1.0]), np.array([0.5]))], Axis("", 0, 4), Axis("", 0, 1), "A point")
    assert "polygon" in alone


@settings(max_examples=50, deadline=None)
@given(st.floats(-1e3, 1e3), st.floats(1e-2, 1e7), st.integers(1, 10))
def test_ticks_are_few_round_and_inside(low: float, span: float, most: int) -> None:
    high = low + span
    found = ticks(low, high, most)
    assert len(found) <= most + 1
    if len(found) > 1:
        step = found[1] - found[0]
        assert np.allclose(np.diff(found), step, rtol=1e-6)
        assert min(found) >= low - 1e-6 * step - 1e-9 * abs(low)
        assert max(found) <= high + 1e-6 * step + 1e-9 * abs(high)
        assert round(step / 10.0 ** math.floor(math.log10(step) + 1e-9), 6) in (1, 2, 5)


def test_numbers_of_an_axis() -> None:
    assert ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(0, 21578) == [0, 5000, 10000, 15000, 20000]
    assert [written(value, 0.5) for value in (-0.5, 0.0, 1.0)] == ["−0.5", "0.0", "1.0"]
    assert written(20000, 5000) == "20,000"
    assert Scale(0, 10, 100, 0)(2.5) == 75
    assert Scale(0, 10, 0, 100)(11) == 100


def test_markup_of_attributes_and_children_is_escaped() -> None:
    made = element("text", "<b>", class_='"x"', stroke_width=1.0)
    assert made == '<text class="&#34;x&#34;" stroke-width="1">&lt;b&gt;</text>'
