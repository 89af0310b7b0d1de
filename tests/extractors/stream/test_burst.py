"""Burst by hand."""

from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest

from extractors.stream.burst import HOURS, burst


def test_it_compares_what_came_lately_with_what_was_to_be_expected() -> None:
    # Of 100 articles 20 came lately, 5 of them similar; of the 80 before, 8 were. So 2 were to be expected.
    hours = np.array([1.0, 2.0, 3.0, 4.0, HOURS, *[HOURS + 1.0] * 8])
    assert burst(hours, 100, 20) == pytest.approx(log(6 / 3))


def test_what_has_stopped_is_negative_and_what_goes_on_evenly_zero() -> None:
    assert burst(np.full(8, HOURS + 1.0), 100, 20) == pytest.approx(log(1 / 3))
    assert burst(np.array([1.0, 30.0, 31.0, 32.0, 33.0]), 100, 20) == pytest.approx(0.0)


def test_one_similar_article_is_no_great_burst() -> None:
    assert 0.0 < burst(np.array([1.0]), 4096, 100) <= log(2)


def test_nothing_similar_or_nothing_before_is_missing() -> None:
    assert isnan(burst(np.array([]), 100, 20))
    assert isnan(burst(np.array([1.0]), 20, 20))
