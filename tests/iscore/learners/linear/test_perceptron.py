"""The perceptron: steps worked by hand, scikit-learn's own, and a plain loop for several classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore.learners import Perceptron
from tests.iscore.learners.linear_learners import dense_weights as weights
from tests.iscore.learners.linear_learners import normal_stream, scikit_learn


def test_steps_by_hand():
    learner = Perceptron()
    learner.learn_one([3.0, 4.0], True)  # score 0 is a mistake
    assert weights(learner, 2).ravel().tolist() == [3.0, 4.0]
    learner.learn_one([1.0, -1.0], False)  # -1·(3 - 4) = 1: right
    assert weights(learner, 2).ravel().tolist() == [3.0, 4.0]
    learner.learn_one([0.0, 5.0], False, 2.0)  # 20: wrong
    assert weights(learner, 2).ravel().tolist() == [3.0, -6.0]
    assert learner.score_one([1.0, 1.0]) == -3.0


@pytest.mark.parametrize("bias", [False, True])
def test_a_whole_stream_equals_scikit_learn(bias):
    X, y = normal_stream()
    theirs = scikit_learn(X, y, loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, fit_intercept=bias)
    ours = Perceptron(bias=bias).fit(csr_matrix(X), y)
    np.testing.assert_allclose(weights(ours, X.shape[1])[:, 0], theirs.coef_[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours.state()["bias"], theirs.intercept_)
    assert np.abs(theirs.coef_).max() > 1.0


def test_three_classes_by_hand():
    learner = Perceptron().expect(3)
    assert learner.learn_class([1.0, 2.0], 2).tolist() == [0.0, 0.0, 0.0]  # class 0 is the first of the best wrong
    assert weights(learner, 2, 3).tolist() == [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]]
    assert learner.learn_class([1.0, 0.0], 1).tolist() == [0.0, 0.0, 0.0]  # one class is not enough to tell
    assert weights(learner, 2, 3).tolist() == [[-1.0, 1.0, 0.0], [-2.0, 0.0, 2.0]]
    assert learner.score_classes([1.0, 1.0]).tolist() == [-3.0, 1.0, 2.0]
    assert learner.learn_class([0.0, 1.0], 2).tolist() == [-2.0, 0.0, 2.0]
    assert weights(learner, 2, 3).tolist() == [[-1.0, 1.0, 0.0], [-2.0, 0.0, 2.0]]


def test_a_stream_of_classes_equals_a_plain_loop():
    X, y = normal_stream(k=5)
    W, mistakes = np.zeros((40, 5)), 0
    for x, label in zip(X, y, strict=True):
        scores = x @ W
        wrong = max((r for r in range(5) if r != label), key=lambda r: scores[r])
        if scores[label] <= scores[wrong]:
            W[:, label] += x
            W[:, wrong] -= x
            mistakes += 1
    assert 50 < mistakes < 300
    ours = Perceptron().fit(X, y)
    np.testing.assert_allclose(weights(ours, 40, 5), W, atol=1e-12)
    assert (ours.predict(X) == (X @ W).argmax(axis=1)).all()
