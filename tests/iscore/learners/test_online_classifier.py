"""What every learner inherits: parameters, labels, ``fit`` and ``predict``."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.learners import (
    Calibrated,
    KernelNaiveBayes,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    StandardScaled,
    Voted,
)
from iscore.learners.online_classifier import clone

X = np.array([[1.0, 0.0], [0.0, 1.0]] * 10)
Y = np.array(["read", "ignored"] * 10)


def test_parameters_are_those_of_the_constructor():
    learner = Calibrated(StandardScaled(PassiveAggressive(C=2.0)))
    assert learner.get_params(deep=False) == {"learner": learner.learner}
    assert learner.get_params()["learner__learner__C"] == 2.0
    learner.set_params(learner__learner__C=3.0)
    assert learner.learner.learner.C == 3.0
    with pytest.raises(ValueError, match="no parameter 'D'"):
        learner.set_params(learner__learner__D=3.0)


def test_a_learner_is_shown_as_the_call_that_makes_it():
    assert repr(Voted(PassiveAggressive(C=2.0))) == "Voted(learner=PassiveAggressive(C=2.0))"
    assert repr(Perceptron()) == "Perceptron()"


def test_a_clone_has_the_parameters_and_has_learned_nothing():
    learner = Voted(PassiveAggressive(C=2.0)).fit(X, Y)
    again = clone(learner)
    assert repr(again) == repr(learner)
    assert again.learner is not learner.learner
    assert again.state() == {}
    with pytest.raises(TypeError, match="get_params"):
        clone(object())


def test_labels_may_be_names():
    learner = Perceptron(bias=True).fit(X, Y)
    assert learner.classes_.tolist() == ["ignored", "read"]
    assert learner.n_features_in_ == 2
    assert learner.predict(X).tolist() == Y.tolist()
    assert learner.score(X, Y) == 1.0
    assert learner.score(X, ["read"] * 20, sample_weight=[3.0, 1.0] * 10) == 0.75


def test_fit_forgets_and_partial_fit_does_not():
    learner = Perceptron().fit(X, Y)
    state = learner.state()
    assert learner.fit(X, Y).state()["seen"].tolist() == state["seen"].tolist()
    assert learner.partial_fit(X[:3], Y[:3]).state()["seen"].tolist() == [11, 12]


def test_partial_fit_continues_from_a_restored_state():
    learned = Perceptron().fit(X, Y)
    restored = Perceptron()
    restored.restore(learned.state())
    assert restored.partial_fit(X, Y).state()["seen"].tolist() == [20, 20]


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (X, ["read"] * 20, "only one class"),
        (X, list(range(20)), "Only binary"),
        (X, np.linspace(0.0, 1.5, 20), "Unknown label type"),
        (X, Y[:-1], "one label"),
        (X[0], Y[:2], "matrix"),
        (X[:0], Y[:0], "matrix"),
        (np.where(X > 0.5, np.inf, X), Y, "infinity"),
    ],
)
@pytest.mark.parametrize("kind", [PassiveAggressive, KernelNaiveBayes])
def test_unusable_data_is_refused(kind, rows, labels, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(rows, labels)


def test_other_labels_are_refused_later():
    learner = PassiveAggressive().partial_fit(X, Y)
    with pytest.raises(ValueError, match="other than the classes"):
        learner.partial_fit(X[:1], ["new"])
    with pytest.raises(ValueError, match="since the first call"):
        learner.partial_fit(X, Y, classes=["read", "new"])
    with pytest.raises(ValueError, match="fit or partial_fit first"):
        PassiveAggressive().predict(X)


def test_negative_values_are_refused_by_learners_of_counts():
    with pytest.raises(ValueError, match="Negative"):
        PositiveWinnow().fit(-X, Y)


@pytest.mark.parametrize("weights", [[1.0] * 19, [-1.0] + [1.0] * 19, [np.nan] + [1.0] * 19])
def test_unusable_weights_are_refused(weights):
    for learner in (PassiveAggressive(), KernelNaiveBayes(), StandardScaled()):
        with pytest.raises(ValueError, match="weight"):
            learner.fit(X, Y, weights)
