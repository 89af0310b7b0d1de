"""Weights on the log-ratios: by hand, against the whole batch, and what they are for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.filtering.paper import AdaptiveThreshold
from iscore.learners import KernelNaiveBayes, WeightedNaiveBayes
from iscore.learners.naive_bayes import weighted_naive_bayes
from tests.iscore.learners.posterior_mode import posterior_mode


def stream(n, seed=0, copies=1):
    """Rows of one strong feature, copied, and one weak one; a third of the examples are interesting."""
    random = np.random.default_rng(seed)
    y = random.random(n) < 0.33
    strong = random.normal(size=n) + 1.2 * y
    weak = random.normal(size=n) + 0.8 * y
    return np.column_stack([*[strong] * copies, weak]), y


def test_a_step_by_hand() -> None:
    # One feature, w = 0.5 and b = 0 with variances 0.2 and 1, log-ratio 2, no prior: S = 1, p = 0.7311, h = 0.1966.
    # Gains 0.4 and 1, spread 2·0.4 + 1 = 1.8; the step for a dislike is -p/(1 + h·1.8).
    mean, covariance = np.array([0.5, 0.0]), np.diag([0.2, 1.0])
    assert weighted_naive_bayes.scores(np.array([[2.0]]), mean, 0.0)[0] == pytest.approx(1.0)
    weighted_naive_bayes.update(mean, covariance, np.array([2.0]), 0.0, False, 1.0, 1.0)
    p = 1 / (1 + math.exp(-1.0))
    h = p * (1 - p)
    assert mean == pytest.approx([0.5 - p / (1 + 1.8 * h) * 0.4, -p / (1 + 1.8 * h)])
    shrink = h / (1 + 1.8 * h)
    assert covariance == pytest.approx(np.array([[0.2 - shrink * 0.16, -shrink * 0.4], [-shrink * 0.4, 1.0 - shrink]]))


def log_ratios():
    """Log-ratios of three features (3000, 3) that count 0.3, 0.1 and 0.6 times, and the labels."""
    random = np.random.default_rng(5)
    ratios = random.normal(size=(3000, 3))
    return ratios, random.random(3000) < 1 / (1 + np.exp(-(ratios @ [0.3, 0.1, 0.6] - 0.5)))


def test_each_step_is_a_newton_step() -> None:
    """The curvature of each example adds up in the inverse of the covariance, which the mean's step is divided by."""
    mean, covariance = weighted_naive_bayes.unlearned(3)
    curvature = np.linalg.inv(covariance)
    for ratios, interesting in zip(*log_ratios(), strict=True):
        x = np.append(ratios, 1.0)
        p = 1 / (1 + np.exp(-mean @ x))
        curvature += p * (1 - p) * np.outer(x, x)
        expected = mean + np.linalg.solve(curvature, (interesting - p) * x)
        weighted_naive_bayes.update(mean, covariance, ratios, 0.0, bool(interesting), 1.0, 1.0)
        np.testing.assert_allclose(mean, expected, atol=1e-9)
    np.testing.assert_allclose(covariance, np.linalg.inv(curvature), rtol=1e-6, atol=1e-9)


def test_the_belief_comes_close_to_that_of_the_whole_batch() -> None:
    """The steps follow the mode of a logistic regression with the same Gaussian belief, and the curvature there."""
    ratios, y = log_ratios()
    mean, covariance = weighted_naive_bayes.unlearned(3)
    start, precision = mean.copy(), np.linalg.inv(covariance)
    for x, interesting in zip(ratios, y.tolist(), strict=True):
        weighted_naive_bayes.update(mean, covariance, x, 0.0, interesting, 1.0, 1.0)
    rows = np.column_stack([ratios, np.ones(len(ratios))])
    mode, hessian = posterior_mode(rows, np.where(y, 1.0, -1.0), np.ones(len(rows)), start, precision)
    assert mean == pytest.approx(mode, abs=0.03)
    assert np.sqrt(np.diag(covariance)) == pytest.approx(np.sqrt(np.diag(np.linalg.inv(hessian))), rel=0.06)


def test_a_feature_that_comes_ten_times_does_not_count_ten_times() -> None:
    def brier(learner, copies):
        X, y = stream(3000, copies=copies)
        scores = np.array([learner.learn_one(x, bool(label)) for x, label in zip(X, y, strict=True)])[500:]
        return float(((1 / (1 + np.exp(-scores)) - y[500:]) ** 2).mean())

    once, ten_times = brier(WeightedNaiveBayes(), 1), brier(WeightedNaiveBayes(), 10)
    assert ten_times == pytest.approx(once, abs=0.005)
    assert brier(KernelNaiveBayes(), 10) > ten_times + 0.02


@pytest.mark.parametrize("half_life", [None, 300.0])
def test_learning_many_equals_learning_one_by_one(half_life) -> None:
    class InParts(WeightedNaiveBayes):
        def _step(self, densities, X, interesting, weight, *, scored):
            return KernelNaiveBayes._step(self, densities, X, interesting, weight, scored=scored)

    X, y = stream(400, copies=3)
    X[::7, 1] = np.nan
    whole, parts = WeightedNaiveBayes(half_life=half_life), InParts(half_life=half_life)
    for number, (x, label) in enumerate(zip(X, y, strict=True)):
        weight = 1.0 + number % 3
        assert whole.learn_one(x, bool(label), weight) == parts.learn_one(x, bool(label), weight)
    assert whole.score_many(X).tobytes() == parts.score_many(X).tobytes()
    assert whole.feature_weights.tobytes() == parts.feature_weights.tobytes()


def test_with_a_half_life_weights_follow_a_change() -> None:
    X, y = stream(6000)
    changed = X.copy()
    changed[3000:, 0] = -X[3000:, 0]

    def late_hits(half_life):
        learner = WeightedNaiveBayes(half_life=half_life)
        scores = [learner.learn_one(x, bool(label)) for x, label in zip(changed, y, strict=True)]
        return float(((np.array(scores) > 0) == y)[4000:].mean())

    assert late_hits(500.0) > late_hits(None) + 0.02


def test_explanation_adds_up_and_missing_has_no_information() -> None:
    X, y = stream(300, copies=2)
    learner = WeightedNaiveBayes()
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, bool(label))
    x = np.array([1.5, np.nan, -0.3])
    given = learner.explain_one(x)
    assert given.prior + given.contributions.sum() == pytest.approx(given.score, abs=1e-12)
    assert given.contributions[1] == 0.0
    assert given.chosen.all()
    assert given.subset_size == 3
    assert abs(given.correlations[given.ranks == 0][0]) == abs(given.correlations).max()


def test_before_both_classes_are_known_weights_stay() -> None:
    learner = WeightedNaiveBayes()
    X, _ = stream(20)
    for x in X:
        learner.learn_one(x, False)
    assert learner.feature_weights.tolist() == [1.0, 1.0]  # two features: 4.5 by 2, at most 1
    threshold = AdaptiveThreshold()
    threshold.learn(learner.score_one(X[0]), False)
    assert learner.score_one(X[0]) == 0.0
