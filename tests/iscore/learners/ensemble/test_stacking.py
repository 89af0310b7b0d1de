"""Stacking: a plain mean at first, then learned weights; without a margin the learner alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.learners import Calibrated, Stacking, SubsetNaiveBayes
from iscore.learners.ensemble.stacking import FixedMargin

COLUMN = 2


def stream(n, seed=0, strength=1.0):
    """Return vectors of which one is a margin, and labels, of which the margin depends by ``strength``."""
    random = np.random.default_rng(seed)
    liked = random.random(n) < 0.2
    X = random.normal(size=(n, 4))
    X[:, 0] += liked
    X[:, COLUMN] = 0.1 * (random.normal(size=n) + strength * 3.0 * liked - 1.0)
    X[random.random(n) < 0.2, COLUMN] = np.nan
    return X, liked


def trained(learner, X, liked):
    return np.array([learner.learn_one(x, bool(like)) for x, like in zip(X, liked, strict=True)])


def test_the_first_scores_are_the_plain_mean() -> None:
    # Four liked ones, one fewer than the weights are learned from.
    X, liked = np.random.default_rng(3).normal(size=(20, 4)), np.arange(20) % 5 == 4
    both, learner, line = Stacking(margin=(COLUMN,)), SubsetNaiveBayes(), Calibrated(FixedMargin((COLUMN,)))
    for learned in (both, learner, line):
        trained(learned, X, liked)
    x = np.array((0.3, 0.1, 0.9, -0.2))
    assert both.score_one(x) == 0.5 * learner.score_one(x) + 0.5 * line.score_one(x)


def test_a_step_of_the_shares_by_hand() -> None:
    X, liked = stream(60, seed=1)
    both, learner, line = Stacking(margin=(COLUMN,)), SubsetNaiveBayes(), Calibrated(FixedMargin((COLUMN,)))
    mean, covariance = np.array((0.5, 0.5, 0.0)), np.diag((0.05, 0.05, 0.01))
    seen = [0, 0]
    for x, like in zip(X, liked.tolist(), strict=True):
        a = learner.learn_one(x, like)
        given = both.learn_one(x, like)
        if math.isnan(x[COLUMN]):
            assert given == a
            continue
        b = line.learn_one(x, like)
        inputs = np.array((max(-10.0, min(10.0, a)), max(-10.0, min(10.0, b)), 1.0))
        assert given == pytest.approx(mean @ (a, b, 1.0) if all(seen) else a, rel=1e-12)
        if min(seen) >= 5:
            posterior = 1.0 / (1.0 + math.exp(-mean @ inputs))
            curvature = max(posterior * (1.0 - posterior), 1e-4)
            gain = covariance @ inputs / (1.0 + curvature * inputs @ covariance @ inputs)
            covariance = covariance - curvature * np.outer(gain, inputs @ covariance)
            mean = mean + (like - posterior) * gain
        seen[like] += 1
    assert min(seen) >= 5
    assert both.state()["mean"] == pytest.approx(mean, rel=1e-9)


def test_an_informative_margin_gets_a_larger_weight_than_a_random_one() -> None:
    def share(given: float) -> float:
        learner = Stacking(margin=(COLUMN,))
        trained(learner, *stream(1500, strength=given))
        return float(learner.state()["mean"][1])

    # The naive Bayes has the margin among its features, so neither share is 1.
    assert share(1.0) > share(0.0) + 0.1


def test_without_a_margin_the_learner_decides_alone() -> None:
    X, liked = stream(300)
    missing = X.copy()
    missing[:, COLUMN] = np.nan
    assert np.array_equal(trained(Stacking(), X, liked), trained(SubsetNaiveBayes(), X, liked))
    assert np.array_equal(
        trained(Stacking(margin=(COLUMN,)), missing, liked), trained(SubsetNaiveBayes(), missing, liked)
    )


@pytest.mark.parametrize(("strength", "column"), [(1.0, COLUMN), (0.0, 1)])
def test_an_explanation_adds_up_and_the_margin_contributes_once(strength: float, column: int) -> None:
    X, liked = stream(400, strength=strength)
    learner = Stacking(margin=(column,))
    trained(learner, X, liked)
    for x in X[:20]:
        why = learner.explain_one(x)
        assert why.prior + why.contributions[why.chosen].sum() == pytest.approx(why.score, abs=1e-9)
        assert why.score == learner.score_one(x)
        # The selection of features leaves a column out that says nothing, the margin does not.
        assert np.array_equal(why.chosen, why.ranks < why.subset_size)


def test_a_margin_of_two_features_is_their_sum_and_each_contributes() -> None:
    X, liked = stream(400)
    parted = np.column_stack([X, 0.25 * X[:, COLUMN]])
    parted[:, COLUMN] *= 0.75
    parted[:50, 4] = np.nan  # what is missing adds nothing, and the rest is still a margin
    summed = np.where(np.isnan(parted[:, 4]), parted[:, COLUMN], parted[:, COLUMN] + parted[:, 4])
    line = Calibrated(FixedMargin((COLUMN, 4)))
    alone = Calibrated(FixedMargin())
    assert trained(line, parted, liked) == pytest.approx(trained(alone, summed[:, np.newaxis], liked), abs=1e-9)
    learner = Stacking(margin=(COLUMN, 4))
    trained(learner, parted, liked)
    given = parted[np.isfinite(parted).all(axis=1)]
    for x in given[:20]:
        why = learner.explain_one(x)
        assert why.chosen[[COLUMN, 4]].all()
        assert why.prior + why.contributions[why.chosen].sum() == pytest.approx(why.score, abs=1e-9)
    # Moving one part moves the score as much as its contribution.
    assert (
        FixedMargin((COLUMN, 4)).explain_one(given[0]).contributions[[COLUMN, 4]].tolist()
        == given[0][[COLUMN, 4]].tolist()
    )


def test_a_state_of_another_margin_is_refused() -> None:
    learner = Stacking(margin=(COLUMN,))
    trained(learner, *stream(50))
    with pytest.raises(ValueError, match=r"margin in columns \[2\], not \[1\]"):
        Stacking(margin=(1,)).restore(learner.state())
