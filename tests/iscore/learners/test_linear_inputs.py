"""What every linear learner does with wide, growing and odd inputs and weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from tests.iscore.learners.linear_learners import (
    AVERAGED,
    FEW,
    LINEAR,
    N_FEATURES,
    articles,
    bits,
    learned,
    numbers,
    stream,
)


@pytest.fixture(params=sorted(LINEAR))
def make(request):
    return LINEAR[request.param]


@pytest.fixture(params=FEW)
def few(request):
    return LINEAR[request.param]


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
    """Enough that the tables have to grow several times, in one call and in many."""
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


def test_what_is_not_finite_is_missing_which_is_zero(make):
    X, y = stream(200)
    random = np.random.default_rng(4)
    gaps, kinds = random.random(X.shape) < 0.1, random.choice([np.nan, np.inf, -np.inf], X.shape)
    ours, theirs = make(), make()
    without = theirs.learn_many(np.where(gaps, 0.0, X), y)
    assert ours.learn_many(np.where(gaps, kinds, X), y).tolist() == without.tolist()
    assert bits(ours) == bits(theirs)


def test_fitting_takes_missing_values_and_refuses_infinite_ones(few):
    X, y = stream(200)
    gaps = np.random.default_rng(4).random(X.shape) < 0.1
    assert bits(few().fit(np.where(gaps, np.nan, X), y)) == bits(few().fit(np.where(gaps, 0.0, X), y))
    for odd in (np.inf, -np.inf):
        with pytest.raises(ValueError, match="infinity"):
            few().fit(np.where(gaps, odd, X), y)


def test_values_of_any_size_give_finite_scores(make):
    X, y = articles(3000)
    odd = X[:200].toarray()
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
