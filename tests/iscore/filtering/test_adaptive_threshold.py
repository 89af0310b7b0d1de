"""The adaptive threshold against brute force, and its manners while it knows little."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.filtering.paper import AdaptiveThreshold, bin_of, lower_edge

PAST = st.lists(st.tuples(st.floats(-50, 50), st.booleans(), st.sampled_from([1.0, 2.0, 3.5])), min_size=1, max_size=60)


def f_beta(past: list[tuple[float, bool, float]], cut: int, beta: float) -> float:
    """F-beta of cutting below bin ``cut``, on scores as the thresholder bins them."""
    total = sum(weight for _, liked, weight in past if liked)
    passed = [(liked, weight) for score, liked, weight in past if bin_of(score) >= cut]
    hits = sum(weight for liked, weight in passed if liked)
    return (1 + beta**2) * hits / (sum(weight for _, weight in passed) + beta**2 * total) if passed else 0.0


@settings(max_examples=60, deadline=None)
@given(PAST, st.sampled_from([0.5, 1.0, 2.0]))
def test_optimum_is_the_best_cut_of_the_past(past: list[tuple[float, bool, float]], beta: float) -> None:
    thresholder = AdaptiveThreshold(beta=beta, prior_positives=0)
    for score, liked, weight in past:
        thresholder.learn(score, liked, weight)
    if not any(liked for _, liked, _ in past):
        assert thresholder.threshold == 0.0
        return
    best = max(f_beta(past, bin_of(score), beta) for score, _, _ in past)
    assert thresholder.best_f == pytest.approx(best, abs=1e-12)
    # The cut itself, wherever in its interval it lies, gives just that.
    bins = sorted({bin_of(score) for score, _, _ in past})
    cut = next((number for number in bins if lower_edge(number) >= thresholder.optimum - 1e-9), None)
    assert cut is not None
    assert f_beta(past, cut, beta) == pytest.approx(best, abs=1e-12)


def test_worked_by_hand() -> None:
    # Scores 3 (liked), 2 (not), 1 (liked), 0.5 (not): cutting at 3 gives F0.5 = 1.25·1 / (1 + 0.25·2) = 0.833;
    # at 1 it gives 1.25·2 / (3 + 0.25·2) = 0.714. The best cut lies between 2 and 3.
    thresholder = AdaptiveThreshold(prior_positives=0)
    for score, liked in [(3.0, True), (2.0, False), (1.0, True), (0.5, False)]:
        thresholder.learn(score, liked)
    assert thresholder.best_f == pytest.approx(1.25 / 1.5)
    assert thresholder.threshold == pytest.approx(2.5, abs=0.01)
    assert thresholder.decide(2.6)
    assert not thresholder.decide(2.4)


def test_neutral_cut_is_kept_when_the_past_agrees_with_it() -> None:
    thresholder = AdaptiveThreshold(prior_positives=0)
    for score, liked in [(4.0, True), (5.0, True), (-3.0, False)]:
        thresholder.learn(score, liked)
    assert thresholder.threshold == 0.0


def test_few_positives_move_the_cut_little() -> None:
    cautious, rash = AdaptiveThreshold(prior_positives=20), AdaptiveThreshold(prior_positives=0)
    for thresholder in (cautious, rash):
        for score, liked in [(6.0, True), (5.0, False), (4.0, False)]:
            thresholder.learn(score, liked)
    assert rash.threshold > 5.0
    assert cautious.threshold == pytest.approx(rash.threshold / 21)


def test_restored_twin_goes_on_alike() -> None:
    draws = np.random.default_rng(3).normal(size=(400, 2))
    first = AdaptiveThreshold()
    for score, label in draws[:300]:
        first.learn(score, label > 0.5)
    second = AdaptiveThreshold()
    second.restore(first.state())
    for score, label in draws[300:]:
        first.learn(score, label > 0.5)
        second.learn(score, label > 0.5)
        assert second.threshold == first.threshold
    assert math.isfinite(first.threshold)


@pytest.mark.parametrize("score", [0.0, 1e-9, -1e-9, 999.0, 1e9, -1e9, math.inf, -math.inf])
def test_every_score_has_a_bin_within_its_edges(score: float) -> None:
    number = bin_of(score)
    if abs(score) < 1000:
        assert lower_edge(number) <= score + 1e-9
        assert number == 65535 or score < lower_edge(number + 1) + 1e-9
    assert 0 <= number < 65536


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="beta"):
        AdaptiveThreshold(beta=0)
    with pytest.raises(ValueError, match="number"):
        AdaptiveThreshold().learn(math.nan, True)
