"""What every learner inherits: parameters, labels, ``fit`` and ``predict``."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from iscore.learners import (
    BalancedWinnow,
    Calibrated,
    ConfidenceWeighted,
    ExtremalFeatureSelection,
    KernelNaiveBayes,
    Mira,
    ModifiedBalancedWinnow,
    OnlineLogisticRegression,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    QuantileBins,
    StandardScaled,
    SubsetNaiveBayes,
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


@pytest.mark.parametrize("kind", [PassiveAggressive, KernelNaiveBayes])
def test_other_labels_are_refused_later(kind):
    learner = kind().partial_fit(X, Y)
    with pytest.raises(ValueError, match="other than the classes"):
        learner.partial_fit(X[:1], ["new"])
    with pytest.raises(ValueError, match="since the first call"):
        learner.partial_fit(X, Y, classes=["read", "new"])
    with pytest.raises(ValueError, match="fit or partial_fit first"):
        kind().predict(X)


@pytest.mark.parametrize("kind", [PositiveWinnow, BalancedWinnow, ModifiedBalancedWinnow])
def test_negative_values_are_refused_by_learners_of_counts(kind):
    with pytest.raises(ValueError, match="Negative values"):
        kind().fit(-X, Y)


WINNOWS = (PositiveWinnow, BalancedWinnow, ModifiedBalancedWinnow)
UNUSABLE = (
    *((kind, "alpha", {"alpha": 1.0}) for kind in WINNOWS),
    *((kind, "beta", {"beta": 1.0}, {"beta": 0.0}) for kind in WINNOWS),
    *((kind, "theta", {"theta": np.nan}) for kind in WINNOWS),
    (PositiveWinnow, "positive numbers", {"theta_0": 0.0}),
    (BalancedWinnow, "positive numbers", {"theta_plus": -1.0}, {"theta_minus": 0.0}),
    (ModifiedBalancedWinnow, "positive numbers", {"theta_plus": np.inf}, {"theta_minus": 0.0}),
    (ModifiedBalancedWinnow, "margin", {"margin": -1.0}),
    (ConfidenceWeighted, "variant", {"variant": "both"}),
    (ConfidenceWeighted, "eta", {"eta": 0.5}, {"eta": 1.0}),
    (ConfidenceWeighted, "a must", {"a": 0.0}),
    (PassiveAggressive, "variant", {"variant": "PA-III"}),
    (PassiveAggressive, "C must", {"C": 0.0}, {"C": np.inf}),
    (PassiveAggressive, "relaxation", {"relaxation": -0.1}),
    (Mira, "C must", {"C": 0.0}),
    (Mira, "loss must", {"loss": [[0.0]]}, {"loss": [[0.0, -1.0], [1.0, 0.0]]}),
    (OnlineLogisticRegression, "scaling", {"scaling": "FS-4"}),
    (OnlineLogisticRegression, "zeros", {"zeros": "none"}),
    (OnlineLogisticRegression, "eta0", {"eta0": 0.0}),
    (OnlineLogisticRegression, "n_examples", {"n_examples": 0}),
    (OnlineLogisticRegression, "lam", {"lam": -0.1}),
    (OnlineLogisticRegression, "mu", {"mu": 5000.0}),
    (OnlineLogisticRegression, "nu", {"nu": np.nan}),
    (OnlineLogisticRegression, "start", {"start": (1.0, 2.0)}, {"start": (1.0, np.nan, 0.0)}),
    (partial(ExtremalFeatureSelection, PassiveAggressive()), "n_features", {"n_features": 0}),
    (partial(ExtremalFeatureSelection, PassiveAggressive()), "top_fraction", {"top_fraction": 1.1}),
    (partial(ExtremalFeatureSelection, PassiveAggressive()), "top_fraction", {"top_fraction": np.nan}),
    (QuantileBins, "n_bins", {"n_bins": 1}, {"n_first": 0}),
    (KernelNaiveBayes, "mode", {"mode": "fast"}),
    (KernelNaiveBayes, "bandwidth", {"bandwidth": "silverman"}),
    (KernelNaiveBayes, "precision", {"precision": 0.0}, {"precision": np.nan}),
    (KernelNaiveBayes, "floor", {"floor": 0.0}),
    (KernelNaiveBayes, "n_nodes", {"n_nodes": 1000}, {"n_nodes": 32}),
    (KernelNaiveBayes, "half_life", {"half_life": 0.0}),
    (SubsetNaiveBayes, "beta", {"beta": 0}),
)


@pytest.mark.parametrize(
    ("kind", "message", "parameters"),
    [(kind, message, each) for kind, message, *refused in UNUSABLE for each in refused],
)
def test_unusable_parameters_are_refused(kind, message, parameters):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).learn_one(X[0], True)


@pytest.mark.parametrize("weights", [[1.0] * 19, [-1.0] + [1.0] * 19, [np.nan] + [1.0] * 19])
def test_unusable_weights_are_refused(weights):
    for learner in (PassiveAggressive(), KernelNaiveBayes(), StandardScaled()):
        with pytest.raises(ValueError, match="weight"):
            learner.fit(X, Y, weights)
