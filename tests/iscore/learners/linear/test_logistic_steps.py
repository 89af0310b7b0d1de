"""Single steps of online logistic regression: by hand, and along numerical gradients."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import OnlineLogisticRegression
from tests.iscore.learners.linear.logistic import (
    ALPHA,
    BETA,
    SUPERVISED,
    W,
    parameters,
    scaled,
    sigmoid,
    stream,
)

# Steps by hand


def test_two_steps_without_scaling_by_hand():
    learner = OnlineLogisticRegression(eta0=0.2, n_examples=4, lam=1.0)
    learner.learn_one([2.0, -1.0], True)  # y = ½, step 0.2·½
    np.testing.assert_allclose(parameters(learner)[W], [0.2, -0.1])
    assert parameters(learner)[-1] == pytest.approx(0.1)
    learner.learn_one([1.0, 0.0], False)
    eta, y = 0.2 / 1.25, sigmoid(0.2 + 0.1)
    shrunk = 1.0 - 2.0 * eta / 4.0
    np.testing.assert_allclose(parameters(learner)[W], [0.2 * shrunk - eta * y, -0.1 * shrunk])
    assert parameters(learner)[-1] == pytest.approx(0.1 - eta * y)
    assert learner.score_one([1.0, 1.0]) == pytest.approx(sum(parameters(learner)[W]) + parameters(learner)[-1])


def test_standardising_by_hand():
    learner = OnlineLogisticRegression(scaling="standard", n_examples=1)
    learner.learn_one([3.0, 7.0], True)  # no deviation yet: only b moves, by 0.1·½
    np.testing.assert_allclose(parameters(learner)[W], [0.0, 0.0])
    learner.learn_one([5.0, 7.0], False)  # mean 4, deviation √2; the second has none; η = 0.1/2
    y = sigmoid(0.05)
    np.testing.assert_allclose(parameters(learner)[W], [-0.05 * y / np.sqrt(2.0), 0.0])
    w, b = parameters(learner)[W][0], 0.05 - 0.05 * y
    assert learner.score_one([8.0, 9.0]) == pytest.approx(w * 4.0 / np.sqrt(2.0) + b)
    assert learner.score_one([np.nan, 7.0]) == pytest.approx(b)


def test_standardising_by_hand_where_zeros_are_absent():
    learner = OnlineLogisticRegression(scaling="standard", n_examples=1, zeros="absent")
    learner.learn_one([0.0, 2.0], True)
    learner.learn_one([4.0, 0.0], False)  # 0 and 4: deviation √8, not moved by the mean
    y = sigmoid(0.05)
    np.testing.assert_allclose(parameters(learner)[W], [-0.05 * y * 4.0 / np.sqrt(8.0), 0.0])
    # The second has seen 2 and 0: deviation √2, but w = 0.
    assert learner.score_one([1.0, 5.0]) == pytest.approx(parameters(learner)[W][0] / np.sqrt(8.0) + 0.05 - 0.05 * y)


@pytest.mark.parametrize(
    ("scaling", "start", "sigma", "alpha", "beta"),
    [
        # x = 2 with w = 3, α = ½, β = 1: σ = ½ and score 1.5, or αx + β = 2 and score 6.
        ("FS", (3.0, 0.5, 1.0), 0.5, 2.0 * 3.0 * 0.25, -3.0 * 0.25),
        ("FS-1", (3.0, 9.0, 2.0), 0.5, 0.0, -3.0 * 0.25),
        ("FS-2", (3.0, 0.5, 1.0), 2.0, 3.0 * 2.0, 3.0),
        ("FS-3", (9.0, 0.5, 1.0), 2.0, 2.0, 1.0),
    ],
)
def test_a_step_of_joint_scaling_by_hand(scaling, start, sigma, alpha, beta):
    """Equations 8 to 11, 15 to 17, 20 to 23 and 25 to 27, with λ = 1, μ = 2, ν = 3 and N = 10."""
    learner = OnlineLogisticRegression(scaling=scaling, start=start, lam=1.0, mu=2.0, nu=3.0, n_examples=10)
    learner.learn_one([2.0], True)
    w0 = 1.0 if scaling == "FS-3" else start[W]
    alpha0 = 1.0 if scaling == "FS-1" else start[ALPHA]
    step = 0.1 * (1.0 - sigmoid(w0 * sigma))
    found = parameters(learner)
    assert found[W] == pytest.approx(w0 if scaling == "FS-3" else w0 * 0.98 + step * sigma)
    assert found[ALPHA] == pytest.approx(alpha0 if scaling == "FS-1" else alpha0 * 0.96 + step * alpha)
    assert found[BETA] == pytest.approx(start[BETA] * 0.94 + step * beta)
    assert found[-1] == pytest.approx(step)


@pytest.mark.parametrize("scaling", SUPERVISED)
@pytest.mark.parametrize("liked", [True, False])
def test_each_step_goes_down_the_numerical_gradient(scaling, liked):
    """Of E = -t·log y - (1-t)·log(1-y) + (λ‖w‖² + μ‖α‖² + ν‖β‖²)/N, equation 7 with squares as 8 to 11 have it."""
    X, y = stream(31)
    X /= np.abs(X).max(axis=0)
    learner = OnlineLogisticRegression(scaling=scaling, eta0=0.3, lam=3.0, mu=2.0, nu=1.0, n_examples=20)
    learner.learn_many(X[:-1], y[:-1])
    *before, b = parameters(learner)
    x = X[-1]

    def objective(theta):
        w, alpha, beta = theta[:-1].reshape(3, -1)
        probability = sigmoid(scaled(scaling, x, w, alpha, beta).sum() + theta[-1])
        loss = -np.log(probability if liked else 1.0 - probability)
        return loss + (3.0 * w @ w + 2.0 * alpha @ alpha + 1.0 * beta @ beta) / 20.0

    theta, h = np.append(np.concatenate(before), b), 1e-6
    gradient = np.array([(objective(theta + e) - objective(theta - e)) / (2 * h) for e in np.eye(len(theta)) * h])
    learner.learn_one(x, liked)
    *after, b = parameters(learner)
    moved = (np.append(np.concatenate(after), b) - theta) / -(0.3 / (1.0 + 30 / 20))
    fixed = {"FS-1": slice(6, 12), "FS-3": slice(0, 6)}.get(scaling, slice(0, 0))
    assert (moved[fixed] == 0.0).all()
    moved[fixed] = gradient[fixed]
    np.testing.assert_allclose(moved, gradient, atol=1e-7)
    assert np.abs(gradient).min() > 1e-6
