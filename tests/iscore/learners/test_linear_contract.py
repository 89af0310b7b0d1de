"""What every linear learner promises; a new one joins by a line."""

from __future__ import annotations

import json
from functools import cache, partial

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from iscore.filtering.serialization import pack, unpack
from iscore.learners import (
    BalancedWinnow,
    ConfidenceWeighted,
    Mira,
    ModifiedBalancedWinnow,
    OnlineLogisticRegression,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    Romma,
    Voted,
)


def voted(kind, **parameters):
    """Return a maker of the averaged form of a learner."""
    return lambda **space: Voted(kind(**parameters, **space))


LINEAR = {
    "perceptron": Perceptron,
    "perceptron-with-bias": partial(Perceptron, bias=True),
    "positive-winnow": PositiveWinnow,
    "balanced-winnow": BalancedWinnow,
    "romma": Romma,
    "aggressive-romma": partial(Romma, aggressive=True),
    "aggressive-romma-with-bias": partial(Romma, aggressive=True, bias=True),
    "mira": Mira,
    "mira-with-bias": partial(Mira, bias=True, C=0.5),
    "voted-perceptron": voted(Perceptron),
    "voted-perceptron-with-bias": voted(Perceptron, bias=True),
    "voted-positive-winnow": voted(PositiveWinnow),
    "voted-balanced-winnow": voted(BalancedWinnow),
    "voted-modified-balanced-winnow": voted(ModifiedBalancedWinnow),
    "voted-passive-aggressive": voted(PassiveAggressive, bias=True),
    "voted-romma": voted(Romma, bias=True),
    "voted-aggressive-romma": voted(Romma, aggressive=True),
    "voted-mira": voted(Mira, bias=True),
    "voted-confidence-weighted": voted(ConfidenceWeighted, bias=True),
    "modified-balanced-winnow": ModifiedBalancedWinnow,
    "passive-aggressive": partial(PassiveAggressive, variant="PA", relaxation=0.1),
    "passive-aggressive-1": PassiveAggressive,
    "passive-aggressive-2": partial(PassiveAggressive, variant="PA-II"),
    "passive-aggressive-with-bias": partial(PassiveAggressive, bias=True),
    "confidence-weighted": ConfidenceWeighted,
    "confidence-weighted-with-bias": partial(ConfidenceWeighted, bias=True),
    "confidence-weighted-by-variance": partial(ConfidenceWeighted, variant="variance"),
    "logistic-regression": partial(OnlineLogisticRegression, eta0=1.0),
    "averaged-logistic-regression": partial(OnlineLogisticRegression, eta0=3.0, average=True, lam=0.1),
    "logistic-regression-by-deviation": partial(OnlineLogisticRegression, scaling="standard", zeros="absent"),
    "logistic-regression-fs": partial(OnlineLogisticRegression, scaling="FS", zeros="absent", eta0=1.0, mu=0.1),
    "logistic-regression-fs-1": partial(OnlineLogisticRegression, scaling="FS-1", zeros="absent", eta0=1.0),
    "logistic-regression-fs-2": partial(OnlineLogisticRegression, scaling="FS-2", zeros="absent", eta0=0.5),
    "logistic-regression-fs-3": partial(OnlineLogisticRegression, scaling="FS-3", zeros="absent", average=True),
}

AVERAGED = {name for name in LINEAR if name.startswith("voted")}
"""A mistake does not move these before the new hypothesis has been right."""

FEW = ["perceptron", "voted-modified-balanced-winnow", "confidence-weighted-with-bias", "averaged-logistic-regression"]
"""For what all linear learners inherit."""

N_FEATURES = 60


def stream(m, seed=0, n=N_FEATURES):
    """Return sparse rows of length 1 that are not negative, and labels that depend on them and on some chance."""
    random = np.random.default_rng(seed)
    X = random.random((m, n)) * (random.random((m, n)) < 0.2)
    X[:, 0] += 0.01
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    direction = np.random.default_rng(99).normal(size=n)
    direction -= direction.mean()
    y = X @ direction + 0.2 * random.normal(size=m) > 0.0
    return X, y


@cache
def articles(m, seed=0):
    """Return rows of 30 words out of 1,000, of length 1, where an interesting one has a few of 40 words of a topic.

    The same arrays each time, for making them takes longer than learning them: to be left as they are.
    """
    random = np.random.default_rng(seed)
    y = random.random(m) < 0.4
    X = np.zeros((m, 1000))
    for row, interesting in enumerate(y):
        X[row, random.choice(np.arange(40, 1000), 30, replace=False)] = 1.0
        X[row, random.choice(40, 4 if interesting else random.integers(2), replace=False)] = 1.0
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def learned(learner, X, y, weights=None):
    for x, interesting, weight in zip(X, y, np.ones(len(y)) if weights is None else weights, strict=True):
        learner.learn_one(x, bool(interesting), float(weight))
    return learner


def numbers(learner):
    """Return the state of the learner, or of the one that is averaged."""
    state = learner.state()
    return state.get("voted", state)


def bits(learner):
    """Return all that was learned but the parameters and the size, as bytes and text."""
    state = numbers(learner)
    return {
        name: value.tobytes() if isinstance(value, np.ndarray) else json.dumps(value)
        for name, value in state.items()
        if name not in ("parameters", "width")
    }


@pytest.fixture(params=sorted(LINEAR))
def make(request):
    return LINEAR[request.param]


@pytest.fixture(params=FEW)
def few(request):
    return LINEAR[request.param]


# Every form of input


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_form_of_input_gives_the_same_bits(make, dtype):
    X, y = stream(200)
    X = X.astype(dtype)
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


# State


@pytest.mark.parametrize("space", [{}, {"n_features": N_FEATURES}, {"grow": True}])
def test_a_restored_learner_continues_bit_for_bit(make, space):
    X, y = stream(200)
    first, second = learned(make(**space), X[:100], y[:100]), make(**space)
    second.restore(unpack(pack(first.state())))
    assert first.score_many(X).tobytes() == second.score_many(X).tobytes()
    assert first.learn_many(X[100:], y[100:]).tobytes() == second.learn_many(X[100:], y[100:]).tobytes()
    assert pack(first.state()) == pack(second.state())


def test_a_state_is_a_copy(few):
    X, y = stream(60)
    learner = few().partial_fit(X[:30], y[:30])
    state = learner.state()
    before = pack(state)
    other = few()
    other.restore(state)
    learner.partial_fit(X[30:], y[30:])
    other.learn_many(X[30:], y[30:])
    assert pack(state) == before


def test_the_state_before_any_example_round_trips(few):
    X, y = stream(30)
    assert few().state() == {}
    learner = few().partial_fit(X, y)
    learner.restore(few().state())
    assert learner.state() == {}
    assert learner.score_one(X[0]) == 0.0
    refused = few(n_features=4)
    with pytest.raises(ValueError, match="outside"):
        refused.learn_row(np.array([4], dtype=np.int32), np.ones(1), True)
    assert refused.state() == {}


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


# The space


def test_a_growing_space_takes_any_coordinate_and_ignores_unknown_ones(few):
    learner = few(grow=True)
    far = np.array([3, 2_000_000_000], dtype=np.int32)
    for _ in range(2):
        learner.learn_row(far, np.array([0.6, 0.8]), True)
        learner.learn_row(np.array([7], dtype=np.int32), np.ones(1), False)
    liked = learner.score_rows(np.array([0, 2]), far, np.array([0.6, 0.8]))[0]
    assert liked > 0.0
    with_unknown = np.array([3, 5, 2_000_000_000], dtype=np.int32)
    assert learner.score_rows(np.array([0, 3]), with_unknown, np.array([0.6, 9.0, 0.8]))[0] == liked
    assert learner.score_one(np.zeros(4)) == learner.score_one(np.zeros(400))
    assert numbers(learner)["coordinates"].tolist() == [3, 7, 2_000_000_000]


def test_a_growing_estimator_takes_longer_rows_later(few):
    X, y = stream(100)
    learner = few(grow=True).partial_fit(X[:50, :20], y[:50], classes=[False, True])
    learner.partial_fit(X[50:], y[50:])
    padded = np.hstack([X[:50, :20], np.zeros((50, N_FEATURES - 20))])
    assert bits(learner) == bits(few().fit(np.vstack([padded, X[50:]]), y))
    assert learner.decision_function(X[:, :5]).shape == (100,)


def test_many_coordinates_keep_their_numbers(few):
    """So many that the tables have to grow several times, in one call and in many."""
    random = np.random.default_rng(5)
    X = csr_matrix((random.random(30_000) + 0.1, random.permutation(100_000)[:30_000], np.arange(0, 30_001, 100)))
    X.resize(300, 100_000)
    X.sort_indices()
    y = random.random(300) < 0.5
    few, hashed, single = few(), few(n_features=100_000), few(grow=True)
    few.learn_many(X, y)
    hashed.learn_many(X, y)
    for row in range(300):
        single.learn_one(X[row], bool(y[row]))
    assert len(numbers(few)["coordinates"]) > 10_000
    assert bits(few) == bits(hashed) == bits(single)
    assert few.score_many(X).tobytes() == hashed.score_many(X).tobytes() == single.score_many(X).tobytes()


@pytest.mark.parametrize("space", [{}, {"n_features": N_FEATURES}])
def test_rows_of_another_width_are_refused(few, space):
    X, y = stream(30)
    learner = learned(few(**space), X, y)
    before = bits(learner)
    for call in (learner.score_one, lambda x: learner.learn_one(x, True)):
        with pytest.raises(ValueError, match="features"):
            call(X[0, :-1])
    for call in (learner.score_many, lambda x: learner.learn_many(x, y)):
        with pytest.raises(ValueError, match="features"):
            call(csr_matrix(X[:, :-1]))
    for odd in (-1, N_FEATURES):
        index, one = np.array([odd], dtype=np.int32), np.ones(1)
        with pytest.raises(ValueError, match="outside"):
            learner.learn_row(index, one, True)
        with pytest.raises(ValueError, match="outside"):
            learner.score_rows(np.array([0, 1]), index, one)
    assert bits(learner) == before


def test_the_size_of_the_space_must_be_known_and_possible(few):
    index, one = np.array([0], dtype=np.int32), np.ones(1)
    with pytest.raises(ValueError, match="n_features"):
        few().learn_row(index, one, True)
    for odd in (0, -3, 2**31):
        with pytest.raises(ValueError, match="n_features"):
            few(n_features=odd).learn_row(index, one, True)
    X, y = stream(10)
    with pytest.raises(ValueError, match="features"):
        few(n_features=N_FEATURES + 1).fit(X, y)


def test_arrays_that_do_not_belong_together_are_refused(few):
    X, y = stream(30)
    learner = few(n_features=N_FEATURES).partial_fit(X, y)
    three, two = np.arange(3, dtype=np.int32), np.ones(2)
    with pytest.raises(ValueError, match="coordinates"):
        learner.learn_row(three, two, True)
    for indptr in ([0, 3], [0, 2], [1, 3], [0, 4, 3], []):
        with pytest.raises(ValueError, match="indptr"):
            learner.score_rows(np.array(indptr, dtype=np.int64), three[: 2 if indptr == [0, 3] else 3], np.ones(3))
    with pytest.raises(ValueError, match="one label and one weight"):
        learner.learn_many(X, y[:-1])
    with pytest.raises(ValueError, match="shape"):
        learner.score_many(X[0])
    with pytest.raises(ValueError, match="shape"):
        learner.score_one(X[:2])
    with pytest.raises(ValueError, match="one row"):
        learner.score_one(csr_matrix(X[:2]))


# Odd values and weights


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_missing_which_is_zero(make, odd):
    X, y = stream(200)
    gaps = np.random.default_rng(4).random(X.shape) < 0.1
    with_odd, with_zero = np.where(gaps, odd, X), np.where(gaps, 0.0, X)
    ours, theirs = make(), make()
    assert ours.learn_many(with_odd, y).tolist() == theirs.learn_many(with_zero, y).tolist()
    assert bits(ours) == bits(theirs)
    if np.isnan(odd):
        assert bits(make().fit(with_odd, y)) == bits(theirs)
    else:
        with pytest.raises(ValueError, match="infinity"):
            make().fit(with_odd, y)


def test_values_of_any_size_give_finite_scores(make):
    X, y = articles(3000)
    odd = X[:200].copy()
    odd[17] = 1e300
    odd[40] = 1e-300
    odd[41] = 0.0
    odd[80, 0] = 5e-324
    odd[81] = 5e-324
    odd[90] *= 1e-160
    learner = learned(make(), odd, y[:200])
    assert np.isfinite(learner.score_many(odd)).all()
    assert np.isfinite(numbers(learner)["numbers"]).all()
    scores = learner.learn_many(X, y)[2000:]
    assert ((scores > 0.0) == y[2000:]).mean() > 0.9


def test_an_empty_row_is_an_example_too(few):
    X, y = stream(50)
    learner = few(n_features=N_FEATURES).partial_fit(X, y)
    nothing = np.empty(0, dtype=np.int32), np.empty(0)
    learner.learn_row(*nothing, True)
    score = learner.score_rows(np.array([0, 0]), *nothing)
    assert score.tolist() == [learner.score_one(np.zeros(N_FEATURES))]
    assert learner.score_rows(np.array([0]), *nothing).shape == (0,)


def test_weight_zero_changes_nothing(make):
    X, y = stream(100)
    learner = learned(make(), X, y)
    before = bits(learner)
    assert learner.learn_one(X[0], not y[0], 0.0) == learner.score_one(X[0])
    learner.learn_many(X, ~y, np.zeros(len(y)))
    assert bits(learner) == before


@pytest.mark.parametrize("name", sorted(set(LINEAR) - AVERAGED))
def test_more_weight_moves_a_score_further_or_as_far(name):
    make = LINEAR[name]
    X, y = stream(100)
    learner = learned(make(), X, y)
    after = []
    for weight in (0.0, 0.1, 0.5, 1.0, 3.0, 1e12):
        other = make()
        other.restore(learner.state())
        row = int(np.argmin(learner.score_many(X)))
        other.learn_one(X[row], True, weight)
        after.append(other.score_one(X[row]))
    if getattr(learner, "average", False):
        after = after[1:]  # a mean takes in where the parameters stand, however little the example moves them
    assert after[0] < after[1] < after[2] < after[-1]
    assert (np.diff(after) >= 0.0).all()
    assert np.isfinite(after).all()


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_an_impossible_weight_is_refused_and_changes_nothing(few, weight):
    X, y = stream(30)
    learner = learned(few(n_features=N_FEATURES), X, y)
    before = bits(learner)
    with pytest.raises(ValueError, match="weight"):
        learner.learn_one(X[0], True, weight)
    with pytest.raises(ValueError, match="weight"):
        learner.learn_many(X[:2], y[:2], [1.0, weight])
    with pytest.raises(ValueError, match="weight"):
        learner.learn_row(np.arange(2, dtype=np.int32), np.ones(2), True, weight)
    assert bits(learner) == before
