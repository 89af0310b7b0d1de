"""Online feature selection: its parts by hand, and the whole against a plain rendering of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import KernelNaiveBayes, SubsetNaiveBayes
from iscore.learners.naive_bayes import calibration, correlation
from iscore.learners.naive_bayes.steps import Example
from iscore.learners.naive_bayes.subset_naive_bayes import Selection, best_size, decide


def few_useful_among_many(n_examples, seed=0):
    random = np.random.default_rng(seed)
    y = random.random(n_examples) < 0.25
    X = random.random((n_examples, 12))
    X[:, 3] += 0.5 * y
    X[:, 7] -= 0.9 * y
    X[random.random(X.shape) < 0.1] = np.nan
    return X, y


def test_running_correlation_is_pearsons_over_what_is_present():
    X, y = few_useful_among_many(300)
    X += 1e6
    weights = np.random.default_rng(1).integers(1, 4, 300)
    moments = np.zeros((correlation.N_MOMENTS, 12))
    for x, label, weight in zip(X, y, weights, strict=True):
        correlation.update(moments, x, float(label), float(weight))
    for i, r in enumerate(correlation.correlations(moments)):
        present = np.repeat(~np.isnan(X[:, i]), weights)
        repeated = np.repeat(X[:, i], weights)[present], np.repeat(y, weights)[present]
        assert r == pytest.approx(np.corrcoef(*repeated)[0, 1], abs=1e-9)


def test_what_does_not_vary_is_uncorrelated():
    moments = np.zeros((correlation.N_MOMENTS, 2))
    for value in (1.0, 2.0, 3.0):
        correlation.update(moments, np.array([4.0, value]), 1.0, 1.0)
    assert correlation.correlations(moments).tolist() == [0.0, 0.0]


def test_features_rank_by_size_of_correlation_and_ties_by_their_order():
    order = np.array([4, 3, 2, 1, 0])
    correlation.rank(order, np.array([0.1, -0.5, 0.5, 0.0, 0.1]))
    assert order.tolist() == [1, 2, 0, 4, 3]


def selection(n, order=None, lines=None):
    lines = calibration.unlearned(n, calibrated=False) if lines is None else lines
    order = np.arange(n) if order is None else order
    return Selection(order, np.zeros((3, n)), lines, np.zeros((correlation.N_MOMENTS, n)), 0.25, False)


def example(interesting, prior, amount=1.0):
    return Example(interesting, amount, 1.0, 1.0, prior)


def test_decisions_are_made_on_calibrated_scores():
    lines = calibration.unlearned(2, calibrated=False)
    lines[0, 1], lines[1, 1] = 0.5, -1.0  # subset 2: 0.5 · 3 - 1 - 0.6 < 0 < 3 - 0.6
    chosen = selection(2, lines=lines)
    decide(chosen, np.array([1.0, 2.0]), example(True, -0.6))
    assert chosen.counts.tolist() == [[1, 0], [0, 0], [0, 1]]


def test_decisions_of_all_subsets_are_counted():
    chosen = selection(3)
    ratios = np.array([1.0, -3.0, 4.0])
    decide(chosen, ratios, example(True, -0.5, 2.0))  # scores 0.5, -2.5, 1.5
    decide(chosen, ratios, example(False, -0.5))
    assert chosen.counts.tolist() == [[2, 0, 2], [1, 0, 1], [0, 2, 0]]


def test_a_score_of_zero_is_no_recommendation():
    chosen = selection(1)
    decide(chosen, np.array([1.0]), example(True, -1.0))
    assert chosen.counts[:, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("hits", "false_alarms", "misses", "size"),
    [
        ([0, 0, 0], [0, 1, 2], [3, 3, 3], 3),  # nothing found yet: all features
        ([3, 3, 2], [2, 1, 0], [0, 0, 1], 3),  # precision counts more at beta 0.5
        ([2, 2, 2], [1, 1, 1], [0, 0, 0], 1),  # among equals the smallest
        ([1, 4, 4], [0, 0, 1], [3, 0, 0], 2),
    ],
)
def test_the_best_subset_has_the_best_f(hits, false_alarms, misses, size):
    assert best_size(np.array([hits, false_alarms, misses], dtype=np.float64), 0.25) == size


def test_beta_moves_the_choice():
    counts = np.array([[4.0, 2.0], [3.0, 0.0], [0.0, 2.0]])
    assert best_size(counts, 4.0) == 1
    assert best_size(counts, 0.25) == 2


@pytest.mark.parametrize("mode", ["grid", "exact"])
def test_uncalibrated_the_whole_follows_the_paper(mode):
    X, y = few_useful_among_many(150)
    ours = SubsetNaiveBayes(mode=mode, calibrated=False)
    plain = KernelNaiveBayes(mode=mode)
    hits, alarms, misses = np.zeros(12), np.zeros(12), np.zeros(12)
    for n, (x, interesting) in enumerate(zip(X, y, strict=True)):
        if y[:n].any() and not y[:n].all():
            why = plain.explain_one(x)
            r = np.zeros(12)
            for i in range(12):
                present = ~np.isnan(X[:n, i])
                labels = y[:n][present]
                if present.sum() > 1 and 0 < labels.mean() < 1:
                    r[i] = np.corrcoef(X[:n, i][present], labels)[0, 1]
            order = np.argsort(-np.abs(r).round(12), kind="stable")
            scores = why.prior + np.cumsum(why.contributions[order])
            f = 1.25 * hits / np.maximum(1.25 * hits + 0.25 * misses + alarms, 1)
            best = int(np.argmax(f)) if f.any() else 11
            explained = ours.explain_one(x)
            assert explained.subset_size == best + 1 == ours.subset_size
            assert ours.score_one(x) == pytest.approx(scores[best], abs=1e-9)
            np.testing.assert_allclose(ours.subset_f, f, atol=1e-12)
            # A half-precision of the quantum separates the rounded values from the raw ones.
            np.testing.assert_allclose(explained.correlations, r, atol=1e-3)
            decided = scores > 0
            hits += decided & interesting
            alarms += decided & ~interesting
            misses += ~decided & interesting
        ours.learn_one(x, bool(interesting))
        plain.learn_one(x, bool(interesting))
    assert ours.subset_size < 12


def test_useful_features_are_found_also_when_they_become_useful_late():
    random = np.random.default_rng(0)
    X = random.random((3000, 12))
    y = random.random(3000) < 0.3
    X[:1000, 2] += y[:1000]
    X[1000:, 9] += y[1000:]
    learner = SubsetNaiveBayes(half_life=200).fit(X[:1000], y[:1000])
    assert learner.explain_one(X[0]).ranks[2] == 0
    learner.partial_fit(X[1000:], y[1000:])
    why = learner.explain_one(X[0])
    assert why.ranks[9] == 0
    assert why.chosen[9]
    assert why.subset_size < 12


def test_correlations_and_decisions_forget_too():
    X, y = few_useful_among_many(400)
    learner = SubsetNaiveBayes(half_life=5, calibrated=False)  # passes 2^32 twice
    counts = np.zeros((3, 12))
    for x, interesting in zip(X, y, strict=True):
        why = learner.explain_one(x)
        if why.prior != 0.0:
            decided = why.prior + np.cumsum(why.contributions[np.argsort(why.ranks)]) > 0
            counts += [decided & interesting, decided & ~interesting, ~decided & interesting]
        counts *= 2.0 ** (-1 / 5)
        learner.learn_one(x, bool(interesting))
    np.testing.assert_allclose(learner.subset_f, 1.25 * counts[0] / ([1.25, 1, 0.25] @ counts), rtol=1e-6)
    weights = 2.0 ** (np.arange(400) / 5 - 80)
    for i, r in enumerate(learner.explain_one(X[0]).correlations):
        present = ~np.isnan(X[:, i])
        covariance = np.cov(X[present, i], y[present], aweights=weights[present])
        assert r == pytest.approx(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]), abs=1e-3)


def test_selection_decides_better_than_all_features_when_most_are_useless():
    X, y = few_useful_among_many(1500, seed=2)
    X[:, 8:] = np.random.default_rng(3).standard_t(3, size=(1500, 4))

    def f_half(learner):
        scores = []
        for x, interesting in zip(X, y, strict=True):
            scores.append(learner.score_one(x))
            learner.learn_one(x, bool(interesting))
        decided = np.array(scores) > 0
        return 1.25 * (decided & y).sum() / (decided.sum() + 0.25 * y.sum())

    assert f_half(SubsetNaiveBayes()) > f_half(KernelNaiveBayes())


def test_before_any_example_there_is_no_subset():
    assert SubsetNaiveBayes().subset_size == 0
    assert SubsetNaiveBayes().subset_f.shape == (0,)
