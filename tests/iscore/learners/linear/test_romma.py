"""ROMMA: steps worked by hand, the papers' formulas in a plain loop, and their problem."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import Romma, Voted
from iscore.learners.linear.romma import LEAST_SCALE, MOST_SCALE, SCALE, SQUARES


def weights(learner, n):
    state = learner.state()
    w = np.zeros(n)
    w[state["coordinates"]] = state["bias"][SCALE] * state["numbers"][:, 0]
    return w


def stream(m=300, n=12, seed=0, noise=0.3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(m, n)) * (random.random((m, n)) < 0.7)
    return X, X @ np.random.default_rng(7).normal(size=n) + noise * random.normal(size=m) > 0.0


def test_two_steps_by_hand():
    learner = Romma()
    learner.learn_one([0.0, 2.0], True)  # w = x/‖x‖²
    np.testing.assert_allclose(weights(learner, 2), [0.0, 0.5])
    # ‖x‖² = 2, ‖w‖² = 1/4, ⟨w, x⟩ = 1/2: c = (1/2 + 1/2)/(1/2 - 1/4) = 4, d = 1/4·(-3/2)/(1/4) = -3/2.
    learner.learn_one([1.0, 1.0], False)
    np.testing.assert_allclose(weights(learner, 2), [-1.5, 0.5])
    assert learner.score_one([1.0, 1.0]) == pytest.approx(-1.0)
    before = learner.state()["numbers"].tobytes()
    learner.learn_one([0.0, 0.1], True)  # right, if only by 0.05
    assert learner.state()["numbers"].tobytes() == before


def test_an_aggressive_step_by_hand():
    learner = Romma(aggressive=True)
    learner.learn_one([1.0, 0.0], True)
    learner.learn_one([0.5, 0.0], True)  # 0.5 < 1, and 0.5 ≥ 1/4·1: w = x/‖x‖²
    np.testing.assert_allclose(weights(learner, 2), [2.0, 0.0])
    learner.learn_one([0.25, 0.5], True)  # 0.5 < 1, and 0.5 < 5/16·4: c = 3/4, d = 2
    np.testing.assert_allclose(weights(learner, 2), [2.0, 1.0])


@pytest.mark.parametrize("aggressive", [False, True])
def test_a_whole_stream_equals_the_papers_formulas(aggressive):
    X, y = stream()
    w, updates = np.zeros(12), 0
    for x, sign in zip(X, np.where(y, 1.0, -1.0), strict=True):
        inner, squares, long = w @ x, x @ x, w @ w
        if squares == 0.0 or not (sign * inner < 1.0 if aggressive else sign * inner <= 0.0):
            continue
        updates += 1
        if long == 0.0 or sign * inner >= squares * long:
            w = sign * x / squares
            continue
        rest = squares * long - inner**2
        w = (squares * long - sign * inner) / rest * w + long * (sign - inner) / rest * x
    assert 30 < updates < 290
    learner = Romma(aggressive=aggressive).fit(X, y)
    np.testing.assert_allclose(weights(learner, 12), w, rtol=1e-6, atol=1e-9 * np.abs(w).max())
    assert learner.state()["bias"][SQUARES] == pytest.approx(w @ w, rel=1e-9)


@pytest.mark.parametrize("aggressive", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_each_step_is_the_shortest_vector_in_both_half_spaces(aggressive, seed):
    """min ‖w′‖² where ⟨w′, x⟩ ≥ 1 and ⟨w′, w⟩ ≥ ‖w‖², which is convex: the conditions of Karush, Kuhn and Tucker."""
    X, y = stream(12, 4, seed)
    learner = Romma(aggressive=aggressive).fit(X, y)
    w = weights(learner, 4)
    x = np.random.default_rng(seed + 50).normal(size=4)
    if (w @ x > 0.0) != (aggressive and seed % 2 == 0):
        x = -x
    if w @ x > 0.0:
        x *= 0.4 / (w @ x)  # right, but within the margin
    # In units of ‖w‖.
    length = np.sqrt(w @ w)
    constraints, bounds = np.array([x, w / length]), np.array([1.0 / length, 1.0])
    learner.learn_one(x, True)
    new = weights(learner, 4) / length
    multipliers = np.linalg.solve(constraints @ constraints.T, constraints @ new)
    slacks = constraints @ new - bounds
    np.testing.assert_allclose(new, multipliers @ constraints, atol=1e-9)
    assert slacks.min() > -1e-9
    assert multipliers.min() > -1e-9
    np.testing.assert_allclose(multipliers * slacks, 0.0, atol=1e-9)
    assert np.abs(weights(learner, 4) - w).max() > 1e-2


def test_a_weight_below_one_takes_part_of_the_step():
    X, y = stream(50)
    start, half, whole, more = (Romma().fit(X, y) for _ in range(4))
    w = weights(start, 12)
    x = -w
    x[0] += 1.0
    half.learn_one(x, True, 0.5)
    whole.learn_one(x, True)
    more.learn_one(x, True, 9.0)
    np.testing.assert_allclose(weights(half, 12), (w + weights(whole, 12)) / 2)
    assert weights(more, 12).tobytes() == weights(whole, 12).tobytes()
    assert half.state()["bias"][SQUARES] == pytest.approx(weights(half, 12) @ weights(half, 12))


def test_a_weight_below_one_takes_part_of_the_first_step_too():
    learner = Romma(aggressive=True)
    learner.learn_one([2.0, 0.0], True, 0.5)  # half of (½, 0)
    np.testing.assert_allclose(weights(learner, 2), [0.25, 0.0])
    learner.learn_one([1.0, 1.0], True, 0.5)  # ⟨w, x⟩ = ¼ ≥ 2/16: half of the way to (½, ½)
    np.testing.assert_allclose(weights(learner, 2), [0.375, 0.25])
    assert learner.state()["bias"][SQUARES] == pytest.approx(0.375**2 + 0.25**2)


def test_the_same_text_with_the_other_label_is_not_learned():
    X, y = stream(50)
    learner = Romma()
    learner.learn_one(X[0], True)
    before = learner.state()["numbers"].tobytes()
    learner.learn_one(X[0], False)
    assert learner.state()["numbers"].tobytes() == before
    learner.learn_many(X, y)
    assert np.isfinite(learner.score_many(X)).all()
    assert learner.score_many(X).any()


def test_the_length_stays_exact_under_contradictions():
    """An error of ‖w‖² would grow by a third with each mistake of this stream."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(3000, 5)), random.random(3000) < 0.5
    learner, worst, updates = Romma(), 0.0, 0
    for x, interesting in zip(X, y, strict=True):
        before = learner.state().get("numbers", np.zeros(0)).tobytes()
        learner.learn_one(x, bool(interesting))
        w, given = weights(learner, 5), learner.state()["bias"][SQUARES]
        worst = max(worst, abs(given / (w @ w) - 1.0))
        updates += learner.state()["numbers"].tobytes() != before
    assert updates > 1000
    assert worst < 1e-9


def test_a_scale_outside_its_bounds_starts_at_one_again():
    """An example that all but contradicts what was learned makes c a million."""
    learner, w, factor = Romma(), np.array([1.0, 0.0]), 1.0
    learner.learn_one(w, True)
    for _ in range(20):
        x = np.array([w[0] - 1e-3 * w[1], w[1] + 1e-3 * w[0]]) / np.sqrt(w @ w)
        inner, squares, long = w @ x, x @ x, w @ w
        rest = squares * long - inner**2
        factor *= (squares * long + inner) / rest
        w = (squares * long + inner) / rest * w + long * (-1.0 - inner) / rest * x
        learner.learn_one(x, False)
        np.testing.assert_allclose(weights(learner, 2), w, rtol=1e-6)
        assert LEAST_SCALE < learner.state()["bias"][SCALE] < MOST_SCALE
    assert factor > MOST_SCALE


@pytest.mark.parametrize("averaged", [False, True])
def test_learning_continues_after_many_random_labels(averaged):
    """‖w‖ would be beyond any float after some thousand mistakes."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(30_000, 5)), random.random(30_000) < 0.5
    learner = Voted(Romma()) if averaged else Romma()
    scores = learner.learn_many(X, y)
    assert np.isfinite(scores).all()
    assert (scores[-1000:] != 0.0).all()
    X, learned = random.normal(size=(4000, 5)), learner.state()
    learned = learned.get("voted", learned)
    learner.learn_many(X, X[:, 0] > X[:, 1])
    w = learner._store.bias[SCALE] * learner._store.table[:, 0]
    assert ((X @ w > 0.0) == (X[:, 0] > X[:, 1])).mean() > 0.9
    assert np.abs(learned["bias"][:4]).max() < 1e200
