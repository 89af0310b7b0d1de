"""Extremal Feature Selection: what stays in the model, and that learning goes on after it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore.filtering.serialization import pack, unpack
from iscore.learners import (
    ConfidenceWeighted,
    ExtremalFeatureSelection,
    ModifiedBalancedWinnow,
    OnlineLogisticRegression,
    PassiveAggressive,
    Perceptron,
    Voted,
)
from iscore.learners.online_classifier import clone

LEARNERS = [
    ModifiedBalancedWinnow(),
    ModifiedBalancedWinnow(n_features=40),
    ModifiedBalancedWinnow(grow=True),
    PassiveAggressive(),
    PassiveAggressive(n_features=40, bias=True),
    ConfidenceWeighted(grow=True),
    OnlineLogisticRegression(average=True, lam=0.1),
    Voted(ModifiedBalancedWinnow()),
    Voted(Perceptron(n_features=40)),
    OnlineLogisticRegression(scaling="standard"),
    OnlineLogisticRegression(scaling="FS-3", zeros="absent", grow=True),
]


def stream(m=300, n=40, seed=0):
    """Return counts of words, and labels that the first words tell of; the last word is in every text."""
    random = np.random.default_rng(seed)
    y = random.random(m) < 0.5
    X = random.poisson(0.25, size=(m, n)).astype(float)
    X[:, :8] += (y[:, np.newaxis] == (np.arange(8) % 2 == 0)) * random.poisson(0.7, size=(m, 8))
    X[:, -1] = 1.0
    return X, y


@pytest.fixture(params=LEARNERS, ids=lambda learner: repr(learner).replace("\n", ""))
def learner(request):
    return clone(request.param)


@pytest.mark.parametrize(
    ("K", "P", "expected"),
    [
        # |u - v|: 1: 0.5, 3: 4, 4: 2, 6: 2, 8: 0.1
        (2, 1.0, [3, 4]),
        (2, 0.5, [3, 8]),
        (2, 0.0, [1, 8]),
        (3, 0.9, [3, 4, 6]),
        (3, 0.5, [3, 4, 8]),
        (1, 0.9, [3]),
        (5, 0.5, [1, 3, 4, 6, 8]),
        (9, 0.1, [1, 3, 4, 6, 8]),
    ],
)
def test_which_features_stay_by_hand(K, P, expected):
    selection = ExtremalFeatureSelection(ModifiedBalancedWinnow(n_features=10), K, P)
    selection.learn_row(np.array([1, 3, 4, 6, 8], dtype=np.int32), np.ones(5), True)
    selection.learn_row(np.array([1], dtype=np.int32), np.ones(1), False)
    state = selection.state()
    state["numbers"] = np.array([[1.0, 0.5], [1.0, 5.0], [3.0, 1.0], [1.0, 3.0], [2.0, 1.9]])
    selection.restore(state)
    assert selection.select().tolist() == expected
    after = selection.state()
    assert after["coordinates"].tolist() == expected
    assert after["numbers"].tolist() == [
        state["numbers"][[1, 3, 4, 6, 8].index(coordinate)].tolist() for coordinate in expected
    ]
    assert after["bias"].tolist() == state["bias"].tolist()
    assert selection.select().tolist() == expected


def test_importances_are_the_sizes_of_the_weights(learner):
    X, y = stream()
    assert learner.importances()[0].tolist() == []
    learner.learn_many(X, y)
    coordinates, importances = learner.importances()
    assert coordinates.tolist() == list(range(40))
    explained = learner.explain_one(X[0])
    assert np.argsort(-importances, kind="stable").tolist() == np.argsort(explained.ranks).tolist()
    assert (importances >= 0.0).all()
    assert importances[:8].mean() > 2.0 * importances[8:-1].mean()


def test_what_is_dropped_adds_nothing_to_scores(learner):
    X, y = stream()
    selection = ExtremalFeatureSelection(learner, 10, 0.8)
    selection.learn_many(X, y)
    importances = dict(zip(*selection.learner_.importances(), strict=True))
    kept = selection.select()
    assert len(kept) == 10
    ranked = sorted(importances, key=lambda j: (-importances[j], j))
    assert set(kept) == {*ranked[:8], *ranked[-2:]}
    dropped = np.setdiff1d(np.arange(40), kept)
    contributions = selection.explain_one(X[3]).contributions
    assert contributions[dropped].tolist() == [0.0] * 30
    without = X.copy()
    without[:, dropped] = 0.0
    assert selection.score_many(without).tolist() == selection.score_many(csr_matrix(X)).tolist()
    assert np.ptp(selection.score_many(X)) > 0.1


def test_learning_continues_and_brings_features_back(learner):
    X, y = stream(900)
    selection, plain = ExtremalFeatureSelection(learner, 6), clone(learner)
    selection.learn_many(X[:300], y[:300])
    selection.select()
    assert len(selection.learner_.importances()[0]) == 6
    # Dense or sparse, one by one or all at once.
    for row in range(300, 500):
        selection.learn_one(X[row], bool(y[row]))
    selection.learn_many(csr_matrix(X[500:]), y[500:])
    assert len(selection.learner_.importances()[0]) > 6
    assert len(set(selection.select()) & set(range(8))) >= 4
    scores = selection.score_many(X)
    plain.learn_many(X, y)
    assert ((scores > 0.0) == y).mean() > 0.7
    assert ((plain.score_many(X) > 0.0) == y).mean() > 0.7


def test_fitting_selects_and_does_not_change_the_given_learner(learner):
    X, y = stream()
    selection = ExtremalFeatureSelection(learner, 10).fit(csr_matrix(X), y)
    assert len(selection.learner_.importances()[0]) == 10
    assert learner.importances()[0].tolist() == []
    assert selection.predict(X).tolist() == (selection.decision_function(X) > 0.0).tolist()
    in_parts = ExtremalFeatureSelection(learner, 10).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert len(in_parts.learner_.importances()[0]) > 10
    in_parts.select()
    assert in_parts.decision_function(X).tolist() == selection.decision_function(X).tolist()
    assert hasattr(selection, "predict_proba") == isinstance(learner, OnlineLogisticRegression)


def test_a_restored_selection_goes_on_bit_for_bit(learner):
    X, y = stream()
    first, second = ExtremalFeatureSelection(learner, 10), ExtremalFeatureSelection(learner, 10)
    assert second.state() == {}
    first.learn_many(X[:200], y[:200])
    first.select()
    second.restore(unpack(pack(first.state())))
    assert second.score_many(X).tolist() == first.score_many(X).tolist()
    assert second.learn_many(X[200:], y[200:]).tolist() == first.learn_many(X[200:], y[200:]).tolist()
    assert second.select().tolist() == first.select().tolist()
    assert pack(second.state()) == pack(first.state())


def test_hashed_rows_are_selected_too():
    X, y = stream()
    matrix = csr_matrix(X)
    dense = ExtremalFeatureSelection(ModifiedBalancedWinnow(), 12).fit(X, y)
    hashed = ExtremalFeatureSelection(ModifiedBalancedWinnow(n_features=2**31 - 1), 12)
    words = (np.arange(40) * 50_000_003 + 7).astype(np.int32)
    for row, liked in enumerate(y):
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        hashed.learn_row(words[matrix.indices[span]], matrix.data[span], bool(liked))
    assert hashed.select().tolist() == words[dense.state()["coordinates"]].tolist()
    scores = hashed.score_rows(matrix.indptr, words[matrix.indices], matrix.data)
    assert scores.tolist() == dense.decision_function(X).tolist()


@pytest.mark.parametrize("learner", [Perceptron(), Voted(Perceptron())])
def test_more_than_two_classes_are_refused(learner):
    X, _ = stream(30)
    with pytest.raises(ValueError, match="3 classes"):
        ExtremalFeatureSelection(clone(learner), 10).fit(X, np.arange(30) % 3)
