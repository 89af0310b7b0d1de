"""Ranking and calibration against their definitions, written as loops over all thresholds, pairs and bins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
        differences = scores[liked][:, np.newaxis] - scores[~liked]
        assert auc(scores, liked) == pytest.approx(((differences > 0) + 0.5 * (differences == 0)).mean())


def test_equal_scores_count_half() -> None:
    assert auc(np.zeros(4), np.array([True, False, False, True])) == 0.5
    assert auc(np.array([math.inf, -math.inf]), np.array([True, False])) == 1.0


def curve(scores: np.ndarray, liked: np.ndarray) -> list[tuple[float, float, float]]:
    """Threshold, precision and recall at each score, upwards."""
    found = []
    for threshold in sorted(set(scores.tolist())):
        above = scores >= threshold
        found.append((threshold, liked[above].mean(), liked[above].sum() / liked.sum()))
    return found


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
    points = curve(scores, liked)
    for level, value in zip(RECALLS, found, strict=True):
        reached = [precision for _, precision, recall in points if recall >= level - 1e-9]
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
    f = {t: (1 + beta**2) * p * r / (beta**2 * p + r) if r else 0.0 for t, p, r in curve(scores, liked)}
    assert found[1] == pytest.approx(max(f.values()))
    assert f[found[0]] == pytest.approx(max(f.values()))


@settings(max_examples=40, deadline=None)
@given(PAIRS.filter(bool))
def test_brier_and_log_loss(pairs: list[tuple[float, bool]]) -> None:
    scores, liked = arrays(pairs)
    scores = np.clip(scores, -12.0, 12.0)  # beyond, 1 - posterior has lost its digits
    posterior = 1.0 / (1.0 + np.exp(-scores))
    found = reliability(scores, liked)
    assert found.brier == pytest.approx(((posterior - liked) ** 2).mean())
    assert found.log_loss == pytest.approx(-np.log(np.where(liked, posterior, 1.0 - posterior)).mean(), rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(PAIRS.filter(bool))
def test_each_bin_has_the_posteriors_of_a_tenth(pairs: list[tuple[float, bool]]) -> None:
    scores, liked = arrays(pairs)
    posterior = 1.0 / (1.0 + np.exp(-scores))
    # Rounding decides on which side of an edge between bins a posterior is.
    inside = np.abs(posterior * 10 - np.round(posterior * 10)) > 1e-9
    scores, liked, posterior = scores[inside], liked[inside], posterior[inside]
    if not len(scores):
        return
    found = reliability(scores, liked)
    of = [int(10 * each) for each in posterior.tolist()]
    bins = [np.array(of) == number for number in range(10)]
    there = found.articles > 0
    assert found.articles.tolist() == [each.sum() for each in bins]
    share, mean = (np.array([values[each].mean() for each in bins if each.any()]) for values in (liked, posterior))
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
