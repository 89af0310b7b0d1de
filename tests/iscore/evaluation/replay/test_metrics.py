"""Metrics against counts, against values worked by hand, and properties of any outcome; ranking and calibration against
their definitions, written as loops over all thresholds, pairs and bins."""

from __future__ import annotations

import math
import operator
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.evaluation.replay.metrics import (
    METRICS,
    RECALLS,
    Summary,
    auc,
    best_static_threshold,
    largest_gap,
    mean,
    pinned_scores,
    precision_at_recalls,
    reliability,
    summary,
)
from iscore.evaluation.replay.outcome import Outcome
from iscore.filtering.metrics import Counts, count
from tests.iscore.evaluation.replay.outcomes import outcome, simulated

PAIRS = st.lists(
    st.tuples(st.sampled_from([-3.0, -1.5, 0.0, 0.5, 4.0]) | st.floats(-30, 30), st.booleans()), max_size=50
)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    n = draw(st.integers(0, 60))
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    liked, recommended, hidden, trained = (np.array(draw(flags), dtype=bool) for _ in range(4))
    scores = np.array(draw(st.lists(st.floats(-60, 60), min_size=n, max_size=n)), dtype=float)
    return replace(
        outcome("." * n),
        liked=liked,
        scores=scores,
        recommended=recommended,
        explored=hidden & ~recommended,
        trained=trained,
    )


@settings(max_examples=30, deadline=None)
@given(outcomes())
def test_precision_recall_and_f_are_counted_hits(given_outcome: Outcome) -> None:
    found = summary(given_outcome)
    for decided, shown in (
        (given_outcome.delivered, (found.precision, found.recall, found.f05)),
        (given_outcome.recommended, (found.precision_recommended, found.recall_recommended, found.f05_recommended)),
    ):
        likes = given_outcome.liked.any()
        hits = sum(map(operator.and_, decided.tolist(), given_outcome.liked.tolist()))
        assert (shown[0] is None) == (not decided.any())
        assert (shown[1] is None) == (shown[2] is None) == (not likes)
        if decided.any():
            assert shown[0] == pytest.approx(hits / decided.sum())
        if likes:
            assert shown[1] == pytest.approx(hits / given_outcome.liked.sum())
            assert shown[2] == pytest.approx(1.25 * hits / (decided.sum() + 0.25 * given_outcome.liked.sum()))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (Counts(articles=100, liked=10, delivered=10, hits=10), 1.0),
        (Counts(articles=100, liked=10, delivered=0, hits=0), 1 / 3),
        # 2 · 6 − 4 = 8 of 20: (0.4 + 0.5) / 1.5.
        (Counts(articles=100, liked=10, delivered=10, hits=6), 0.6),
        # −10 of 20 is the least that counts …
        (Counts(articles=100, liked=10, delivered=10, hits=0), 0.0),
        # … and −90 of 20 is no worse.
        (Counts(articles=100, liked=10, delivered=90, hits=0), 0.0),
        (Counts(articles=100, liked=0, delivered=5, hits=0), None),
    ],
)
def test_scaled_utility_as_worked_by_hand(counts: Counts, expected: float | None) -> None:
    assert counts.t11su == (None if expected is None else pytest.approx(expected))


def test_precision_counts_more_than_recall() -> None:
    precise = Counts(articles=100, liked=10, delivered=4, hits=4)
    thorough = Counts(articles=100, liked=10, delivered=25, hits=10)
    # 1.25 · 4 / (4 + 2.5) and 1.25 · 10 / (25 + 2.5)
    assert precise.f_beta() == pytest.approx(5 / 6.5)
    assert thorough.f_beta() == pytest.approx(12.5 / 27.5)
    assert thorough.f_beta(2.0) == pytest.approx(50 / 65)


def test_explored_articles_count_as_delivered_and_not_as_recommended() -> None:
    found = summary(outcome("xx..", "xeee"))
    assert (found.n, found.positives, found.delivered, found.explored) == (4, 2, 4, 3)
    assert (found.precision, found.recall) == (0.5, 1.0)
    assert found.deliveries_per_like == 2.0
    assert (found.precision_recommended, found.recall_recommended) == (1.0, 0.5)
    assert found.f05 == pytest.approx(1.25 * 2 / (4 + 0.5))
    assert found.f05_recommended == pytest.approx(1.25 / (1 + 0.5))


def test_another_threshold_changes_only_what_the_classifier_scored() -> None:
    cold = np.array([False, False, True, True, True, True])
    scores = [5.0, 5.0, -1.0, 0.0, 2.0, -4.0]
    found = summary(outcome("x.xx..", "x.....", scores, trained=cold))
    # At 0 the fourth and fifth are recommended, beside the first: two of three, of three that are liked.
    assert found.f05_even_odds == pytest.approx(1.25 * 2 / (3 + 0.75))
    # At −1 the third as well; a cut above all of them would leave one right of one.
    assert found.f05_best_static == pytest.approx(max(1.25 * 3 / (4 + 0.75), 1.25 / (1 + 0.75)))
    assert found.best_static_threshold == -1.0
    assert found.warm_from == 3


@settings(max_examples=50, deadline=None)
@given(outcomes())
def test_no_fixed_threshold_beats_the_best(given_outcome: Outcome) -> None:
    found = summary(given_outcome)
    if found.f05_best_static is None:
        assert not given_outcome.liked.any()
        return
    assert found.f05_even_odds is not None
    assert found.f05_best_static >= found.f05_even_odds - 1e-12
    cold = given_outcome.recommended & ~given_outcome.trained
    tried = [
        count(cold | (given_outcome.trained & (given_outcome.scores >= cut)), given_outcome.liked).f_beta() or 0.0
        for cut in [*given_outcome.scores, math.inf]
    ]
    assert found.f05_best_static == pytest.approx(max(tried))
    at = math.inf if found.best_static_threshold is None else found.best_static_threshold
    assert count(pinned_scores(given_outcome) >= at, given_outcome.liked).f_beta() == pytest.approx(max(tried))


@settings(max_examples=50, deadline=None)
@given(outcomes())
def test_metrics_are_in_their_range_or_undefined(given_outcome: Outcome) -> None:
    found = summary(given_outcome)
    for name in METRICS:
        value = getattr(found, name)
        assert value is None or math.isfinite(value), name
        if name.startswith(("f05", "precision", "recall", "auc", "t11su", "brier", "calibration")):
            assert value is None or -1e-12 <= value <= 1 + 1e-12, name


@pytest.mark.parametrize("marks", ["", "....", "xxxx"])
def test_streams_of_one_kind_or_none_break_nothing(marks: str) -> None:
    found = summary(outcome(marks))
    assert found.n == len(marks)
    assert found.auc is None
    assert found.precision is None
    assert (found.f05, found.t11su) == ((0.0, pytest.approx(1 / 3)) if "x" in marks else (None, None))


def test_nan_scores_leave_only_their_metrics_undefined() -> None:
    found = summary(outcome("x.x.", "xx..", [math.nan, 1.0, 2.0, 3.0]))
    assert found.f05 == pytest.approx(0.5)
    assert (found.auc, found.brier, found.f05_best_static) == (None, None, None)


def test_calibration_needs_scores_of_the_classifier() -> None:
    found = summary(outcome("x.x.", "xx..", [9.0, -9.0, -1.0, 1.0], trained=np.zeros(4, dtype=bool)))
    assert (found.brier, found.log_loss, found.calibration_error) == (None, None, None)
    assert (found.auc, found.auc_warm, found.warm_from) == (0.75, None, None)


def test_the_first_articles_have_metrics_of_their_own() -> None:
    bad, good = "x" * 1000, "." * 1000
    found = summary(outcome("x" * 2000, good + bad))
    assert found.f05_first_1000 == 0.0
    assert found.f05_first_5000 == found.f05 == pytest.approx(1.25 * 1000 / (1000 + 500))


def test_means_leave_out_undefined_values() -> None:
    found = mean([summary(outcome("x.", "x.")), summary(outcome("xx", "..")), summary(outcome("..", "x."))])
    assert found["f05"] == pytest.approx(0.5)
    assert found["precision"] == pytest.approx(0.5)
    assert found["n"] == 2.0
    assert found["auc"] == pytest.approx(0.5)
    assert list(found) == list(METRICS)
    assert set(mean([]).values()) == {None}


def test_a_filter_that_never_became_useful_counts_with_the_whole_stream() -> None:
    never = summary(outcome("x" * 100, "." * 100))
    at_once = summary(outcome("x" * 100, "x" * 100))
    too_few = summary(outcome("x" * 30, "x" * 30))
    assert (never.articles_until_useful, at_once.articles_until_useful, too_few.articles_until_useful) == (
        None,
        20,
        None,
    )
    assert mean([never, at_once, too_few])["articles_until_useful"] == 60.0


def test_every_number_is_a_metric() -> None:
    assert set(METRICS) == {field.name for field in fields(Summary)} - {"stream", "reader", "classifier", "protocol"}


def test_a_simulated_filter_is_found_as_good_as_it_was_made() -> None:
    """Classes that are normal around ±d with variance 2d have their own value as log-odds."""
    skill = 1.5
    found = summary(simulated(40_000, seed=1, skill=skill))
    # The difference of two scores has mean 2d and variance 4d, so it is above 0 with probability Φ(√d).
    expected = 0.5 * (1 + math.erf(math.sqrt(skill) / math.sqrt(2)))
    assert found.auc == pytest.approx(expected, abs=0.01)
    assert found.calibration_error == pytest.approx(0.0, abs=0.01)


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


def test_a_recall_is_reached_by_the_exact_number_of_hits() -> None:
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
