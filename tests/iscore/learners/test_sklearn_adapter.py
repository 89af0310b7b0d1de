"""``as_estimator``: scikit-learn's own checks, and its tools."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore import learners
from iscore.learners import (
    LEARNERS,
    Calibrated,
    ConfidenceWeighted,
    ExtremalFeatureSelection,
    ModifiedBalancedWinnow,
    OnlineLogisticRegression,
    PassiveAggressive,
    Perceptron,
    Voted,
    WeightedNaiveBayes,
    chi_square,
    information_gain,
)

KINDS = [getattr(learners, name) for name in learners.__all__ if name != "Learner"]
UNUSUAL = {
    ExtremalFeatureSelection: partial(ExtremalFeatureSelection, PassiveAggressive(), 100),
    OnlineLogisticRegression: partial(OnlineLogisticRegression, scaling="standard"),
}
ONE_OF_EACH = [UNUSUAL.get(kind, kind)() for kind in KINDS if hasattr(kind, "learn_one")]

FEW = (Calibrated, PassiveAggressive, WeightedNaiveBayes)
"""One that wraps another, a linear one and one for features; the checks are of the adapter, which all share."""

TEXTS = ["grain and corn", "corn harvest", "shares and bonds", "bonds fall", "wheat and corn", "shares rise"] * 10
LABELS = np.array(["farm", "farm", "money", "money", "farm", "money"] * 10)


@pytest.mark.parametrize(
    "learner",
    [
        pytest.param(each, marks=[pytest.mark.long] * (type(each) not in FEW), id=type(each).__name__)
        for each in ONE_OF_EACH
    ],
)
def test_scikit_learn_accepts_it(learner):
    expected = learners.EXPECTED_FAILED_CHECKS.get(type(learner).__name__, {})
    checks = [each for each in checks_of(learner) if not makes_readonly(each[1])]
    failed, ran = run(checks)
    assert set(failed) == set(expected), failed
    assert ran > 40
    assert all(len(reason) > 20 for reason in expected.values())


@pytest.mark.long
@pytest.mark.parametrize("learner", ONE_OF_EACH, ids=lambda learner: type(learner).__name__)
def test_scikit_learn_accepts_a_state_that_cannot_be_written(learner):
    """To numba its arrays are of other types, for which kernels are compiled again."""
    failed, ran = run([each for each in checks_of(learner) if makes_readonly(each[1])])
    assert (failed, ran) == ({}, 1)


def checks_of(learner):
    from sklearn.utils.estimator_checks import estimator_checks_generator

    return estimator_checks_generator(learners.as_estimator(learner))


def makes_readonly(check):
    return check.keywords.get("readonly_memmap", False) and check.func.__name__ == "check_estimators_pickle"


def run(checks):
    """Return what failed by the names of the checks, and how many passed."""
    failed, ran = {}, 0
    # Checks of optional companions, such as pandas, skip themselves when those are not installed.
    for estimator, check in checks:
        try:
            check(estimator)
            ran += 1
        except Exception as error:
            if type(error).__name__ != "SkipTest":
                failed[check.func.__name__] = error
    return failed, ran


def test_values_that_cannot_be_written_are_copied():
    """No kernel has to be compiled for them."""
    rows = np.eye(4)
    rows.flags.writeable = False
    estimator = learners.as_estimator(ConfidenceWeighted()).fit(rows, [0, 1, 0, 1])
    assert estimator._scorable(rows).flags.writeable


def test_expected_failures_are_of_known_learners():
    assert len(ONE_OF_EACH) >= 18
    assert set(learners.EXPECTED_FAILED_CHECKS) <= {type(learner).__name__ for learner in ONE_OF_EACH}


def test_a_pipeline_over_texts_is_cross_validated():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(CountVectorizer(), learners.as_estimator(Calibrated(ModifiedBalancedWinnow())))
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=3).tolist() == [1.0, 1.0, 1.0]
    probabilities = pipeline.fit(TEXTS, LABELS).predict_proba(["wheat harvest", "bonds rise"])
    assert probabilities.argmax(axis=1).tolist() == [0, 1]


def test_parameters_of_the_learner_are_searched():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import GridSearchCV

    X = CountVectorizer().fit_transform(TEXTS).astype(float)
    search = GridSearchCV(learners.as_estimator(Voted(PassiveAggressive())), {"learner__learner__C": [1e-9, 1.0]}, cv=3)
    best = search.fit(X, LABELS).best_estimator_
    assert best.learner_.get_params()["learner__C"] == search.best_params_["learner__learner__C"]
    assert best.score(X, LABELS) == 1.0


@pytest.mark.parametrize("score", [information_gain, chi_square])
def test_features_are_selected_by_scores_of_presence(score):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.feature_selection import SelectKBest

    X = CountVectorizer().fit_transform(TEXTS)
    chosen = SelectKBest(score, k=3).fit(X, LABELS).get_support(indices=True)
    scores = score(X, LABELS)
    assert min(scores[chosen]) >= max(np.delete(scores, chosen))


def test_a_clone_has_learned_nothing_and_the_learner_given_stays_as_it_is():
    from sklearn.base import clone
    from sklearn.feature_extraction.text import CountVectorizer

    X = csr_matrix(CountVectorizer().fit_transform(TEXTS), dtype=float)
    given = Perceptron(bias=True)
    estimator = learners.as_estimator(given).fit(X, LABELS)
    again = clone(estimator)
    assert given.state() == {}
    assert not hasattr(again, "learner_")
    assert again.learner.get_params() == given.get_params()
    expected = Perceptron(bias=True).fit(X, LABELS)
    assert estimator.decision_function(X).tolist() == expected.decision_function(X).tolist()
    parts = again.partial_fit(X[:7], LABELS[:7]).partial_fit(X[7:], LABELS[7:])
    assert parts.predict(X).tolist() == expected.predict(X).tolist()


def test_probabilities_are_there_where_the_learner_has_them():
    assert not hasattr(learners.as_estimator(Perceptron()), "predict_proba")
    assert hasattr(learners.as_estimator(LEARNERS["passive-aggressive"]()), "predict_proba")
