"""MIRA: steps worked by hand, the paper's problem, and Passive-Aggressive for two classes."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import Mira, PassiveAggressive
from tests.iscore.learners.linear_learners import dense_weights as weights
from tests.iscore.learners.linear_learners import normal_stream


@pytest.mark.parametrize(
    ("mira", "passive_aggressive"),
    [
        ({}, {"variant": "PA"}),
        ({"bias": True}, {"variant": "PA", "bias": True}),
        ({"C": 0.05}, {"variant": "PA-I", "C": 0.05}),
    ],
)
def test_of_two_classes_it_is_passive_aggressive(mira, passive_aggressive):
    X, y = normal_stream(n=20, share=0.4)
    h = np.random.default_rng(1).choice([0.3, 1.0, 4.0], len(y))
    ours, theirs = Mira(**mira), PassiveAggressive(**passive_aggressive)
    assert ours.learn_many(X, y, h).tobytes() == theirs.learn_many(X, y, h).tobytes()
    assert ours.state()["numbers"].tobytes() == theirs.state()["numbers"].tobytes()


def test_a_loss_is_the_margin_of_each_of_two_classes():
    learner = Mira(loss=[[0.0, 2.0], [5.0, 0.0]])
    learner.learn_one([3.0, 4.0], False)  # L(0, 1) = 2: τ = 2/25
    np.testing.assert_allclose(weights(learner, 2).ravel(), [-0.24, -0.32])
    learner.learn_one([0.0, 1.0], True)  # ℓ = 5 + 0.32
    np.testing.assert_allclose(weights(learner, 2).ravel(), [-0.24, 5.0])


def test_three_classes_by_hand():
    learner = Mira().expect(3)
    learner.learn_class([2.0, 0.0], 1)  # ℓ = 1, 1 and ‖x‖² = 4: T = (1/4 + 1/4)/3 = 1/6, τ = 1/12 each
    np.testing.assert_allclose(weights(learner, 2, 3), [[-1 / 6, 1 / 3, -1 / 6], [0.0, 0.0, 0.0]])
    # Scores -1/6, 1/3, -1/6, ℓ_1 = 3/2, ℓ_2 = 1, ‖x‖² = 1: T = (3/2 + 1)/3 = 5/6, τ = 2/3 and 1/6.
    learner.learn_class([1.0, 0.0], 0)
    np.testing.assert_allclose(weights(learner, 2, 3), [[2 / 3, -1 / 3, -1 / 3], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(learner.score_classes([3.0, 1.0]), [2.0, -1.0, -1.0])
    before = learner.state()["numbers"].tobytes()
    learner.learn_class([1.1, 9.0], 0)  # a margin above 1
    assert learner.state()["numbers"].tobytes() == before


@pytest.mark.parametrize("C", [None, 0.02, 0.3])
@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_each_step_solves_the_programme_of_the_paper(C, losses, seed):
    """min ½‖W′ - W‖² + C·ξ where score_y - score_r ≥ L(y, r) - ξ for each wrong class r; ξ = 0 when C is None.

    It is convex, so the conditions of Karush, Kuhn and Tucker, with τ the multipliers, hold at the optimum only.
    """
    random = np.random.default_rng(seed)
    k = 5
    margins = random.uniform(0.2, 3.0, size=(k, k)) if losses else np.ones((k, k))
    X, y = normal_stream(25, 3, seed, k, 0.4)
    learner = Mira(C=C, loss=margins.tolist() if losses else None).expect(k)
    learner.learn_many(X, y)
    W, x = weights(learner, 3, k), random.normal(size=3)
    label = int((x @ W).argmin())
    learner.learn_class(x, label)
    moved, scores = weights(learner, 3, k) - W, x @ weights(learner, 3, k)
    wrong = np.arange(k) != label
    tau = -(x @ moved)[wrong] / (x @ x)
    short = margins[label, wrong] - (scores[label] - scores[wrong])
    np.testing.assert_allclose(moved[:, wrong], -np.outer(x, tau), atol=1e-12)
    np.testing.assert_allclose(moved[:, label], tau.sum() * x, atol=1e-12)
    slack = 0.0 if C is None else max(0.0, short.max())
    assert tau.min() > -1e-12
    assert short.max() < slack + 1e-12
    np.testing.assert_allclose(tau * (slack - short), 0.0, atol=1e-12)
    if C is not None:
        assert tau.sum() < C + 1e-12
        assert slack * (C - tau.sum()) == pytest.approx(0.0, abs=1e-12)
    assert np.abs(moved).max() > 1e-3


def test_some_programmes_have_several_violated_classes_and_some_drop_out():
    """Without such cases the test above would say little."""
    active = []
    for seed in range(40):
        X, y = normal_stream(25, 3, seed, 5, 0.4)
        learner = Mira().expect(5)
        learner.learn_many(X, y)
        W, x = weights(learner, 3, 5), np.random.default_rng(seed).normal(size=3)
        scores = x @ W
        label = int(scores.argsort()[2])
        learner.learn_class(x, label)
        changed = np.abs(weights(learner, 3, 5) - W).max(axis=0) > 1e-12
        active.append((int((scores > scores[label] - 1.0).sum()) - 1, int(changed.sum()) - 1))
    assert any(moved > 1 for _, moved in active)
    assert any(moved < violated for violated, moved in active)


def test_the_weight_of_an_example_of_many_classes():
    X, y = normal_stream(30, 4, 0, 4, 0.4)
    learners = [Mira().expect(4) for _ in range(4)] + [Mira(C=0.01).expect(4) for _ in range(2)]
    for learner in learners:
        learner.learn_many(X, y)
    W = weights(learners[0], 4, 4)
    x = X[0] + X[1]
    label = int((x @ W).argmin())
    for learner, h in zip(learners[1:4], (0.5, 1.0, 7.0), strict=True):
        learner.learn_class(x, label, h)
    half, whole, more = (weights(learner, 4, 4) for learner in learners[1:4])
    np.testing.assert_allclose(half, (W + whole) / 2)
    assert more.tobytes() == whole.tobytes()
    learners[5].learn_class(x, label, 3.0)
    bounded = weights(learners[5], 4, 4) - weights(learners[4], 4, 4)
    np.testing.assert_allclose(bounded[:, label], 0.03 * x)
