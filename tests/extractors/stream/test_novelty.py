"""Novelty by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.stream.article_ring import ONE
from extractors.stream.novelty import novelty


def test_it_is_what_the_most_similar_lacks() -> None:
    assert novelty((np.array([0.1, 0.7, 0.3]) * ONE).astype(np.uint32)) == pytest.approx(0.3)


def test_rounding_never_makes_it_negative_and_nothing_makes_it_missing() -> None:
    assert novelty(np.array([ONE + 100_000], dtype=np.uint32)) == 0.0
    assert isnan(novelty(np.array([], dtype=np.uint32)))
