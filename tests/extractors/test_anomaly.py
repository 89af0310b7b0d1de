"""Anomaly by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.anomaly import anomaly_mean
from extractors.neighbours import Neighbours


def _near(*cosines: float) -> Neighbours:
    n = len(cosines)
    return Neighbours(np.array(cosines), np.zeros(n), np.zeros(n, dtype=np.int64), 0)


def test_it_is_what_the_average_lacks() -> None:
    assert anomaly_mean(_near(0.1, 0.7, 0.4)) == pytest.approx(0.6)


def test_rounding_never_makes_it_negative_and_nothing_makes_it_missing() -> None:
    assert anomaly_mean(_near(1.0 + 1e-9)) == 0.0
    assert isnan(anomaly_mean(_near()))
