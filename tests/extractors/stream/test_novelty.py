"""Novelty by hand."""

from __future__ import annotations

from math import isnan, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.stream.article_ring import ONE
from extractors.stream.novelty import K, freshness, novelty


def test_it_is_what_the_most_similar_lacks() -> None:
    assert novelty((np.array([0.1, 0.7, 0.3]) * ONE).astype(np.uint32)) == pytest.approx(0.3)


def test_rounding_never_makes_it_negative_and_nothing_makes_it_missing() -> None:
    assert novelty(np.array([ONE + 100_000], dtype=np.uint32)) == 0.0
    assert isnan(novelty(np.array([], dtype=np.uint32)))


def test_the_three_most_similar_count_and_of_equals_the_most_recent() -> None:
    value = freshness(np.array([0.9, 0.3, 0.5, 0.5, 0.5]), np.array([4.0, 1.0, 9.0, 2.0, 3.0]))
    assert value == pytest.approx(log1p(3.0))


def test_fewer_are_enough_and_none_is_missing() -> None:
    assert freshness(np.array([0.3]), np.array([6.0])) == pytest.approx(log1p(6.0))
    assert isnan(freshness(np.array([]), np.array([])))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.2, 0.25, 0.5, 0.9]), st.integers(0, 9)), min_size=1, max_size=40))
def test_it_is_what_sorting_says(articles: list[tuple[float, int]]) -> None:
    nearest = sorted(articles, key=lambda article: (-article[0], article[1]))[:K]
    expected = log1p(sum(hours for _, hours in nearest) / len(nearest))
    cosines, hours = np.array(articles, dtype=np.float64).T.copy()
    assert freshness(cosines, hours) == pytest.approx(expected)
