"""Online logistic regression: the equations as plain loops, scikit-learn's, zeros, and what may go wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore.filtering.serialization import pack, unpack
from iscore.learners import OnlineLogisticRegression
from tests.iscore.learners.linear.logistic import (
    ALPHA,
    SCALINGS,
    SUPERVISED,
    W,
    parameters,
    plain,
    sigmoid,
    stream,
)
from tests.iscore.learners.linear_learners import scikit_learn

# Whole streams


@pytest.mark.parametrize("zeros", ["values", "absent"])
@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("strength", [1.0, 100.0])
def test_a_whole_stream_equals_the_plain_loop(scaling, zeros, strength):
    """With the strong regularisation factors become small every few examples."""
    X, y = stream(150)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    start = (1.0, 0.3, 0.2) if scaling == "FS-3" else (0.3, 1.0, 0.2)
    options = {"scaling": scaling, "zeros": zeros, "start": start, "n_examples": 150, "eta0": 0.3}
    regularised = {"lam": 2 * strength, "mu": strength, "nu": strength / 2}
    last = OnlineLogisticRegression(**options, **regularised)
    mean = OnlineLogisticRegression(**options, **regularised, average=True)
    last.learn_many(X, y)
    mean.learn_many(csr_matrix(X), y)
    theta, means, b, b_mean = plain(X, y, last)
    for learner, expected, bias in ((last, theta, b), (mean, means, b_mean)):
        *found, found_bias = parameters(learner)
        for which, values in enumerate(found):
            if (scaling, which) != ("FS-1", ALPHA):
                np.testing.assert_allclose(values, expected[which], rtol=1e-8, atol=1e-11)
        assert found_bias == pytest.approx(bias, rel=1e-12)
    if strength == 100.0 and scaling != "FS-3":
        assert last._store.bias[9] < 0.3 * 1e-3  # the start of w: what it was, times factors that were multiplied in


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_without_scaling_a_stream_equals_scikit_learn(alpha, average):
    X, y = stream()
    rate = {"learning_rate": "constant", "eta0": 0.1}
    theirs = scikit_learn(X, y, loss="log_loss", penalty="l2", alpha=alpha, average=average, **rate)
    N = 1e15  # so that the rate stays as it is
    ours = OnlineLogisticRegression(n_examples=N, lam=alpha * N / 2.0, average=average).fit(csr_matrix(X), y)
    np.testing.assert_allclose(parameters(ours)[W], theirs.coef_[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(parameters(ours)[-1], theirs.intercept_[0], rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=1e-9)


def test_running_moments_are_those_of_the_batch():
    X, y = stream(120)
    X = 1e3 * X + 1e5
    learner = OnlineLogisticRegression(scaling="standard").fit(X, y)
    by_hand = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    w, b = parameters(learner)
    np.testing.assert_allclose(learner.decision_function(X), by_hand @ w + b, rtol=1e-9)


def test_standardising_does_not_depend_on_units_and_joint_scaling_does():
    X, y = stream(300)
    units = np.array([1.0, 1e-4, 1e3, 1.0, 30.0, 1.0])
    for scaling in SCALINGS:
        one, other = (OnlineLogisticRegression(scaling=scaling).learn_many(values, y) for values in (X, X * units))
        assert np.allclose(one, other, rtol=1e-6) == (scaling == "standard")


# Zeros


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("average", [False, True])
def test_a_sparse_row_is_the_dense_one_also_where_zeros_are_values(scaling, average):
    X, y = stream()
    make = {"scaling": scaling, "average": average, "lam": 0.1}
    dense, sparse = OnlineLogisticRegression(**make), OnlineLogisticRegression(**make)
    rows = OnlineLogisticRegression(**make, n_features=X.shape[1])
    matrix = csr_matrix(X)
    before = dense.learn_many(X, y)
    assert sparse.learn_many(matrix, y).tolist() == before.tolist()
    for row, liked in enumerate(y):
        # Where zeros are values the order of the coordinates does not even change the last bit.
        order = np.arange(matrix.indptr[row], matrix.indptr[row + 1])[:: 1 if scaling is None else -1]
        rows.learn_row(matrix.indices[order], matrix.data[order], bool(liked))
    assert rows.score_rows(matrix.indptr, matrix.indices, matrix.data).tolist() == dense.score_many(X).tolist()
    restored = OnlineLogisticRegression(**make)
    restored.restore(unpack(pack(dense.state())))
    assert restored.learn_many(matrix, y).tolist() == dense.learn_many(X, y).tolist()
    assert pack(restored.state()) == pack(dense.state())


@pytest.mark.parametrize("scaling", ["standard", *SUPERVISED])
def test_zeros_are_values_or_absent(scaling):
    """A row of zeros is judged and teaches by all its features, or by none."""
    X, y = stream()
    nothing = np.zeros(X.shape[1])
    for zeros in ("values", "absent"):
        learner = OnlineLogisticRegression(scaling=scaling, zeros=zeros)
        learner.learn_many(X, y)
        before = learner._store.table.copy()
        assert (learner.score_one(nothing) == parameters(learner)[-1]) == (zeros == "absent")
        learner.learn_one(nothing, True)
        moved = (learner._store.table != before).any(axis=1)
        assert moved.all() if zeros == "values" else not moved.any(), zeros


@pytest.mark.parametrize("scaling", SCALINGS)
def test_missing_values_add_nothing_and_change_nothing_of_their_feature(scaling):
    X, y = stream()
    learner = OnlineLogisticRegression(scaling=scaling)
    learner.learn_many(X, y)
    before = learner._store.table.copy()
    x = X[0] + 1.0
    for odd in (np.nan, np.inf, -np.inf, 1e200):
        x[2] = odd
        explained = learner.explain_one(x)
        assert explained.contributions[2] == 0.0
        assert explained.score == pytest.approx(explained.prior + explained.contributions.sum())
        learner.learn_one(x, True)
        assert (learner._store.table[2] == before[2]).all()
    assert (learner._store.table != before).any(axis=1).sum() == X.shape[1] - 1


def test_a_growing_space_needs_absent_zeros():
    X, y = stream(30)
    with pytest.raises(ValueError, match="cannot grow"):
        OnlineLogisticRegression(scaling="FS", grow=True).fit(X, y)
    OnlineLogisticRegression(scaling="FS", grow=True, zeros="absent").fit(X, y)
    OnlineLogisticRegression(grow=True).fit(X, y)


# Faces


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("zeros", ["values", "absent"])
def test_a_score_is_the_sum_of_its_explanation(scaling, average, zeros):
    X, y = stream()
    learner = OnlineLogisticRegression(scaling=scaling, average=average, zeros=zeros, lam=0.5)
    assert learner.explain_one(X[0]).contributions.tolist() == [0.0] * X.shape[1]
    learner.learn_many(X, y)
    for x in X[:20]:
        explained = learner.explain_one(x)
        assert explained.score == learner.score_one(x)
        assert explained.score == pytest.approx(explained.prior + explained.contributions.sum())
    assert np.ptp(explained.contributions) > 0.1
    assert sorted(explained.ranks) == list(range(X.shape[1]))


def test_probabilities_are_those_of_the_log_odds():
    X, y = stream()
    learner = OnlineLogisticRegression(scaling="standard").fit(X, y)
    probabilities = learner.predict_proba(X)
    np.testing.assert_allclose(probabilities[:, 1], sigmoid(learner.decision_function(X)))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    far = OnlineLogisticRegression().fit(1e5 * X, y).predict_proba(1e5 * X)
    assert np.isfinite(far).all()
    assert {0.0, 1.0} <= set(far[:, 1])


def test_a_weight_is_as_many_steps():
    X, y = stream(40)
    ours, theirs = OnlineLogisticRegression(n_examples=1e15), OnlineLogisticRegression(n_examples=1e15)
    ours.learn_many(X, y, np.full(40, 3.0))
    theirs.learn_many(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    np.testing.assert_allclose(ours.score_many(X), theirs.score_many(X), rtol=1e-9)
    half = OnlineLogisticRegression()
    half.learn_one([2.0], True, 0.5)
    np.testing.assert_allclose(parameters(half)[W], [0.05])


@pytest.mark.parametrize("scaling", SCALINGS)
def test_parameters_stay_finite(scaling):
    """On raw values "FS-2" multiplies w and α by each other until they reach the bound."""
    X, y = stream(600)
    learner = OnlineLogisticRegression(scaling=scaling, average=True, eta0=10.0)
    scores = learner.learn_many(1e6 * X, y)
    assert np.isfinite(scores).all()
    assert np.isfinite(learner.state()["numbers"]).all()
    assert np.isfinite(learner.score_many(1e90 * X)).all()
