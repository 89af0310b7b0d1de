"""Positive and Balanced Winnow: steps worked by hand, and the paper's rules in a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import BalancedWinnow, PositiveWinnow


def numbers(learner):
    state = learner.state()
    return dict(zip(state["coordinates"].tolist(), state["numbers"].tolist(), strict=True)) | {
        "bias": state["bias"].tolist()
    }


def documents(m=300, n=50, seed=0):
    random = np.random.default_rng(seed)
    X = random.poisson(0.15, size=(m, n)).astype(np.float64)
    X[random.random(m) < 0.02] = 0.0
    return X, X[:, :6].sum(axis=1) > 0.9 + 0.3 * random.normal(size=m)


def test_positive_steps_by_hand():
    learner = PositiveWinnow()
    learner.learn_one([1.0, 0.0, 0.0], True)  # (1 + 1)/2 - 1 = 0: wrong
    assert numbers(learner) == {0: [1.5], "bias": [1.5]}
    learner.learn_one([1.0, 2.0, 0.0], False)  # (1.5 + 1.5 + 2)/4 - 1 > 0: wrong
    assert numbers(learner) == {0: [0.75], 1: [0.5], "bias": [0.75]}
    # Feature 2 is not in the model: (0.75 + 0.5)/2 - 1.
    assert learner.score_one([0.0, 1.0, 7.0]) == pytest.approx(-0.375)
    learner.learn_one([0.0, 1.0, 0.0], False)  # right
    assert numbers(learner) == {0: [0.75], 1: [0.5], "bias": [0.75]}


def test_balanced_steps_by_hand():
    learner = BalancedWinnow()
    learner.learn_one([1.0, 0.0], False)  # (1 + 1)/2 - 1 = 0: wrong
    assert numbers(learner) == {0: [1.0, 1.5], "bias": [1.0, 1.5]}
    learner.learn_one([1.0, 2.0], True)  # (-0.5 - 0.5 + 2)/4 - 1 < 0: wrong
    assert numbers(learner) == {0: [1.5, 0.75], 1: [3.0, 0.5], "bias": [1.5, 0.75]}
    assert learner.score_one([0.0, 3.0]) == pytest.approx((0.75 + 7.5) / 4 - 1)


@pytest.mark.parametrize("kind", [PositiveWinnow, BalancedWinnow])
def test_a_weight_repeats_an_example_while_it_is_a_mistake(kind):
    X, y = documents()
    learners = [kind().fit(X[:100], y[:100]) for _ in range(5)]
    x = np.where(np.arange(50) < 3, 1.0, 0.0)
    wrong = not learners[0].score_one(x) > 0.0
    for learner, weight in zip(learners, (1.0, 2.0, 1.5, 1e9, 0.5), strict=True):
        learner.learn_one(x, wrong, weight)
    again = kind().fit(X[:100], y[:100])
    again.learn_one(x, wrong)
    assert numbers(again) == numbers(learners[0])
    again.learn_one(x, wrong)
    assert numbers(again) == numbers(learners[1])
    start = kind().fit(X[:100], y[:100])
    half, one = (np.array(numbers(learner)[1]) / np.array(numbers(start)[1]) for learner in (learners[4], learners[0]))
    np.testing.assert_allclose(half**2, one)
    assert (learners[3].score_one(x) > 0.0) == wrong


@pytest.mark.parametrize(("kind", "plus", "minus"), [(PositiveWinnow, 1.0, 0.0), (BalancedWinnow, 2.0, 1.0)])
def test_a_whole_stream_equals_the_papers_rules(kind, plus, minus):
    X, y = documents()
    u, v = np.full(51, plus), np.full(51, minus)
    known = np.zeros(51, dtype=bool)
    known[50] = True
    given, mistakes = [], 0
    for x, interesting in zip(np.hstack([X, np.ones((len(X), 1))]), y, strict=True):
        seen = np.where(known, x, 0.0)
        given.append(seen @ (u - v) / seen.sum() - 1.0)
        score = x @ (u - v) / x.sum() - 1.0
        if (score if interesting else -score) <= 0.0:
            mistakes += 1
            known |= x > 0.0
            up, down = (u, v) if interesting else (v, u)
            up[x > 0.0] *= 1.5
            down[x > 0.0] *= 0.5
    assert 30 < mistakes < 200
    learner = kind()
    ours = learner.learn_many(X, y)
    seen_both = int(np.argmax(np.minimum(np.cumsum(y), np.cumsum(~y)) > 0)) + 1
    np.testing.assert_allclose(ours[seen_both:], given[seen_both:], atol=1e-10)
    state = learner.state()
    assert state["coordinates"].tolist() == np.flatnonzero(known[:50]).tolist()
    np.testing.assert_allclose(state["numbers"][:, 0], u[:50][known[:50]])
    if kind is BalancedWinnow:
        np.testing.assert_allclose(state["numbers"][:, 1], v[:50][known[:50]])


@pytest.mark.parametrize("kind", [PositiveWinnow, BalancedWinnow])
def test_rows_in_which_all_features_are_present_teach_only_the_bias(kind):
    X, y = documents()
    learner = kind().fit(X + 0.1, y)
    (alike,) = {tuple(row) for row in learner.state()["numbers"].tolist()}
    assert list(alike) == learner.state()["bias"].tolist()
