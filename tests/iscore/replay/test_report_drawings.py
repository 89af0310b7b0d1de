"""Drawings: text stays within the picture and apart, axes have round numbers, curves are means of what was measured."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.replay.ranking import precision_at_recalls
from iscore.replay.reliability import reliability
from iscore.replay.report.comparison import course, difference, mean_precision, pooled_reliability
from iscore.replay.report.content import gather
from iscore.replay.report.figures.readers import spread
from iscore.replay.report.findings import Finding, finding, grid
from iscore.replay.report.line_chart import Axis, Line, line_chart
from iscore.replay.report.row_chart import Dot, Row, row_chart
from iscore.replay.report.scale import Scale, ticks, written
from iscore.replay.report.svg import element, shortened, text_width
from tests.iscore.replay.outcomes import outcome, simulated


def texts(drawing: str) -> list[tuple[float, float, float, str]]:
    """Return left and right end, base line and words of every text."""
    found = []
    for node in ET.fromstring(drawing).iter("text"):
        words = "".join(node.itertext()) if len(node) == 0 else node[0].tail or ""
        width, x = text_width(words), float(node.attrib["x"])
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[node.attrib["text-anchor"]]
        found.append((left, left + width, float(node.attrib["y"]), words))
    return found


def assert_readable(drawing: str) -> None:
    _, _, width, height = map(float, ET.fromstring(drawing).attrib["viewBox"].split())
    found = texts(drawing)
    for left, right, y, words in found:
        assert left >= -0.5, words
        assert right <= width + 0.5, words
        assert 8 <= y <= height, words
    for number, (left, right, y, words) in enumerate(found):
        for other_left, other_right, other_y, other in found[number + 1 :]:
            assert abs(y - other_y) >= 10 or right <= other_left or other_right <= left, (words, other)


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


# What is drawn


def test_positions_are_the_same_for_all_readers_and_not_too_many() -> None:
    assert grid(49).tolist() == []
    assert grid(120).tolist() == [50, 100]
    for n in (3000, 30_000, 1_000_000):
        assert len(grid(n)) < 700
        assert grid(n)[-1] > 0.97 * n
        assert set(grid(n // 2)) <= set(grid(n))


def test_a_course_is_the_mean_over_readers_while_half_of_them_last() -> None:
    runs = [finding(simulated(n, seed=n, reader=str(n))) for n in (400, 600, 1000, 1000)]
    found = course(runs, 500)
    assert found.positions.tolist() == list(range(50, 1000 + 1, 50))
    at = found.positions.tolist().index(500)
    values = [run.trailing_short[at] for run in runs if len(run.positions) > at]
    assert len(values) == found.readers[at] == 3
    assert found.f05[at] == pytest.approx(np.mean(values))
    uneven = course([finding(simulated(n, seed=n)) for n in (100, 100, 1000)], 500)
    assert uneven.positions[-1] == 100


def test_pooling_bins_is_pooling_articles() -> None:
    runs = [simulated(n, seed=n) for n in (300, 500)]
    articles, posterior, liked = pooled_reliability([finding(run) for run in runs])
    together = reliability(
        np.concatenate([run.scores[run.warm] for run in runs]), np.concatenate([run.liked[run.warm] for run in runs])
    )
    assert (articles == together.articles).all()
    assert posterior == pytest.approx(together.posterior, nan_ok=True)
    assert liked == pytest.approx(together.liked, nan_ok=True)


def test_precision_is_averaged_over_readers_who_like_something() -> None:
    runs = [simulated(300, seed=1), simulated(300, seed=2), outcome("....")]
    expected = np.mean([precision_at_recalls(run.scores, run.liked) for run in runs[:2]], axis=0)
    assert mean_precision([finding(run) for run in runs]) == pytest.approx(expected)


def test_a_difference_counts_readers_that_both_have() -> None:
    ours = [finding(simulated(400, seed=s, skill=2.0, reader=str(s))) for s in range(8)]
    theirs = [finding(simulated(400, seed=s, skill=0.7, reader=str(s))) for s in range(2, 10)]
    found = difference(ours, theirs)
    assert found is not None
    assert (found.readers, found.better, found.worse) == (6, 6, 0)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < found.mean < found.high
    assert difference(ours, theirs) == found, "no chance in it"
    same = difference(ours, ours)
    assert same is not None
    assert (same.mean, same.low, same.high, same.better, same.worse) == (0, 0, 0, 0, 0)
    assert difference(ours[:1], theirs) is None


def test_the_interval_covers_as_often_as_it_says() -> None:
    """Readers whose gains are drawn around 0: the interval of 30 of them misses it about one time in twenty."""
    base = finding(outcome("x.", "x."))
    chance = np.random.default_rng(4)
    missed = 0
    for _ in range(40):
        gains = chance.normal(0, 0.05, 30)
        pairs = [(_with(base, str(i), 0.5 + gain), _with(base, str(i), 0.5)) for i, gain in enumerate(gains)]
        found = difference([ours for ours, _ in pairs], [theirs for _, theirs in pairs])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= 0 <= found.high
    assert 0 < missed < 8


def _with(base: Finding, reader: str, f05: float) -> Finding:
    return replace(base, summary=replace(base.summary, reader=reader, f05=f05))


def test_readers_are_sorted_by_the_best_classifier() -> None:
    runs = [simulated(300, seed=s, skill=s + 0.5, reader=f"r{s}") for s in range(3)]
    figure = spread(gather(runs, title="", about={}, baseline=None, correlations=()))
    assert figure is not None
    names = [words for _, _, _, words in texts(figure.panels[0].drawing) if words.startswith("r")]
    assert names == ["r2", "r1", "r0"]
