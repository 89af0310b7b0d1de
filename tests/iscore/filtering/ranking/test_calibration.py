"""Calibration: the most probable line through left-out scores, near the prior while there is little evidence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.filtering.ranking.calibration import (
    OFFSET_VARIANCE,
    SLOPE_VARIANCE,
    SMALLEST_SLOPE,
    Line,
    fit_line,
    log_loss,
    sigmoid,
)
from tests.iscore.learners.posterior_mode import posterior_mode

LEFT_OUT = st.lists(
    st.tuples(st.floats(-15, 15), st.booleans(), st.sampled_from([0.15, 0.5, 1.0, 3.0])), min_size=0, max_size=40
)


def columns(rows: list[tuple[float, bool, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.array([score for score, _, _ in rows]),
        np.array([liked for _, liked, _ in rows], dtype=np.bool_),
        np.array([weight for _, _, weight in rows]),
    )


@settings(max_examples=60)
@given(LEFT_OUT, st.floats(-3, 3))
def test_no_other_line_is_as_probable(rows: list[tuple[float, bool, float]], middle: float) -> None:
    """The loss is convex: it is smallest where its slopes are 0."""
    scores, liked, weights = columns(rows)
    line = fit_line(scores, liked, weights, middle)
    assert line.middle == middle
    assert line.slope >= SMALLEST_SLOPE
    if line.slope > SMALLEST_SLOPE:
        errors = weights * (sigmoid(line.log_odds(scores)) - liked)
        assert errors @ (scores - middle) + (line.slope - 1.0) / SLOPE_VARIANCE == pytest.approx(0.0, abs=1e-3)
        assert errors.sum() + line.offset / OFFSET_VARIANCE == pytest.approx(0.0, abs=1e-3)


def test_the_line_is_the_mode_of_a_logistic_regression() -> None:
    random = np.random.default_rng(2)
    scores, liked = random.normal(1.0, 3.0, 25), random.random(25) < 0.4
    signs, weights = np.where(liked, 1.0, -1.0), random.uniform(0.15, 1.0, 25)
    rows, precision = np.column_stack([scores - 0.5, np.ones(25)]), np.diag([1 / SLOPE_VARIANCE, 1 / OFFSET_VARIANCE])
    mode, _ = posterior_mode(rows, signs, weights, np.array([1.0, 0.0]), precision)
    line = fit_line(scores, liked, weights, 0.5)
    assert [line.slope, line.offset] == pytest.approx(mode, abs=1e-6)


@settings(max_examples=30)
@given(LEFT_OUT)
def test_a_higher_score_is_never_less_likely(rows: list[tuple[float, bool, float]]) -> None:
    odds = fit_line(*columns(rows), middle=0.0).log_odds(np.linspace(-20, 20, 50))
    assert (np.diff(odds) > 0).all()


def test_without_evidence_the_slope_is_1_and_the_middle_is_even_odds() -> None:
    line = fit_line(np.empty(0), np.empty(0, dtype=np.bool_), np.empty(0), middle=2.5)
    assert line == Line(1.0, 2.5, 0.0)
    assert sigmoid(line.log_odds(np.array([2.5]))) == pytest.approx([0.5])


def test_the_more_evidence_the_further_from_the_prior() -> None:
    scores, liked = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, False, True])
    offsets = [
        fit_line(np.tile(scores, n), np.tile(liked, n), np.ones(4 * n), middle=0.0).offset for n in (0, 1, 5, 50)
    ]
    assert offsets == sorted(offsets, reverse=True)
    heavy = fit_line(scores, liked, np.full(4, 5.0), middle=0.0)
    assert heavy.offset == pytest.approx(offsets[2], abs=1e-6)


def test_much_evidence_gives_true_probabilities() -> None:
    random = np.random.default_rng(1)
    scores = random.normal(0.0, 2.0, 4000)
    liked = random.random(4000) < sigmoid(1.4 * scores - 2.0)
    line = fit_line(scores, liked, np.ones(4000), middle=1.0)
    assert line.slope == pytest.approx(1.4, abs=0.1)
    assert line.log_odds(np.zeros(1)) == pytest.approx([-2.0], abs=0.15)


def test_a_ranker_that_was_always_wrong_still_ranks() -> None:
    scores = np.linspace(-3.0, 3.0, 200)
    assert fit_line(scores, scores < 0, np.ones(200), middle=0.0).slope == SMALLEST_SLOPE


def test_losses_and_probabilities_are_finite_however_large_the_log_odds_are() -> None:
    odds = np.array([-900.0, -1.0, 0.0, 1.0, 900.0])
    assert sigmoid(odds) == pytest.approx([0.0, 0.26894, 0.5, 0.73106, 1.0], abs=1e-5)
    liked = np.array([True, True, False, False, False])
    assert log_loss(odds, liked) == pytest.approx([900.0, 1.31326, 0.69315, 1.31326, 900.0], abs=1e-5)
