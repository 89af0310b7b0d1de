"""Burst by hand."""

from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest

from extractors.stream.burst import BURST_HOURS, SAME_STORY, STORY_HOURS, burst, coverage


def test_it_compares_what_came_lately_with_what_was_to_be_expected() -> None:
    # Of 100 articles 20 came lately, 5 of them similar; of the 80 before, 8 were. So 2 were to be expected.
    hours = np.array([1.0, 2.0, 3.0, 4.0, BURST_HOURS, *[BURST_HOURS + 1.0] * 8])
    assert burst(hours, 100, 20) == pytest.approx(log(6 / 3))


def test_what_has_stopped_is_negative_and_what_goes_on_evenly_zero() -> None:
    assert burst(np.full(8, BURST_HOURS + 1.0), 100, 20) == pytest.approx(log(1 / 3))
    assert burst(np.array([1.0, 30.0, 31.0, 32.0, 33.0]), 100, 20) == pytest.approx(0.0)


def test_one_similar_article_is_no_great_burst() -> None:
    assert 0.0 < burst(np.array([1.0]), 4096, 100) <= log(2)


def test_nothing_similar_or_nothing_before_is_missing() -> None:
    assert isnan(burst(np.array([]), 100, 20))
    assert isnan(burst(np.array([1.0]), 20, 20))


def test_other_sources_with_the_story_count_once_each() -> None:
    cosines = np.array([SAME_STORY, 0.9, 0.8, 0.9, SAME_STORY - 0.01, 0.9])
    hours = np.array([1.0, STORY_HOURS, 3.0, STORY_HOURS + 0.1, 1.0, 1.0])
    sources = np.array([1, 2, 2, 3, 4, 7])
    assert coverage(cosines, hours, sources, 7) == pytest.approx(log(3))
    assert coverage(cosines, hours, sources, 8) == pytest.approx(log(4))


def test_nobody_else_is_zero() -> None:
    assert coverage(np.array([0.9]), np.array([1.0]), np.array([7]), 7) == 0.0
    assert coverage(np.array([]), np.array([]), np.array([], dtype=np.int64), 7) == 0.0
