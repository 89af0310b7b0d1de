"""Scaling, binning and calibrating: by hand, against numpy, and against the learner within."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from iscore.learners import (
    Calibrated,
    ModifiedBalancedWinnow,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    QuantileBins,
    Romma,
    StandardScaled,
    SubsetNaiveBayes,
    Voted,
)
from iscore.learners.ensemble.calibrated import slope_and_shift
from iscore.learners.naive_bayes.calibration import FEWEST
from iscore.learners.preprocessing.quantile_bins import FEWEST as FEWEST_FOR_EDGES
from iscore.learners.preprocessing.standard_scaler import BOUND


def stream(m=500, seed=0):
    """Return features of very different scales, some values missing, and labels that depend on three of them."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(m, 5))
    y = hidden[:, 0] + hidden[:, 1] - hidden[:, 2] + 0.5 * random.normal(size=m) > 0.5
    X = np.column_stack(
        [1e6 + 1e5 * hidden[:, 0], 1e-4 * hidden[:, 1], np.exp(hidden[:, 2]), hidden[:, 3] > 0.0, hidden[:, 4]]
    )
    X[random.random(X.shape) < 0.1] = np.nan
    return X, y


def trained(learner, X, y):
    return np.array([learner.learn_one(x, bool(interesting)) for x, interesting in zip(X, y, strict=True)])


# StandardScaled


def test_vectors_are_standardised_by_the_examples_before():
    X, y = stream(60)
    inner, outer = PassiveAggressive(bias=True), StandardScaled(PassiveAggressive(bias=True))
    for row in range(len(y)):
        before = X[:row]
        with np.errstate(all="ignore"):
            counts = (~np.isnan(before)).sum(axis=0)
            means = np.nansum(before, axis=0) / counts
            deviations = np.sqrt(np.nansum((before - means) ** 2, axis=0) / counts)
            z = np.where(deviations > 0.0, (X[row] - means) / deviations, 0.0)
        z = np.clip(np.where(np.isnan(z), 0.0, z), -BOUND, BOUND)
        np.testing.assert_allclose(outer.learn_one(X[row], y[row]), inner.learn_one(z, y[row]), atol=1e-9)


def test_a_weighted_example_counts_so_often_in_mean_and_deviation():
    # Of 1 once and 4 twice the mean is 3 and the variance 2.
    learner = StandardScaled(Perceptron())
    learner.learn_one([1.0], True)
    learner.learn_one([4.0], False, 2.0)  # nothing varies yet
    learner.learn_one([5.0], True)
    assert learner.state()["learner"]["numbers"].ravel() == pytest.approx([(5.0 - 3.0) / 2.0**0.5])


def test_what_does_not_vary_but_by_rounding_is_nothing():
    learner = StandardScaled(Perceptron())
    for row in range(50):
        learner.learn_one([0.1, float(row)], row % 2 == 0, 0.3 + 0.1 * (row % 7))
    assert 0 not in learner.state()["learner"]["coordinates"]


def test_scales_do_not_matter():
    X, y = stream()
    scores = trained(StandardScaled(), X, y)
    others = trained(StandardScaled(), X * 2.0 ** np.array([30, -20, 0, 7, -3]), y)
    np.testing.assert_allclose(scores, others, rtol=1e-6, atol=1e-9)
    assert ((scores[100:] > 0.0) == y[100:]).mean() > 0.75
    raw = trained(PassiveAggressive(bias=True), X, y)
    assert ((raw[100:] > 0.0) == y[100:]).mean() < 0.65


# QuantileBins


def test_edges_are_quantiles_of_the_first_examples_and_then_stay():
    X, y = stream(600)
    learner = QuantileBins(n_bins=4, n_first=100)
    trained(learner, X[:100], y[:100])
    edges = learner.state()["edges"]
    for column, found in zip(X[:100].T, edges, strict=True):
        values = column[~np.isnan(column)]
        expected = np.unique(np.quantile(values, [0.25, 0.5, 0.75], method="inverted_cdf"))
        assert found.tolist() == expected.tolist() + [np.inf] * (3 - len(expected))
    assert edges[3].tolist() == [0.0, 1.0, np.inf]
    trained(learner, X[100:], y[100:])
    assert learner.state()["edges"].tolist() == edges.tolist()
    assert learner.state()["rows"].shape == (0, 5)


def test_each_value_becomes_one_of_its_bins():
    learner = QuantileBins(PositiveWinnow(), n_bins=3, n_first=3)
    rows = np.array([[1.0, 7.0], [2.0, np.nan], [3.0, 7.0]])
    trained(learner, rows, [True, False, True])
    # Edges 1 and 2, and 7: bins to 1, to 2, above 2; to 7, above 7.
    words = np.array([[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0]], dtype=np.float64)
    by_hand = PositiveWinnow()
    trained(by_hand, words, [True, False, True])
    for row, word in ((rows[0], words[0]), ([9.0, 8.0], [0, 0, 1, 0, 1, 0]), ([2.0, np.nan], words[1])):
        assert learner.score_one(row) == by_hand.score_one(np.array(word, dtype=np.float64))


def test_before_the_edges_are_frozen_they_are_found_anew_whenever_examples_have_doubled():
    X, y = stream(100)
    learner = QuantileBins(n_bins=5, n_first=70)
    found_from = []
    for row in range(100):
        learner.learn_one(X[row], y[row])
        found_from.append(learner.state()["found_from"])
    assert sorted(set(found_from)) == [0, FEWEST_FOR_EDGES, 20, 40, 70]
    assert found_from[9] == 10
    # From then on it is a learner that learned all of them by those edges.
    alike = QuantileBins(n_bins=5, n_first=70)
    trained(alike, X[:70], y[:70])
    inner = ModifiedBalancedWinnow()
    edges = alike.state()["edges"]
    words = np.zeros((100, 25))
    for row, i in zip(*np.nonzero(~np.isnan(X)), strict=True):
        words[row, 5 * i + np.searchsorted(edges[i], X[row, i])] = 1.0
    trained(inner, words, y)
    np.testing.assert_array_equal(learner.score_many(X), inner.score_many(words))


def test_winnow_learns_from_numbers_only_by_their_bins():
    X, y = stream(1000)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    plain = trained(PositiveWinnow(), X - X.min(axis=0) + 0.1, y)
    binned = trained(QuantileBins(Voted(PositiveWinnow())), X, y)
    accuracy = [((scores[300:] > 0.0) == y[300:]).mean() for scores in (plain, binned)]
    assert accuracy[1] > 0.75 > accuracy[0]


# Calibrated


def test_scores_are_a_rising_line_of_margins():
    X, y = stream()
    learner, inner = Calibrated(StandardScaled()), StandardScaled()
    trained(learner, X, y)
    trained(inner, X, y)
    slope, shift = slope_and_shift(learner._line)
    assert slope > 0.0
    np.testing.assert_allclose(learner.score_many(X), slope * inner.score_many(X) + shift)


@pytest.mark.parametrize("kind", [Perceptron, PassiveAggressive, Romma])
def test_posteriors_are_calibrated(kind):
    """Of the articles that are called likely at p, about p are interesting; raw margins say far too much."""
    X, y = stream(6000)
    scores = trained(Calibrated(StandardScaled(Voted(kind(bias=True)))), X, y)[500:]
    raw = trained(StandardScaled(Voted(kind(bias=True))), X, y)[500:]

    def loss(odds):
        posterior = np.clip(expit(odds), 1e-12, 1.0 - 1e-12)
        return -np.log(np.where(y[500:], posterior, 1.0 - posterior)).mean()

    assert loss(scores) < loss(raw)
    for low in (0.1, 0.3, 0.5, 0.7):
        among = (expit(scores) >= low) & (expit(scores) < low + 0.2)
        assert among.sum() > 50
        assert low - 0.1 < y[500:][among].mean() < low + 0.3


def test_until_there_are_five_of_each_kind_margins_are_only_scaled():
    X, y = stream(200)
    learner, inner = Calibrated(StandardScaled()), StandardScaled()
    order = np.concatenate([np.flatnonzero(y)[:50], np.flatnonzero(~y)[: int(FEWEST) - 1]])
    margins = trained(inner, X[order], y[order])
    trained(learner, X[order], y[order])
    slope, shift = slope_and_shift(learner._line)
    assert shift == 0.0
    assert slope == pytest.approx(1.0 / np.sqrt((margins[51:] ** 2).mean()), rel=0.05)


def test_predicted_probabilities_are_of_both_classes():
    X, y = stream()
    learner = Calibrated().fit(X, np.where(y, "yes", "no"))
    posterior = learner.predict_proba(X)
    np.testing.assert_allclose(posterior[:, 1], expit(learner.decision_function(X)))
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)


# What they share


@pytest.mark.parametrize("make", [StandardScaled, QuantileBins, Calibrated])
def test_a_state_of_another_learner_is_refused_and_the_learner_given_is_left_alone(make):
    X, y = stream(100)
    given = PassiveAggressive(bias=True)
    state = make(given).fit(np.abs(X), y).state()
    assert given.state() == {}
    with pytest.raises(ValueError, match="the state is of"):
        make(Romma()).restore(state)
    with pytest.raises(ValueError, match="the state is of"):
        make(PassiveAggressive(C=0.5)).restore(state)


def test_any_learner_can_stand_behind():
    X, y = stream()
    learner = Calibrated(StandardScaled(SubsetNaiveBayes(calibrated=False)))
    scores = trained(learner, X, y)
    assert ((scores[200:] > 0.0) == y[200:]).mean() > 0.75
    assert learner.explain_one(X[3]).score == learner.score_one(X[3])


def test_explanations_know_what_goes_with_liking():
    X, y = stream()
    for learner in (StandardScaled(), QuantileBins()):
        trained(learner, X, y)
        why = learner.explain_one(X[5])
        with_y = [np.corrcoef(column[~np.isnan(column)], y[~np.isnan(column)])[0, 1] for column in X.T]
        np.testing.assert_allclose(why.correlations, with_y, atol=1e-9)
        assert np.argsort(why.ranks).tolist() == np.argsort(-np.abs(with_y)).tolist()
