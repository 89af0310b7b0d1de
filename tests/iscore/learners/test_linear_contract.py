"""What every linear learner promises: forms of input, no change by scoring, state.

Beside ``test_contract``, which every learner passes. ``linear_learners`` has them; ``test_linear_inputs`` has odd
inputs and weights.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from iscore.filtering.serialization import pack, unpack
from iscore.learners import ConfidenceWeighted, PassiveAggressive, Perceptron, Romma
from tests.iscore.learners.linear_learners import (
    FEW,
    LINEAR,
    N_FEATURES,
    articles,
    bits,
    learned,
    normal_stream,
    numbers,
    stream,
)


@pytest.fixture(params=sorted(LINEAR))
def make(request):
    return LINEAR[request.param]


@pytest.fixture(params=FEW)
def few(request):
    return LINEAR[request.param]


# Every form of input


def test_every_form_of_input_gives_the_same_bits(make):
    check_every_form_of_input(make, *stream(200))


@pytest.mark.long
def test_every_form_of_input_of_single_precision_gives_the_same_bits(few):
    X, y = stream(200)
    check_every_form_of_input(few, X.astype(np.float32), y)


def check_every_form_of_input(make, X, y):
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.5], size=len(y))
    sparse = csr_matrix(X)
    one_by_one = learned(make(), X, y, weights)
    sparse_rows = make()
    for row in range(len(y)):
        sparse_rows.learn_one(sparse[row], bool(y[row]), float(weights[row]))
    dense_batch, sparse_batch = make(), make()
    dense_batch.learn_many(X, y, weights)
    sparse_batch.learn_many(sparse, y, weights)
    hashed, growing = make(n_features=N_FEATURES), make(grow=True)
    for row in range(len(y)):
        span = slice(sparse.indptr[row], sparse.indptr[row + 1])
        for learner in (hashed, growing):
            learner.learn_row(sparse.indices[span], sparse.data[span], bool(y[row]), float(weights[row]))
    fitted = make().fit(sparse, y, weights)
    in_parts = make().partial_fit(X[:70], y[:70], classes=[False, True], sample_weight=weights[:70])
    in_parts.partial_fit(csr_array(X[70:]), y[70:], sample_weight=weights[70:])
    growing_dense = learned(make(grow=True), X, y, weights)

    expected, scores = bits(one_by_one), one_by_one.score_many(X)
    arrays = (sparse.indptr.astype(np.int64), sparse.indices, sparse.data)
    others = (sparse_rows, dense_batch, sparse_batch, hashed, growing, fitted, in_parts, growing_dense)
    for learner in others:
        assert bits(learner) == expected
        for again in (learner.score_many(X), learner.score_many(sparse), learner.score_rows(*arrays)):
            assert again.tobytes() == scores.tobytes()
    assert [one_by_one.score_one(x) for x in X] == scores.tolist()
    assert [one_by_one.score_one(sparse[row]) for row in range(len(y))] == scores.tolist()
    assert fitted.decision_function(sparse).tobytes() == scores.tobytes()
    assert fitted.predict(X).tolist() == (scores > 0.0).tolist()
    assert np.ptp(scores) > 0.5


def test_learning_returns_the_score_just_before(few):
    X, y = stream(120)
    learner, other = few(), few()
    before = []
    for x, interesting in zip(X, y, strict=True):
        before.append(learner.score_one(x))
        assert learner.learn_one(x, bool(interesting)) == before[-1]
    assert other.learn_many(X, y).tolist() == before
    assert other.learn_many(X, y).tolist() == learner.learn_many(csr_matrix(X), y).tolist()


def csr(X):
    matrix = csr_matrix(X)
    return matrix.indptr.astype(np.int64), matrix.indices, matrix.data


def test_rows_learned_together_are_learned_one_by_one(few):
    X, y = stream(80)
    weights = np.random.default_rng(3).choice([0.5, 1.0, 2.5], size=len(y))
    indptr, indices, data = csr(X)
    one_by_one, together = few(n_features=N_FEATURES), few(n_features=N_FEATURES)
    before = np.empty(len(y))
    for row in range(len(y)):
        span = slice(indptr[row], indptr[row + 1])
        before[row] = one_by_one.score_rows(indptr[row : row + 2] - indptr[row], indices[span], data[span])[0]
        one_by_one.learn_row(indices[span], data[span], bool(y[row]), float(weights[row]))
    scored = together.learn_rows(indptr[:41], indices[: indptr[40]], data[: indptr[40]], y[:40], weights[:40])
    rest = indptr[40:] - indptr[40], indices[indptr[40] :], data[indptr[40] :]
    scored = np.concatenate([scored, together.learn_rows(*rest, y[40:], weights[40:])])
    assert scored.tobytes() == before.tobytes()
    assert bits(together) == bits(one_by_one)


def test_parts_of_a_row_score_by_themselves_before_it_is_learned(few):
    X, y = stream(60)
    weights = np.random.default_rng(3).choice([0.5, 1.0], size=len(y))
    indptr, indices, data = csr(X)
    one_by_one, together = few(n_features=N_FEATURES), few(n_features=N_FEATURES)
    middle = (indptr[:-1] + indptr[1:]) // 2
    ends = np.append(np.column_stack([indptr[:-1], middle]).ravel(), indptr[-1])
    expected = np.empty((len(y), 3))
    for row in range(len(y)):
        first, between, last = indptr[row], middle[row], indptr[row + 1]
        bounds = np.array((first, between, last, last)) - first
        expected[row] = one_by_one.score_rows(bounds, indices[first:last], data[first:last])
        one_by_one.learn_row(indices[first:last], data[first:last], bool(y[row]), float(weights[row]))
    assert together.learn_parts(ends, indices, data, y, weights).tobytes() == expected.tobytes()
    assert bits(together) == bits(one_by_one)
    with pytest.raises(ValueError, match="cannot make"):
        together.learn_parts(ends[:-1], indices[: ends[-2]], data[: ends[-2]], y, weights)


@pytest.mark.parametrize("size", [N_FEATURES, 2**20])
def test_rows_of_a_vocabulary_score_as_they_are(few, size):
    X, y = stream(80)
    learner = few(n_features=size)
    indptr, indices, data = csr(X)
    vocabulary, places = np.unique(indices, return_inverse=True)
    places = places.astype(np.int32)
    assert not learner.score_words(vocabulary, indptr, places, data).any(), "nothing is learned yet"
    learner.learn_rows(indptr[:41], indices[: indptr[40]], data[: indptr[40]], y[:40], np.ones(40))
    scores = learner.score_words(vocabulary, indptr, places, data)
    assert scores.tobytes() == learner.score_rows(indptr, indices, data).tobytes()
    assert np.ptp(scores) > 0.1
    with pytest.raises(ValueError, match="of the vocabulary"):
        learner.score_words(vocabulary[:-1], indptr, places, data)


def test_it_classifies_well(make):
    X, y = articles(2000)
    scores = make().learn_many(X, y)[1000:]
    assert ((scores > 0.0) == y[1000:]).mean() > 0.9


def test_a_matrix_that_is_not_canonical_is_read_right_and_left_as_it_was(few):
    X, y = stream(60)
    canonical = csr_matrix(X)
    indices, data = canonical.indices.copy(), canonical.data.copy()
    for begin, end in zip(canonical.indptr, canonical.indptr[1:], strict=False):
        indices[begin:end], data[begin:end] = indices[begin:end][::-1].copy(), data[begin:end][::-1].copy()
    reversed_ = csr_matrix((data, indices, canonical.indptr), X.shape)
    halves = csr_matrix((np.repeat(data / 2, 2), np.repeat(indices, 2), 2 * canonical.indptr), X.shape)
    expected = bits(few().fit(canonical, y))
    for other in (reversed_, halves):
        before = other.indices.copy(), other.data.copy()
        assert bits(few().fit(other, y)) == expected
        assert (other.indices == before[0]).all()
        assert (other.data == before[1]).all()


# Before, and without change


def test_scores_are_neutral_before_both_classes_are_seen(make):
    X, _ = stream(20)
    learner = make()
    assert learner.score_one(X[0]) == 0.0
    assert learner.learn_many(X[:5], np.ones(5, dtype=bool)).tolist() == [0.0] * 5
    learner.learn_one(X[6], False, 0.0)
    assert learner.score_many(X).tolist() == [0.0] * 20
    learner.learn_one(X[7], False)
    assert (learner.score_many(X) != 0.0).all()


def test_scoring_changes_nothing_and_inputs_stay(few):
    X, y = stream(60)
    sparse = csr_matrix(X)
    rows = X.copy(), sparse.data.copy(), sparse.indices.copy()
    learner = few(n_features=N_FEATURES).partial_fit(X, y)
    before = bits(learner)
    learner.score_many(X)
    learner.score_one(sparse[3])
    learner.score_rows(sparse.indptr.astype(np.int64), sparse.indices, sparse.data)
    learner.predict(sparse)
    assert bits(learner) == before
    learner.partial_fit(sparse, y)
    assert X.tobytes() == rows[0].tobytes()
    assert sparse.data.tobytes() == rows[1].tobytes()
    assert sparse.indices.tobytes() == rows[2].tobytes()


@pytest.mark.parametrize("kind", [ConfidenceWeighted, PassiveAggressive, Romma, Perceptron])
def test_the_bias_is_a_feature_that_is_always_one(kind):
    X, y = normal_stream(100)
    with_ones = np.hstack([np.ones((len(X), 1)), X])
    ours, by_hand = kind(bias=True).fit(X, y), kind().fit(with_ones, y)
    np.testing.assert_allclose(ours.score_many(X), by_hand.score_many(with_ones))
    assert ours.state()["bias"][0] != 0.0


# State


def test_a_restored_learner_continues_bit_for_bit(make):
    X, y = stream(200)
    for space in ({}, {"n_features": N_FEATURES}, {"grow": True}):
        first, second = learned(make(**space), X[:100], y[:100]), make(**space)
        second.restore(unpack(pack(first.state())))
        assert first.score_many(X).tobytes() == second.score_many(X).tobytes()
        assert first.learn_many(X[100:], y[100:]).tobytes() == second.learn_many(X[100:], y[100:]).tobytes()
        assert pack(first.state()) == pack(second.state())


def test_a_refused_first_example_leaves_no_state(few):
    learner = few(n_features=4)
    with pytest.raises(ValueError, match="outside"):
        learner.learn_row(np.array([4], dtype=np.int32), np.ones(1), True)
    assert learner.state() == few().state() == {}


def test_the_state_holds_touched_coordinates_only(few):
    random = np.random.default_rng(1)
    learner = few(n_features=2**20)
    words = random.permutation(2**20)[:3000].astype(np.int32)
    for _ in range(400):
        indices = np.sort(random.choice(words, 50, replace=False))
        learner.learn_row(indices, np.full(50, 50**-0.5), bool(random.random() < 0.5))
    state = numbers(learner)
    assert 1000 < len(state["coordinates"]) <= 3000
    assert (np.diff(state["coordinates"]) > 0).all()
    assert np.isin(state["coordinates"], words).all()
    assert state["numbers"].any(axis=1).all()
    assert len(pack(state)) < 40 * 3000


def test_a_state_of_other_parameters_is_refused(few):
    X, y = stream(30)
    state = few(n_features=N_FEATURES).partial_fit(X, y).state()
    with pytest.raises(ValueError, match="the state is of"):
        few(n_features=N_FEATURES + 1).restore(state)
