"""Coverage by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from extractors.stream.coverage import HOURS, SAME_STORY, coverage


def test_other_sources_with_the_story_count_once_each() -> None:
    cosines = np.array([SAME_STORY, 0.9, 0.8, 0.9, SAME_STORY - 0.01, 0.9])
    hours = np.array([1.0, HOURS, 3.0, HOURS + 0.1, 1.0, 1.0])
    sources = np.array([1, 2, 2, 3, 4, 7])
    assert coverage(cosines, hours, sources, 7) == pytest.approx(log(3))
    assert coverage(cosines, hours, sources, 8) == pytest.approx(log(4))


def test_nobody_else_is_zero() -> None:
    assert coverage(np.array([0.9]), np.array([1.0]), np.array([7]), 7) == 0.0
    assert coverage(np.array([]), np.array([]), np.array([], dtype=np.int64), 7) == 0.0
