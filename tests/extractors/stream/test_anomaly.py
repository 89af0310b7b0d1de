"""Anomaly by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.stream.anomaly import anomaly_mean
from extractors.stream.article_ring import ONE


def test_it_is_what_the_average_lacks() -> None:
    assert anomaly_mean((np.array([0.1, 0.7, 0.4]) * ONE).astype(np.uint32)) == pytest.approx(0.6)


def test_thousands_of_large_cosines_do_not_overflow() -> None:
    assert anomaly_mean(np.full(4096, ONE // 2, dtype=np.uint32)) == pytest.approx(0.5)


def test_rounding_never_makes_it_negative_and_nothing_makes_it_missing() -> None:
    assert anomaly_mean(np.array([ONE + 100_000], dtype=np.uint32)) == 0.0
    assert isnan(anomaly_mean(np.array([], dtype=np.uint32)))
