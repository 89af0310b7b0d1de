"""Modified Balanced Winnow: steps worked by hand after table 2 of the paper, and plain numpy over whole streams."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import ModifiedBalancedWinnow
from iscore.learners.linear.winnow import LEAST, MOST


def numbers(learner):
    state = learner.state()
    return dict(zip(state["coordinates"].tolist(), state["numbers"], strict=True)) | {"bias": state["bias"]}


def learned_twice():
    learner = ModifiedBalancedWinnow()
    learner.learn_one([1.0, 0.0, 3.0, 0.0], True)
    learner.learn_one([0.0, 4.0, 0.0, 0.0], False)
    return learner


def test_two_steps_by_hand():
    learner = ModifiedBalancedWinnow()
    # With the bias (1, 0, 3, 0, 1) / 5. All start at u - v = 1: score 0, a mistake of margin 1.
    learner.learn_one([1.0, 0.0, 3.0, 0.0], True)
    found = numbers(learner)
    assert set(found) == {0, 2, "bias"}
    np.testing.assert_allclose(found[0], [2 * 1.5 * 1.2, 1 * 0.5 * 0.8])
    np.testing.assert_allclose(found[2], [2 * 1.5 * 1.6, 1 * 0.5 * 0.4])
    np.testing.assert_allclose(found["bias"], [3.6, 0.4])
    # (0, 4, 0, 0, 1) / 5: score 0.8·(2 - 1) + 0.2·3.2 - 1 = 0.44, and y < 0.
    learner.learn_one([0.0, 4.0, 0.0, 0.0], False)
    found = numbers(learner)
    np.testing.assert_allclose(found[1], [2 * 0.5 * 0.2, 1 * 1.5 * 1.8])
    np.testing.assert_allclose(found["bias"], [3.6 * 0.5 * 0.8, 0.4 * 1.5 * 1.2])
    np.testing.assert_allclose(found[0], [3.6, 0.4])


def test_scores_by_hand():
    learner = learned_twice()
    assert learner.score_one([1.0, 0.0, 3.0, 0.0]) == pytest.approx(0.2 * 3.2 + 0.6 * 4.6 + 0.2 * 0.72 - 1.0)
    assert learner.score_one([0.0, 4.0, 0.0, 0.0]) == pytest.approx(0.8 * -2.5 + 0.2 * 0.72 - 1.0)
    assert learner.score_one([0.0, 0.0, 0.0, 0.0]) == pytest.approx(0.72 - 1.0)


def test_a_feature_outside_of_the_model_is_dropped_before_normalising():
    learner = learned_twice()
    assert learner.score_one([1.0, 0.0, 3.0, 50.0]) == learner.score_one([1.0, 0.0, 3.0, 0.0])
    assert learner.score_one([0.0, 0.0, 0.0, 50.0]) == learner.score_one([0.0, 0.0, 0.0, 0.0])


def test_no_update_beyond_the_margin():
    learner = learned_twice()
    before = learner.state()["numbers"].tobytes()
    learner.learn_one([1.0, 0.0, 3.0, 0.0], True)  # score 2.5, above M = 1
    learner.learn_one([0.0, 4.0, 0.0, 0.0], False)  # score -2.9
    assert learner.state()["numbers"].tobytes() == before
    narrow = ModifiedBalancedWinnow(margin=0.0)
    narrow.learn_one([1.0, 1.0], True)  # score 0, which is M
    once = narrow.state()["numbers"].tobytes()
    assert narrow.state()["numbers"].shape == (2, 2)
    narrow.learn_one([1.0, 1.0], True)
    assert narrow.state()["numbers"].tobytes() == once


def reference(X, y, alpha=1.5, beta=0.5, theta=1.0, margin=1.0):
    """Table 2 over dense rows in numpy, the bias last; rests are bounded by 1/16."""
    u, v = np.full(X.shape[1] + 1, 2.0), np.full(X.shape[1] + 1, 1.0)
    updates = 0
    for row, positive in zip(X, y, strict=True):
        x = np.append(row, 1.0)
        x /= x.sum()
        sign = 1.0 if positive else -1.0
        if sign * (x @ u - x @ v - theta) <= margin:
            updates += 1
            up, down = (u, v) if positive else (v, u)
            up[x > 0] *= alpha * (1.0 + x[x > 0])
            down[x > 0] *= beta * np.maximum(1.0 - x[x > 0], 1.0 / 16.0)
    return u, v, updates


@pytest.mark.parametrize("parameters", [{}, {"alpha": 1.1, "beta": 0.9, "margin": 0.2}, {"theta": 0.5}])
def test_a_whole_stream_equals_plain_numpy(parameters):
    random = np.random.default_rng(2)
    X = random.random((200, 30)) * (random.random((200, 30)) < 0.3)
    y = X[:, :15].sum(axis=1) > X[:, 15:].sum(axis=1)
    u, v, updates = reference(X, y, **parameters)
    learner = ModifiedBalancedWinnow(**parameters).fit(X, y)
    found = numbers(learner)
    np.testing.assert_allclose([found[j] for j in range(30)], np.column_stack([u, v])[:30], rtol=1e-9)
    np.testing.assert_allclose(found["bias"], [u[30], v[30]], rtol=1e-9)
    assert 20 < updates < 200


def test_values_that_are_not_positive_count_as_absent():
    with_negative, without = ModifiedBalancedWinnow(), ModifiedBalancedWinnow()
    for learner, odd in ((with_negative, -3.0), (without, 0.0)):
        learner.learn_one([1.0, odd, 2.0], True)
        learner.learn_one([2.0, 1.0, odd], False)
    assert with_negative.state()["numbers"].tobytes() == without.state()["numbers"].tobytes()
    assert with_negative.score_one([1.0, -1.0, 1.0]) == without.score_one([1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="Negative values"):
        ModifiedBalancedWinnow().fit([[1.0, -1.0], [2.0, 1.0]], [0, 1])


def test_a_bias_alone_does_not_lose_its_weight_for_good():
    learner = ModifiedBalancedWinnow()
    nothing = [0.0, 0.0]
    learner.learn_one(nothing, False)
    np.testing.assert_allclose(learner.state()["bias"], [2 * 0.5 / 16, 1 * 1.5 * 2])
    for _ in range(8):
        learner.learn_one(nothing, True)
    assert learner.score_one(nothing) > 0.0


def test_weights_stay_within_bounds():
    learner = ModifiedBalancedWinnow(margin=1e90)
    for _ in range(1000):
        learner.learn_one([1.0, 0.0], True)
        learner.learn_one([0.0, 1.0], False)
    found = learner.state()["numbers"]
    assert found.max() == MOST
    assert found.min() == LEAST
    assert np.isfinite(learner.score_many(np.eye(2))).all()
    assert learner.score_one([1.0, 0.0]) > 1e10 > -1e10 > learner.score_one([0.0, 1.0])


def test_a_weight_is_the_number_of_times_in_a_row():
    x = [1.0, 2.0]
    thrice, weighted = ModifiedBalancedWinnow(), ModifiedBalancedWinnow()
    for learner in (thrice, weighted):
        learner.learn_one([1.0, 1.0], True, 2.0)
    for _ in range(3):
        thrice.learn_one(x, False)
    weighted.learn_one(x, False, 3.0)
    assert weighted.state()["numbers"].tobytes() == thrice.state()["numbers"].tobytes()
    # Far beyond the margin further repetitions are no mistakes.
    for learner in (thrice, weighted):
        learner.learn_one(x, True, 100.0)
    weighted.learn_one(x, True, 1e300)
    assert weighted.state()["numbers"].tobytes() == thrice.state()["numbers"].tobytes()


def test_a_fraction_is_the_exponent_of_the_update():
    learner = ModifiedBalancedWinnow()
    learner.learn_one([1.0, 3.0], True, 0.5)
    found = numbers(learner)
    np.testing.assert_allclose(found[0], [2 * (1.5 * 1.2) ** 0.5, (0.5 * 0.8) ** 0.5])
    np.testing.assert_allclose(found[1], [2 * (1.5 * 1.6) ** 0.5, (0.5 * 0.4) ** 0.5])
