"""Anomaly by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.anomaly import anomaly_mean


def test_it_is_what_the_average_lacks() -> None:
    assert anomaly_mean(np.array([0.1, 0.7, 0.4])) == pytest.approx(0.6)


def test_rounding_never_makes_it_negative_and_nothing_makes_it_missing() -> None:
    assert anomaly_mean(np.array([1.0 + 1e-9])) == 0.0
    assert isnan(anomaly_mean(np.array([])))
