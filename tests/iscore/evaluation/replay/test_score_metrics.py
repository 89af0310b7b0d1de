"""Ranking and calibration against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss, precision_recall_curve, roc_auc_score

from iscore.evaluation.replay.score_metrics import (
    RECALLS,
    auc,
    best_static_threshold,
    largest_gap,
    precision_at_recalls,
    reliability,
)

PAIRS = st.lists(
    st.tuples(st.sampled_from([-3.0, -1.5, 0.0, 0.5, 4.0]) | st.floats(-30, 30), st.booleans()), max_size=50
)


def arrays(pairs: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([score for score, _ in pairs], dtype=float), np.array([liked for _, liked in pairs], dtype=bool)


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_area_under_the_curve(pairs: list[tuple[float, bool]]) -> None:
    scores, liked = arrays(pairs)
    if liked.all() or not liked.any():
        assert auc(scores, liked) is None
    else:
        assert auc(scores, liked) == pytest.approx(roc_auc_score(liked, scores))


def test_equal_scores_count_half() -> None:
    assert auc(np.zeros(4), np.array([True, False, False, True])) == 0.5
    assert auc(np.array([math.inf, -math.inf]), np.array([True, False])) == 1.0


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_precision_at_a_recall_is_that_of_the_highest_threshold_that_reaches_it(
    pairs: list[tuple[float, bool]],
) -> None:
    scores, liked = arrays(pairs)
    found = precision_at_recalls(scores, liked)
    assert found.shape == RECALLS.shape
    if not liked.any():
        assert np.isnan(found).all()
        return
    precision, recall, _ = precision_recall_curve(liked, scores, drop_intermediate=False)
    for level, value in zip(RECALLS, found, strict=True):
        # scikit-learn lists thresholds upwards, recall therefore downwards, then a point that is no threshold.
        reached = [p for p, r in zip(precision[:-1], recall[:-1], strict=True) if r >= level - 1e-9]
        assert value == pytest.approx(reached[-1])


def test_a_level_of_recall_is_reached_by_just_so_many_hits() -> None:
    liked = np.array([True] * 7 + [False] + [True] * 93)
    found = precision_at_recalls(np.arange(101.0, 0.0, -1.0), liked)
    # 0.07 · 100 is 7.000000000000001 to the machine; the seventh hit is enough.
    assert found[5:8] == pytest.approx([1.0, 1.0, 8 / 9])


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.sampled_from([0.5, 1.0, 2.0]))
def test_the_best_static_threshold_is_the_best_point_of_the_curve(pairs: list[tuple[float, bool]], beta: float) -> None:
    scores, liked = arrays(pairs)
    found = best_static_threshold(scores, liked, beta=beta)
    if not liked.any():
        assert found is None
        return
    assert found is not None
    precision, recall, thresholds = precision_recall_curve(liked, scores, drop_intermediate=False)
    p, r = precision[:-1], recall[:-1]
    f = (1 + beta**2) * p * r / np.where(r > 0, beta**2 * p + r, 1.0)
    assert found[1] == pytest.approx(f.max())
    assert f[np.flatnonzero(thresholds == found[0])[0]] == pytest.approx(f.max())


@settings(max_examples=40, deadline=None)
@given(PAIRS.filter(bool))
def test_brier_and_log_loss(pairs: list[tuple[float, bool]]) -> None:
    scores, liked = arrays(pairs)
    scores = np.clip(scores, -12.0, 12.0)  # beyond, 1 - posterior has lost its digits
    posterior = 1.0 / (1.0 + np.exp(-scores))
    found = reliability(scores, liked)
    assert found.brier == pytest.approx(brier_score_loss(liked, posterior, labels=[False, True]))
    assert found.log_loss == pytest.approx(log_loss(liked, posterior, labels=[False, True]), rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(PAIRS.filter(bool))
def test_bins_are_those_of_the_calibration_curve(pairs: list[tuple[float, bool]]) -> None:
    scores, liked = arrays(pairs)
    posterior = 1.0 / (1.0 + np.exp(-scores))
    # On an edge between bins scikit-learn looks down and we look up.
    scores, liked, posterior = (
        values[np.abs(posterior * 10 - np.round(posterior * 10)) > 1e-9] for values in (scores, liked, posterior)
    )
    if not len(scores):
        return
    found = reliability(scores, liked)
    share, mean = calibration_curve(liked, posterior, n_bins=10, pos_label=True)
    there = found.articles > 0
    assert found.liked[there] == pytest.approx(share)
    assert found.posterior[there] == pytest.approx(mean)
    assert np.isnan(found.liked[~there]).all()
    weights = found.articles[there] / len(scores)
    assert found.error == pytest.approx(float((weights * np.abs(share - mean)).sum()))
    assert found.articles.sum() == len(scores)


def test_an_extreme_mistake_has_a_finite_loss() -> None:
    found = reliability(np.array([math.inf, -math.inf]), np.array([False, True]))
    assert found.log_loss == pytest.approx(36.0)
    assert found.brier == pytest.approx(1.0)
    assert found.articles.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_the_largest_gap_is_that_of_a_large_bin_above_the_first() -> None:
    def scored(chance: float, likes: int, articles: int) -> tuple[np.ndarray, np.ndarray]:
        return np.full(articles, math.log(chance / (1 - chance))), np.arange(articles) < likes

    rare = scored(0.05, 900, 1000)
    few, many, near = scored(0.95, 0, 99), scored(0.55, 30, 100), scored(0.25, 40, 200)
    scores, liked = (np.concatenate(each) for each in zip(rare, few, many, near, strict=True))
    assert largest_gap(scores, liked) == pytest.approx(0.25)
    assert largest_gap(*rare) is None
    assert largest_gap(np.empty(0), np.empty(0, dtype=bool)) is None
