"""Anomaly by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.stream.anomaly import MEMBERS, anomaly_cluster, anomaly_mean
from extractors.stream.article_ring import ONE


def test_it_is_what_the_average_lacks() -> None:
    assert anomaly_mean((np.array([0.1, 0.7, 0.4]) * ONE).astype(np.uint32)) == pytest.approx(0.6)


def test_thousands_of_large_cosines_do_not_overflow() -> None:
    assert anomaly_mean(np.full(4096, ONE // 2, dtype=np.uint32)) == pytest.approx(0.5)


def test_rounding_never_makes_it_negative_and_nothing_makes_it_missing() -> None:
    assert anomaly_mean(np.array([ONE + 100_000], dtype=np.uint32)) == 0.0
    assert isnan(anomaly_mean(np.array([], dtype=np.uint32)))


def test_it_is_what_the_nearest_cluster_with_enough_members_lacks() -> None:
    likeness = np.array([0.9**2, 0.0, 0.3**2, 0.6**2, 0.8**2]) * ONE
    sizes = np.array([1, 0, MEMBERS + 7, MEMBERS, MEMBERS - 1])
    assert anomaly_cluster(likeness, sizes) == pytest.approx(0.4)


def test_an_article_of_another_kind_is_wholly_unlike_and_without_clusters_it_is_missing() -> None:
    assert anomaly_cluster(np.array([0.9 * ONE, 0.0]), np.array([1, MEMBERS])) == 1.0
    assert isnan(anomaly_cluster(np.array([0.9 * ONE, 0.5 * ONE]), np.array([1, MEMBERS - 1])))
    assert isnan(anomaly_cluster(np.array([]), np.array([], dtype=np.int64)))


def test_rounding_never_makes_it_negative() -> None:
    assert anomaly_cluster(np.array([1.0001 * ONE]), np.array([MEMBERS])) == 0.0
