"""Log-odds of linear learners over words: sparse rows, one by one and many, in spaces of any size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.special import expit

from iscore.filtering.serialization import pack
from iscore.learners import (
    Calibrated,
    ExtremalFeatureSelection,
    ModifiedBalancedWinnow,
    Perceptron,
    PositiveWinnow,
    StandardScaled,
)
from iscore.learners.ensemble.calibrated import slope_and_shift
from tests.iscore.learners.linear_learners import LINEAR, articles

NAMES = (
    *("voted-perceptron", "positive-winnow", "modified-balanced-winnow", "voted-modified-balanced-winnow"),
    *("passive-aggressive-with-bias", "confidence-weighted", "logistic-regression"),
)
WORDS = 1000


@pytest.fixture(params=NAMES)
def make(request):
    return lambda **space: Calibrated(LINEAR[request.param](**space))


def texts(m, seed=0):
    """Return the same rows as an array."""
    X, y = articles(m, seed)
    return X.toarray(), y


def weights(m):
    """Return weights from 0 to 2 in turns."""
    return np.arange(m) % 5 * 0.5


def test_dense_and_sparse_rows_and_batches_and_single_examples_give_the_same_bits(make):
    X, y = texts(200)
    trained = []
    for rows in (X, csr_matrix(X), csr_array(X)):
        learner = make()
        scores = learner.learn_many(rows, y, weights(len(y)))
        trained.append((scores.tobytes(), pack(learner.state()), learner.score_many(rows).tobytes()))
    for rows in (X, csr_matrix(X)):
        learner = make()
        singly = [learner.learn_one(rows[i], bool(y[i]), float(weights(len(y))[i])) for i in range(len(y))]
        judged = np.array([learner.score_one(rows[i]) for i in range(len(y))])
        trained.append((np.array(singly).tobytes(), pack(learner.state()), judged.tobytes()))
    assert len(set(trained)) == 1
    assert np.frombuffer(trained[0][0])[100:].any()


def test_fit_learns_sparse_rows_as_learn_one_does(make):
    X, y = texts(300)
    sparse = csr_matrix(X)
    by_verbs = make()
    by_verbs.learn_many(X, y)
    fitted = make().fit(sparse, np.where(y, "read", "ignored"))
    parts = make().partial_fit(sparse[:90], y[:90], classes=[False, True]).partial_fit(sparse[90:], y[90:])
    assert pack(fitted.state()) == pack(parts.state()) == pack(by_verbs.state())
    assert fitted.decision_function(sparse).tolist() == by_verbs.score_many(X).tolist()
    posterior = fitted.predict_proba(sparse)
    np.testing.assert_allclose(posterior[:, 1], expit(by_verbs.score_many(X)), rtol=1e-14)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
    assert fitted.predict(sparse).tolist() == np.where(posterior[:, 1] > 0.5, "read", "ignored").tolist()


def test_learning_returns_the_score_just_before(make):
    X, y = texts(60)
    learner = make()
    for row, interesting in zip(X, y, strict=True):
        before = learner.score_one(row)
        assert learner.learn_one(row, bool(interesting)) == before


def test_sparse_rows_are_left_as_they_were(make):
    X, y = texts(60)
    sparse = csr_matrix(X)
    before = sparse.data.copy(), sparse.indices.copy(), sparse.indptr.copy()
    make().fit(sparse, y).predict_proba(sparse)
    for array, was in zip((sparse.data, sparse.indices, sparse.indptr), before, strict=True):
        assert array.tobytes() == was.tobytes()


def test_the_learner_within_is_not_affected_by_the_calibration(make):
    X, y = texts(200)
    learner = make()
    learner.learn_many(csr_matrix(X), y)
    alone = learner.learner
    margins = alone.learn_many(csr_matrix(X), y)
    assert pack(learner.state()["learner"]) == pack(alone.state())
    slope, shift = slope_and_shift(learner._line)
    assert slope > 0.0
    np.testing.assert_array_equal(learner.score_many(X), slope * alone.score_many(X) + shift)
    assert margins.any()


@pytest.mark.parametrize("name", NAMES)
def test_posteriors_of_texts_are_calibrated(name):
    """Of texts, a tenth of them noise, that are called likely at p, about p are interesting."""
    X, y = articles(6000, noise=0.1)
    scores = Calibrated(LINEAR[name]()).learn_many(X, y)[1000:]
    raw = LINEAR[name]().learn_many(X, y)[1000:]
    truth = y[1000:]

    def loss(odds):
        posterior = np.clip(expit(odds), 1e-12, 1.0 - 1e-12)
        return -np.log(np.where(truth, posterior, 1.0 - posterior)).mean()

    chance = -np.log(np.where(truth, truth.mean(), 1.0 - truth.mean())).mean()
    assert loss(scores) < chance
    assert loss(scores) < loss(raw) + 0.01
    for low in (0.0, 0.25, 0.5, 0.75):
        among = (expit(scores) >= low) & (expit(scores) < low + 0.25)
        if among.sum() > 100:
            assert abs(truth[among].mean() - expit(scores)[among].mean()) < 0.2


def test_a_growing_space_takes_longer_rows_later(make):
    X, y = texts(200)
    sparse = csr_matrix(X)
    narrow = sparse[:100, :500].tocsr()
    learner = make(grow=True).partial_fit(narrow, y[:100], classes=[False, True]).partial_fit(sparse[100:], y[100:])
    padded = csr_matrix((narrow.data, narrow.indices, narrow.indptr), shape=(100, WORDS))
    whole = make(grow=True).fit(np.vstack([padded.toarray(), X[100:]]), y)
    assert pack(learner.state()) == pack(whole.state())
    posterior = learner.predict_proba(sparse[:, :7])[:, 1]
    np.testing.assert_allclose(posterior, expit(learner.score_many(sparse[:, :7])), rtol=1e-14)


def test_rows_of_another_width_are_refused(make):
    X, y = texts(60)
    learner = make().fit(csr_matrix(X), y)
    for verb in (learner.predict_proba, learner.score_many, lambda rows: learner.partial_fit(rows, y)):
        with pytest.raises(ValueError, match="features"):
            verb(csr_matrix(X[:, :-1]))


def test_an_impossible_weight_is_refused_and_changes_nothing(make):
    X, y = texts(60)
    learner = make().fit(csr_matrix(X), y)
    before = pack(learner.state())
    for odd in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="weight"):
            learner.learn_many(csr_matrix(X[:2]), y[:2], [1.0, odd])
    with pytest.raises(ValueError, match="label"):
        learner.learn_many(csr_matrix(X[:2]), y[:3])
    assert pack(learner.state()) == before


def test_what_the_learner_refuses_is_refused():
    X, y = texts(60)
    with pytest.raises(ValueError, match="Negative"):
        Calibrated(PositiveWinnow()).fit(csr_matrix(-X), y)
    with pytest.raises(ValueError, match="sparse"):
        Calibrated(StandardScaled()).fit(csr_matrix(X), y)


def test_selected_words_get_probabilities_too():
    X, y = articles(1500)
    learner = Calibrated(ExtremalFeatureSelection(ModifiedBalancedWinnow(), n_features=200)).fit(X, y)
    assert ((learner.predict_proba(X)[:, 1] > 0.5) == y).mean() > 0.9


def test_what_is_accepted_is_what_the_learner_accepts():
    assert Calibrated(PositiveWinnow(grow=True)).accepts == (True, False, True, False)
    assert Calibrated(Perceptron()).accepts == (True, True, False, False)
    assert not Calibrated().accepts.sparse
