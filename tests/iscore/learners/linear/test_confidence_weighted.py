"""Confidence-weighted learning: steps worked by hand, the papers' formulas in numpy, and their problem."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from iscore.learners import ConfidenceWeighted
from iscore.learners.linear.confidence_weighted import MOST_GAIN
from tests.iscore.learners.linear.least_divergence import assert_least_divergence

VARIANTS = ["stdev", "variance"]
PHI_1 = NormalDist().cdf(1.0)
"""The η of which φ is 1."""


def moments(learner, n):
    """Return μ and the diagonal of Σ⁻¹, each of shape (n,)."""
    state = learner.state()
    mu, precision = np.zeros(n), np.full(n, 1.0 / learner.a)
    mu[state["coordinates"]] = state["numbers"][:, 0]
    precision[state["coordinates"]] += state["numbers"][:, 1]
    return mu, precision


def stream(m, n, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(m, n)) * (random.random((m, n)) < 0.7)
    return X, X @ np.random.default_rng(77).normal(size=n) > 0.0


def test_a_step_by_standard_deviation_by_hand():
    # φ = 1, m = 0, v = 2: ψ = 1.5, ξ = 2, α = √4 / 4 = 0.5, √u = (-1 + √(1 + 8)) / 2 = 1, Σ⁻¹ gains 0.5.
    learner = ConfidenceWeighted(eta=PHI_1)
    learner.learn_one([1.0, 1.0], True)
    mu, precision = moments(learner, 2)
    np.testing.assert_allclose(mu, [0.5, 0.5])
    np.testing.assert_allclose(precision, [1.5, 1.5])


def test_a_step_by_variance_by_hand():
    # φ = 1, m = 0, v = 2: α = (-1 + √(1 + 16)) / 8, Σ⁻¹ gains 2α.
    alpha = (17.0**0.5 - 1.0) / 8.0
    learner = ConfidenceWeighted(variant="variance", eta=PHI_1)
    learner.learn_one([1.0, -1.0], False)
    mu, precision = moments(learner, 2)
    np.testing.assert_allclose(mu, [-alpha, alpha])
    np.testing.assert_allclose(precision, [1.0 + 2.0 * alpha] * 2)


@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_is_learned_where_the_constraint_holds(variant):
    learner = ConfidenceWeighted(variant=variant)
    learner.learn_one([1.0, 0.0], True)
    learner.learn_one([0.0, 1.0], True)
    before = learner.state()["numbers"].tobytes()
    # m is what one alone has, and v half of it, or √v 0.7 of it.
    learner.learn_one([0.5, 0.5], True)
    assert learner.state()["numbers"].tobytes() == before
    learner.learn_one([0.5, 0.5], False)
    assert learner.state()["numbers"].tobytes() != before


def closed_form(variant, m, v, phi):
    """Return α and what Σ⁻¹ gains, as the papers write them."""
    if variant == "stdev":
        psi, xi = 1.0 + phi**2 / 2.0, 1.0 + phi**2
        alpha = max(0.0, (-m * psi + np.sqrt(m**2 * phi**4 / 4.0 + v * phi**2 * xi)) / (v * xi))
        root_u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4.0 * v)) / 2.0
        return alpha, alpha * phi / root_u
    root = np.sqrt((1.0 + 2.0 * phi * m) ** 2 - 8.0 * phi * (m - phi * v))
    alpha = max(0.0, (-(1.0 + 2.0 * phi * m) + root) / (4.0 * phi * v))
    return alpha, 2.0 * alpha * phi


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("eta", [0.6, 0.9])
@pytest.mark.parametrize("a", [1.0, 0.3])
def test_a_whole_stream_equals_the_papers_formulas(variant, eta, a):
    X, y = stream(150, 12)
    mu, precision = np.zeros(12), np.full(12, 1.0 / a)
    updates = 0
    for x, sign in zip(X, np.where(y, 1.0, -1.0), strict=True):
        alpha, gain = closed_form(variant, sign * (x @ mu), (x * x / precision).sum(), NormalDist().inv_cdf(eta))
        updates += alpha > 0.0
        mu += alpha * sign * x / precision
        precision += gain * x * x
    assert 20 < updates < 150
    learner = ConfidenceWeighted(variant=variant, eta=eta, a=a).fit(X, y)
    ours = moments(learner, 12)
    np.testing.assert_allclose(ours[0], mu, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(ours[1], precision, rtol=1e-7)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("least", "most"), [(-3.0, -0.3), (0.1, 0.6)], ids=["wrong", "unsure"])
@pytest.mark.parametrize("seed", range(3))
def test_each_step_solves_the_problem_of_the_paper(variant, least, most, seed):
    """The closed form is the optimum over a full Σ, of whose inverse the diagonal is kept."""

    X, y = stream(15, 3, seed)
    learner, phi = ConfidenceWeighted(variant=variant, eta=0.85), NormalDist().inv_cdf(0.85)
    learner.learn_many(X, y)
    mu, precision = moments(learner, 3)
    assert (precision > 1.0).all()
    for x in np.random.default_rng(seed).normal(size=(1000, 3)):
        v = (x * x / precision).sum()
        needed = phi * (np.sqrt(v) if variant == "stdev" else v)
        if least < -(x @ mu) / needed < most:
            break
    learner.learn_one(x, False)
    ours = moments(learner, 3)
    assert_least_divergence(variant, (mu, precision), ours, -x, phi)
    assert np.abs(ours[0] - mu).max() > 1e-2


def test_a_weight_below_one_takes_that_part_of_the_step():
    half, whole, more = (ConfidenceWeighted(eta=PHI_1) for _ in range(3))
    half.learn_one([1.0, 1.0], True, 0.5)
    # α = 0.25: √u = (-0.5 + √(0.25 + 8)) / 2, Σ⁻¹ gains 0.25 / √u.
    np.testing.assert_allclose(moments(half, 2)[0], [0.25, 0.25])
    np.testing.assert_allclose(moments(half, 2)[1], [1.0 + 0.5 / (8.25**0.5 - 0.5)] * 2)
    whole.learn_one([1.0, 1.0], True)
    more.learn_one([1.0, 1.0], True, 9.0)
    assert more.state()["numbers"].tobytes() == whole.state()["numbers"].tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("a", [1.0, 0.01])
def test_learning_continues_after_contradictions(variant, a):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(500, 2)), random.random(500) < 0.5
    learner = ConfidenceWeighted(variant=variant, eta=0.95, a=a).fit(X, y)
    assert moments(learner, 2)[1].max() <= (1.0 + MOST_GAIN) / a
    X = random.normal(size=(1000, 2))
    learner.partial_fit(X, X[:, 0] > X[:, 1])
    assert (learner.predict(X) == (X[:, 0] > X[:, 1])).mean() > 0.9
