"""Passive-Aggressive: steps worked by hand, the paper's problem, and scikit-learn's own over whole streams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore.learners import PassiveAggressive
from tests.iscore.learners.linear_learners import dense_weights, normal_stream, scikit_learn


def weights(learner, n):
    return dense_weights(learner, n)[:, 0]


def test_two_steps_by_hand():
    learner = PassiveAggressive(variant="PA")
    learner.learn_one([3.0, 4.0], True)
    np.testing.assert_allclose(weights(learner, 2), [0.12, 0.16])  # ℓ = 1, τ = 1/25
    learner.learn_one([0.0, 5.0], False)
    np.testing.assert_allclose(weights(learner, 2), [0.12, -0.2])  # ⟨x, w⟩ = 0.8, ℓ = 1.8, τ = 1.8/25
    assert learner.score_one([10.0, 1.0]) == pytest.approx(1.0)
    before = learner.state()["numbers"].tobytes()
    learner.learn_one([11.0, 1.0], True)  # a margin of 1.12: passive
    assert learner.state()["numbers"].tobytes() == before


@pytest.mark.parametrize(
    ("parameters", "tau"),
    [
        ({"variant": "PA"}, 1 / 25),
        ({"variant": "PA", "relaxation": 0.1}, 1 / 25.1),
        ({"variant": "PA", "bias": True}, 1 / 26),
        ({"variant": "PA-I", "C": 0.01}, 0.01),
        ({"variant": "PA-I", "C": 0.1}, 1 / 25),
        ({"variant": "PA-II", "C": 0.02}, 1 / 50),
        ({"variant": "PA-II", "C": 0.02, "relaxation": 10.0}, 1 / 60),
    ],
)
def test_the_first_step_by_hand(parameters, tau):
    learner = PassiveAggressive(**parameters)
    learner.learn_one([3.0, 4.0], True)
    np.testing.assert_allclose(weights(learner, 2), [3.0 * tau, 4.0 * tau])
    assert learner.state()["bias"].tolist() == [tau if parameters.get("bias") else 0.0]


@pytest.mark.parametrize(
    ("parameters", "weight", "tau"),
    [
        ({"variant": "PA"}, 0.5, 1 / 50),
        ({"variant": "PA"}, 7.0, 1 / 25),
        ({"variant": "PA-I", "C": 0.01}, 3.0, 0.03),
        ({"variant": "PA-I", "C": 0.01}, 30.0, 1 / 25),
        ({"variant": "PA-II", "C": 0.02}, 5.0, 1 / 30),
    ],
)
def test_a_weight_multiplies_the_aggressiveness(parameters, weight, tau):
    learner = PassiveAggressive(**parameters)
    learner.learn_one([3.0, 4.0], False, weight)
    np.testing.assert_allclose(weights(learner, 2), [-3.0 * tau, -4.0 * tau])


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@pytest.mark.parametrize("seed", range(4))
def test_each_step_solves_the_problem_of_the_paper(variant, seed):
    """PA: min ½‖w′ - w‖² with no loss; PA-I adds C·ξ, PA-II C·ξ², where y⟨w′, x⟩ ≥ 1 - ξ (section 3).

    These problems are convex, so the conditions of Karush, Kuhn and Tucker, with τ the multiplier, hold at the
    optimum and nowhere else.
    """
    C, h = 0.15, 1.7
    learner = PassiveAggressive(variant=variant, C=C)
    X, y = normal_stream(12, 4, seed)
    learner.learn_many(X[:-1], y[:-1])
    w, x = weights(learner, 4), X[-1] + 0.1
    if w @ x > 0.9:
        x = -x
    learner.learn_one(x, True, h)
    moved = weights(learner, 4) - w
    tau, slack = moved @ x / (x @ x), 1.0 - weights(learner, 4) @ x
    np.testing.assert_allclose(moved, tau * x, atol=1e-12)
    assert tau > 0.0  # so the constraint is active, and ξ is the slack
    if variant == "PA":
        assert slack == pytest.approx(0.0, abs=1e-12)
    elif variant == "PA-I":
        assert slack > -1e-12
        assert tau < C * h + 1e-12
        assert slack * (C * h - tau) == pytest.approx(0.0, abs=1e-12)
    else:
        assert tau == pytest.approx(2.0 * C * h * slack, rel=1e-12)
    assert np.abs(moved).max() > 1e-2


@pytest.mark.parametrize(("variant", "rate"), [("PA-I", "pa1"), ("PA-II", "pa2")])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_a_whole_stream_equals_scikit_learn(variant, rate, C):
    X, y = normal_stream()
    theirs = scikit_learn(X, y, loss="hinge", penalty=None, learning_rate=rate, eta0=C, fit_intercept=False)
    ours = PassiveAggressive(variant=variant, C=C).fit(csr_matrix(X), y)
    np.testing.assert_allclose(weights(ours, X.shape[1]), theirs.coef_[0], rtol=1e-9, atol=1e-12)
    assert np.abs(theirs.coef_).max() > 0.1
