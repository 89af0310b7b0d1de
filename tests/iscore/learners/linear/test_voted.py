"""Voting against the plain mean over all hypotheses, each taken out of a learner that is not averaged."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import (
    BalancedWinnow,
    ConfidenceWeighted,
    KernelNaiveBayes,
    Mira,
    ModifiedBalancedWinnow,
    OnlineLogisticRegression,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    Romma,
    Voted,
)
from iscore.learners.online_classifier import clone

WINNOW = PositiveWinnow, BalancedWinnow, ModifiedBalancedWinnow

N = 12

BINARY = {
    "perceptron": Perceptron(bias=True),
    "positive-winnow": PositiveWinnow(),
    "balanced-winnow": BalancedWinnow(),
    "modified-balanced-winnow": ModifiedBalancedWinnow(),
    "passive-aggressive": PassiveAggressive(bias=True),
    "romma": Romma(),
    "romma-with-bias": Romma(bias=True),
    "aggressive-romma": Romma(aggressive=True),
    "mira": Mira(bias=True, loss=[[0.0, 0.5], [2.0, 0.0]]),
    "confidence-weighted": ConfidenceWeighted(bias=True),
}


def stream(m=200, seed=0, k=2):
    random = np.random.default_rng(seed)
    X = random.random(size=(m, N)) * (random.random((m, N)) < 0.5)
    return X, (X @ random.normal(size=(N, k)) * 3.0 + random.normal(size=(m, k))).argmax(axis=1)


def hypothesis(learner, k=1):
    """Return the weights of all coordinates and of the bias, (N + 1, k), and which are in the model, (N + 1,)."""
    state = learner.state()
    start = 0.0
    if isinstance(learner, WINNOW):
        start = 1.0
    w, known = np.full((N + 1, k), start), np.arange(N + 1) == N
    if not state:
        return w, known
    numbers = np.vstack(
        [state["numbers"][:, : k * learner._update_rule().columns], state["bias"][: k * learner._update_rule().columns]]
    )
    at = np.append(state["coordinates"], N)
    known[at] = True
    w[at] = numbers[:, :k]
    if isinstance(learner, WINNOW) and learner._update_rule().columns == 2:
        w[at, 0] -= numbers[:, 1]
    if isinstance(learner, Romma):
        w[at] *= state["bias"][1]
    return w, known


def score(learner, w, known, x):
    x = np.append(x, 1.0)
    if not isinstance(learner, WINNOW):
        return x @ w
    x = np.where(known, x, 0.0)
    return x @ w / x.sum() - learner.theta


def unchanged(before, after):
    return all(np.array_equal(before[name], after[name]) for name in ("numbers", "bias"))


@pytest.mark.parametrize("name", sorted(BINARY))
def test_it_is_the_mean_of_all_hypotheses(name):
    X, y = stream()
    h = np.random.default_rng(5).choice([0.5, 1.0, 2.0], len(y))
    plain, voted = clone(BINARY[name]), Voted(BINARY[name])
    total, count = np.zeros((N + 1, 1)), 0.0
    rights = []
    for row in range(len(y)):
        before, (w, known) = plain.state(), hypothesis(plain)
        plain.learn_one(X[row], bool(y[row]), h[row])
        right = bool(before) and unchanged(before, plain.state())
        rights.append(right)
        expected = score(plain, total / count if count else w, known, X[row])
        given = voted.learn_one(X[row], bool(y[row]), h[row])
        if row > 20:
            np.testing.assert_allclose(given, expected, atol=1e-9 * max(1.0, np.abs(w).max()))
        if right:
            total += h[row] * w
            count += h[row]
    assert 20 < sum(rights) < 180
    _, known = hypothesis(plain)
    expected = [float(score(plain, total / count, known, x)[0]) for x in X]
    np.testing.assert_allclose(voted.score_many(X), expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    assert np.abs(voted.score_many(X) - plain.score_many(X)).max() > 1e-3


@pytest.mark.parametrize(
    "learner", [Perceptron(bias=True), Mira(bias=True), ConfidenceWeighted(bias=True)], ids=lambda x: type(x).__name__
)
def test_with_several_classes_too(learner):
    k = 4
    X, y = stream(300, k=k)
    voted = Voted(learner).expect(k)
    plain = clone(learner).expect(k)
    total, count = np.zeros((N + 1, k)), 0.0
    rights = 0
    for row in range(len(y)):
        before, (w, known) = plain.state(), hypothesis(plain, k)
        plain.learn_class(X[row], y[row])
        right = bool(before) and unchanged(before, plain.state())
        rights += right
        expected = score(plain, total / count if count else w, known, X[row])
        given = voted.learn_class(X[row], y[row])
        if row > 20:
            np.testing.assert_allclose(given, expected, atol=1e-9)
        total, count = (total + w, count + 1.0) if right else (total, count)
    assert 20 < rights < 280
    expected = np.hstack([X, np.ones((len(X), 1))]) @ total / count
    np.testing.assert_allclose(voted.score_many(X), expected, atol=1e-9)
    np.testing.assert_allclose(voted.score_classes(X[3]), expected[3], atol=1e-9)
    labels = np.array(["a", "b", "c", "d"])
    fitted = Voted(learner).fit(X, labels[y])
    assert (fitted.predict(X) == labels[expected.argmax(axis=1)]).all()


def test_while_nothing_was_right_the_newest_hypothesis_judges():
    # Rows of which none shares a coordinate with another never reach the margin.
    plain, voted = PassiveAggressive(C=0.1), Voted(PassiveAggressive(C=0.1))
    for row, x in enumerate(np.eye(N)):
        plain.learn_one(x, row % 2 == 0)
        voted.learn_one(x, row % 2 == 0)
    assert voted.score_many(np.eye(N)).tolist() == plain.score_many(np.eye(N)).tolist()
    assert voted.score_one(np.eye(N)[0]) == pytest.approx(0.1)


def test_a_few_examples_by_hand():
    voted = Voted()
    voted.learn_one([1.0, 0.0], True)  # w_1 = (1, 0)
    voted.learn_one([2.0, 1.0], True)  # right: c_1 = 1
    voted.learn_one([1.0, 3.0], False)  # wrong: w_2 = (0, -3)
    assert voted.score_one([5.0, 7.0]) == 5.0
    voted.learn_one([1.0, 1.0], False, 3.0)  # right: c_2 = 3
    assert voted.score_one([5.0, 7.0]) == pytest.approx((1 * 5.0 + 3 * -21.0) / 4)


def test_an_explanation_is_of_the_mean():
    X, y = stream()
    for learner in BINARY.values():
        voted = Voted(learner).fit(X, y)
        why = voted.explain_one(X[7])
        assert why.score == voted.score_one(X[7])
        assert why.prior + why.contributions.sum() == pytest.approx(why.score)


def test_a_state_of_another_learner_is_refused():
    X, y = stream()
    state = Voted(Perceptron()).fit(X, y).state()
    with pytest.raises(ValueError, match="the state is of Perceptron"):
        Voted(Romma()).restore(state)
    with pytest.raises(ValueError, match="the state is of"):
        Voted(Perceptron(bias=True)).restore(state)


def test_the_given_learner_is_not_changed():
    X, y = stream()
    learner = Perceptron()
    Voted(learner).fit(X, y)
    assert learner.state() == {}


@pytest.mark.parametrize("odd", [KernelNaiveBayes(), OnlineLogisticRegression(), Voted(Perceptron())])
def test_learners_that_are_not_mistake_driven_are_refused(odd):
    with pytest.raises(ValueError, match="averaged"):
        Voted(odd).learn_one([1.0], True)


def test_learners_of_two_classes_refuse_more():
    with pytest.raises(TypeError, match="two classes"):
        Voted(Romma()).expect(3)
    X, y = stream(100, k=3)
    with pytest.raises(ValueError, match="Only binary classification"):
        Voted(Romma()).fit(X, y)
