"""Naive Bayes with kernel estimates: the formula by hand, the grid against exact sums, and what may go wrong."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from iscore.learners import KernelNaiveBayes
from iscore.learners.naive_bayes.bandwidth import mean_gap

RULES = ("weka", "john-langley", "shared")


def skewed_stream(n_examples, seed=0):
    """Return rows of smooth, skewed, clipped, spiked, whole, binary and tiny values, with labels."""
    random = np.random.default_rng(seed)
    m = n_examples
    y = random.random(m) < 0.25
    X = np.column_stack(
        [
            random.normal(size=m) + 0.3 * y,
            random.lognormal(size=m) * (1 + 0.3 * y),
            np.clip(random.normal(0.5, 0.4, m), 0, 1),
            np.where(random.random(m) < 0.5, 1 / 3, random.random(m)),
            random.integers(0, 7, m),
            np.round(random.random(m) * 7) / 7,
            random.random(m) < 0.3 + 0.1 * y,
            random.random(m) * 0.01,
            random.standard_t(2, m),
            random.integers(50, 5000, m),
        ]
    ).astype(np.float64)
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


def posterior(scores):
    return 1 / (1 + np.exp(-scores))


@pytest.mark.parametrize("mode", ["grid", "exact"])
@pytest.mark.parametrize(
    ("rule", "h"),
    [
        ("weka", {0: 3 / math.sqrt(3), 1: 1 / math.sqrt(2)}),
        ("john-langley", {0: 4 / math.sqrt(3), 1: 4 / math.sqrt(2)}),
        ("shared", {0: 4 / math.sqrt(5), 1: 4 / math.sqrt(5)}),
    ],
)
def test_a_hand_worked_score(mode, rule, h):
    dull, liked = [0.0, 1.0, 3.0], [3.0, 4.0]
    learner = KernelNaiveBayes(mode=mode, bandwidth=rule)
    for value in dull:
        learner.learn_one(np.array([value]), False)
    for value in liked:
        learner.learn_one(np.array([value]), True)
    x = 2.5
    densities = [np.mean([NormalDist(v, h[c]).pdf(x) for v in values]) for c, values in enumerate((dull, liked))]
    expected = math.log(3 / 4) + math.log(densities[1] / densities[0])
    assert learner.score_one(np.array([x])) == pytest.approx(expected, abs=1e-9 if mode == "exact" else 1e-3)


def test_no_density_is_below_the_floor():
    learner = KernelNaiveBayes(floor=0.5, precision=0.1)
    for value in (0.0, 1.0):
        learner.learn_one(np.array([value]), False)
    for _ in range(100):
        learner.learn_one(np.array([10.0]), True)
    # Far from the dull ones: half an example over the range of 10, of two and one.
    h = 10 / math.sqrt(102)
    expected = math.log(101 / 3) + math.log(NormalDist(0, h).pdf(0)) - math.log(0.5 / (3 * 10))
    assert learner.score_one(np.array([10.0])) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_examples", [30, 1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_the_grid_is_close_to_the_exact_sums(rule, n_examples):
    X, y = skewed_stream(n_examples)
    queries, _ = skewed_stream(150, seed=1)
    exact = KernelNaiveBayes(mode="exact", bandwidth=rule).fit(X, y).score_many(queries)
    grid = KernelNaiveBayes(bandwidth=rule).fit(X, y).score_many(queries)
    assert np.abs(posterior(grid) - posterior(exact)).max() <= 1e-3
    assert np.abs(grid - exact).max() <= 0.01


def test_single_values_between_and_on_the_nodes_are_as_exact_as_many():
    for value in (0.0, 0.1, 1 / 3, 0.4375, 0.77):
        X = np.array([[0.0], [1.0], [value], [value]])
        y = np.array([False, False, True, True])
        queries = np.linspace(-0.5, 1.5, 41)[:, np.newaxis]
        exact = KernelNaiveBayes(mode="exact").fit(X, y).score_many(queries)
        grid = KernelNaiveBayes().fit(X, y).score_many(queries)
        assert np.abs(grid - exact).max() <= 0.01


def test_growing_range_regrids_without_loss():
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3)) * np.array([1.0, 1.0, 100.0])
    y = random.random(600) < 0.4
    X[300, 0], X[400, 1] = 300.0, -500_000.0
    late = KernelNaiveBayes().fit(X, y)
    order = np.r_[[300, 400], np.setdiff1d(np.arange(600), [300, 400])]
    early = KernelNaiveBayes().fit(X[order], y[order])
    exact = KernelNaiveBayes(mode="exact").fit(X, y)
    np.testing.assert_allclose(late.score_many(X), early.score_many(X), atol=1e-9)
    np.testing.assert_allclose(late.score_many(X), exact.score_many(X), atol=0.01)


def test_the_order_of_the_examples_does_not_change_a_bit():
    random = np.random.default_rng(0)
    X = random.random((500, 4)) * np.array([1.0, 10.0, 0.01, 5.0]) - 0.3
    y = random.random(500) < 0.4
    shuffled = random.permutation(500)
    one = KernelNaiveBayes().fit(X, y).state()["densities"]
    other = KernelNaiveBayes().fit(X[shuffled], y[shuffled]).state()["densities"]
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in other.items()
    }


@pytest.mark.parametrize("mode", ["grid", "exact"])
def test_weight_two_is_the_example_twice(mode):
    X, y = skewed_stream(100)
    heavy = KernelNaiveBayes(mode=mode).fit(X, y, sample_weight=np.full(100, 2.0))
    twice = KernelNaiveBayes(mode=mode).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(heavy.score_many(X), twice.score_many(X), atol=1e-9)
    assert np.abs(heavy.score_many(X) - KernelNaiveBayes(mode=mode).fit(X, y).score_many(X)).max() > 0.01


@pytest.mark.parametrize("rule", RULES)
def test_a_constant_feature_has_no_information(rule):
    X, y = skewed_stream(300)
    learner = KernelNaiveBayes(bandwidth=rule).fit(np.column_stack([X, np.full(300, 4.2)]), y)
    # The floor depends on the weight of a class, the kernels do not.
    assert learner.explain_one(np.r_[X[0], 4.2]).contributions[-1] == pytest.approx(0.0, abs=1e-3)


def test_a_feature_seen_in_one_class_only_has_no_information():
    learner = KernelNaiveBayes()
    learner.learn_one(np.array([1.0, 2.0]), True)
    learner.learn_one(np.array([1.5, np.nan]), False)
    assert learner.explain_one(np.array([1.0, 2.0])).contributions[1] == 0.0


def test_precision_resolves_tiny_scales():
    random = np.random.default_rng(0)
    y = np.arange(400) % 2 == 1
    X = (random.random((400, 1)) + y[:, np.newaxis]) * 1e-6
    blind = KernelNaiveBayes(precision=1.0).fit(X, y)
    sharp = KernelNaiveBayes(precision=[1e-6]).fit(X, y)
    assert blind.score(X, y) < 0.6
    assert sharp.score(X, y) > 0.9


def test_forgetting_halves_after_the_half_life():
    learner = KernelNaiveBayes(half_life=10)
    for _ in range(10):
        learner.learn_one(np.array([0.0]), False)
    for _ in range(10):
        learner.learn_one(np.array([0.0]), True)
    ages = 2.0 ** (-np.arange(1, 21) / 10)
    liked, dull = ages[:10].sum(), ages[10:].sum()
    assert learner.explain_one(np.array([0.0])).prior == pytest.approx(math.log((liked + 1) / (dull + 1)))


@pytest.mark.parametrize("mode", ["grid", "exact"])
def test_forgetting_is_weighting_by_age(mode):
    X, y = skewed_stream(400)
    forgetful = KernelNaiveBayes(mode=mode, half_life=5).fit(X, y)  # passes 2^32 twice
    ages = np.arange(400, 0, -1)
    weighted = KernelNaiveBayes(mode=mode).fit(X, y, sample_weight=2.0 ** (-ages / 5))
    np.testing.assert_allclose(forgetful.score_many(X), weighted.score_many(X), atol=1e-6)


def test_forgetting_follows_a_change_of_interest_and_never_overflows():
    random = np.random.default_rng(0)
    X = random.random((3000, 1))
    y = np.where(np.arange(3000) < 1500, X[:, 0] > 0.5, X[:, 0] < 0.5)
    forgetful = KernelNaiveBayes(half_life=20).fit(X, y)
    stubborn = KernelNaiveBayes().fit(X, y)
    assert forgetful.score(X[1500:], y[1500:]) > 0.95
    assert stubborn.score(X[1500:], y[1500:]) < 0.8


def test_the_state_of_other_parameters_is_refused():
    learner = KernelNaiveBayes()
    learner.learn_one(np.zeros(2), True)
    with pytest.raises(ValueError, match="1024"):
        KernelNaiveBayes(n_nodes=1024).restore(learner.state())


def test_posteriors_are_the_logistic_of_the_score():
    X, y = skewed_stream(200)
    learner = KernelNaiveBayes().fit(X, y)
    np.testing.assert_allclose(learner.predict_proba(X)[:, 1], posterior(learner.score_many(X)))
    np.testing.assert_allclose(learner.predict_proba(X).sum(axis=1), 1.0)


def test_mean_gap_is_over_distinct_values():
    assert mean_gap(np.array([3.0, 1.0, np.nan, 1.0, 2.0, 7.0])) == 2.0
    assert mean_gap(np.array([5.0, 5.0])) == 0.01
    assert mean_gap(np.array([0.0, 1e-9])) == 1e-6
