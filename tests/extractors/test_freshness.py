"""Freshness by hand."""

from __future__ import annotations

from math import isnan, log1p

import numpy as np
import pytest

from extractors.freshness import freshness
from extractors.neighbours import Neighbours


def _near(cosines: list[float], hours: list[float]) -> Neighbours:
    return Neighbours(np.array(cosines), np.array(hours), np.zeros(len(cosines), dtype=np.int64), 0)


def test_the_three_most_similar_count_and_of_equals_the_most_recent() -> None:
    assert freshness(_near([0.9, 0.3, 0.5, 0.5, 0.5], [4.0, 1.0, 9.0, 2.0, 3.0])) == pytest.approx(log1p(3.0))


def test_fewer_are_enough_and_none_is_missing() -> None:
    assert freshness(_near([0.3], [6.0])) == pytest.approx(log1p(6.0))
    assert isnan(freshness(_near([], [])))
