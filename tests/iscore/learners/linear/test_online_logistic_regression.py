"""Online logistic regression: steps by hand, numerical gradients, the equations as plain loops, and scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from iscore.filtering.serialization import pack, unpack
from iscore.learners import OnlineLogisticRegression

SCALINGS = [None, "standard", "FS", "FS-1", "FS-2", "FS-3"]
SUPERVISED = ["FS", "FS-1", "FS-2", "FS-3"]
W, ALPHA, BETA = range(3)


def stream(m=200, n=6, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(m, n)) * (random.random((m, n)) < 0.6) * np.arange(1, n + 1)
    return X, X @ random.normal(size=n) + random.normal(size=m) > 0.0


def sigmoid(score):
    return 1.0 / (1.0 + np.exp(-score))


def parameters(learner):
    """Return w, α, β and b as the learner scores with them, shapes (n,) and ()."""
    model, rule = learner._store.model, learner._update
    table = model[0]
    rows = [rule._parameter(model, table, which) for which in range(3 if table.shape[1] == 6 else 1)]
    prior, _ = rule.parts(model, np.zeros(len(table)), table)
    return *rows, prior


def scaled(scaling, x, w, alpha, beta):
    """Return the parts of the score."""
    if scaling in ("FS", "FS-1"):
        return w * sigmoid(alpha * x - beta)
    return w * (alpha * x + beta) if scaling in ("FS-2", "FS-3") else w * x


def plain(X, y, learner):
    """Return (w, α, β), their means, b and its mean after one pass, as the paper writes them; nothing is lazy."""
    scaling, N = learner.scaling, learner.n_examples
    values = learner.zeros == "values" or scaling is None
    lam, mu, nu = learner.lam / N, learner.mu / N, learner.nu / N
    start = learner.start
    w, alpha, beta = (np.full(X.shape[1], value) for value in start)
    b = b_sum = 0.0
    sums = np.zeros((3, X.shape[1]))
    for k, (row, t) in enumerate(zip(X, y, strict=True)):
        there = ~np.isnan(row) & (values | (row != 0.0))
        x = np.where(there, row, 0.0)
        eta = learner.eta0 / (1.0 + k / N)
        if scaling == "standard":
            past = X[: k + 1] if values else np.nan_to_num(X[: k + 1])
            sd, mean = np.zeros(X.shape[1]), np.zeros(X.shape[1])
            for j, column in enumerate(past.T):
                known = column[~np.isnan(column)]
                if len(known) > 1:
                    sd[j], mean[j] = known.std(ddof=1), known.mean() if values else 0.0
            sigma = np.where(sd > 0.0, (x - mean) / np.where(sd > 0.0, sd, 1.0), 0.0)
        else:
            sigma = scaled(scaling, x, 1.0, alpha, beta)
        sigma = sigma * there
        error = t - sigmoid(w @ sigma + b)
        old = w
        if scaling != "FS-3":
            w = w * (1.0 - 2.0 * lam * eta) + eta * error * sigma
        b += eta * error
        slope = old * (sigma * (1.0 - sigma) if scaling in ("FS", "FS-1") else there)
        if scaling in ("FS", "FS-2", "FS-3"):
            alpha = alpha * (1.0 - 2.0 * mu * eta) + eta * error * x * slope
        if scaling in SUPERVISED:
            direction = -1.0 if scaling in ("FS", "FS-1") else 1.0
            beta = beta * (1.0 - 2.0 * nu * eta) + direction * eta * error * slope
        sums += w, alpha, beta
        b_sum += b
    return (w, alpha, beta), sums / len(X), b, b_sum / len(X)


# Steps by hand


def test_two_steps_without_scaling_by_hand():
    learner = OnlineLogisticRegression(eta0=0.2, n_examples=4, lam=1.0)
    learner.learn_one([2.0, -1.0], True)  # y = ½, step 0.2·½
    np.testing.assert_allclose(parameters(learner)[W], [0.2, -0.1])
    assert parameters(learner)[-1] == pytest.approx(0.1)
    learner.learn_one([1.0, 0.0], False)
    eta, y = 0.2 / 1.25, sigmoid(0.2 + 0.1)
    shrunk = 1.0 - 2.0 * eta / 4.0
    np.testing.assert_allclose(parameters(learner)[W], [0.2 * shrunk - eta * y, -0.1 * shrunk])
    assert parameters(learner)[-1] == pytest.approx(0.1 - eta * y)
    assert learner.score_one([1.0, 1.0]) == pytest.approx(sum(parameters(learner)[W]) + parameters(learner)[-1])


def test_standardising_by_hand():
    learner = OnlineLogisticRegression(scaling="standard", n_examples=1)
    learner.learn_one([3.0, 7.0], True)  # no deviation yet: only b moves, by 0.1·½
    np.testing.assert_allclose(parameters(learner)[W], [0.0, 0.0])
    learner.learn_one([5.0, 7.0], False)  # mean 4, deviation √2; the second has none; η = 0.1/2
    y = sigmoid(0.05)
    np.testing.assert_allclose(parameters(learner)[W], [-0.05 * y / np.sqrt(2.0), 0.0])
    w, b = parameters(learner)[W][0], 0.05 - 0.05 * y
    assert learner.score_one([8.0, 9.0]) == pytest.approx(w * 4.0 / np.sqrt(2.0) + b)
    assert learner.score_one([np.nan, 7.0]) == pytest.approx(b)


def test_standardising_by_hand_where_zeros_are_absent():
    learner = OnlineLogisticRegression(scaling="standard", n_examples=1, zeros="absent")
    learner.learn_one([0.0, 2.0], True)
    learner.learn_one([4.0, 0.0], False)  # 0 and 4: deviation √8, not moved by the mean
    y = sigmoid(0.05)
    np.testing.assert_allclose(parameters(learner)[W], [-0.05 * y * 4.0 / np.sqrt(8.0), 0.0])
    # The second has seen 2 and 0: deviation √2, but w = 0.
    assert learner.score_one([1.0, 5.0]) == pytest.approx(parameters(learner)[W][0] / np.sqrt(8.0) + 0.05 - 0.05 * y)


@pytest.mark.parametrize(
    ("scaling", "start", "sigma", "alpha", "beta"),
    [
        # x = 2 with w = 3, α = ½, β = 1: σ = ½ and score 1.5, or αx + β = 2 and score 6.
        ("FS", (3.0, 0.5, 1.0), 0.5, 2.0 * 3.0 * 0.25, -3.0 * 0.25),
        ("FS-1", (3.0, 9.0, 2.0), 0.5, 0.0, -3.0 * 0.25),
        ("FS-2", (3.0, 0.5, 1.0), 2.0, 3.0 * 2.0, 3.0),
        ("FS-3", (9.0, 0.5, 1.0), 2.0, 2.0, 1.0),
    ],
)
def test_a_step_of_joint_scaling_by_hand(scaling, start, sigma, alpha, beta):
    """Equations 8 to 11, 15 to 17, 20 to 23 and 25 to 27, with λ = 1, μ = 2, ν = 3 and N = 10."""
    learner = OnlineLogisticRegression(scaling=scaling, start=start, lam=1.0, mu=2.0, nu=3.0, n_examples=10)
    learner.learn_one([2.0], True)
    w0 = 1.0 if scaling == "FS-3" else start[W]
    alpha0 = 1.0 if scaling == "FS-1" else start[ALPHA]
    step = 0.1 * (1.0 - sigmoid(w0 * sigma))
    found = parameters(learner)
    assert found[W] == pytest.approx(w0 if scaling == "FS-3" else w0 * 0.98 + step * sigma)
    assert found[ALPHA] == pytest.approx(alpha0 if scaling == "FS-1" else alpha0 * 0.96 + step * alpha)
    assert found[BETA] == pytest.approx(start[BETA] * 0.94 + step * beta)
    assert found[-1] == pytest.approx(step)


@pytest.mark.parametrize("scaling", SUPERVISED)
@pytest.mark.parametrize("liked", [True, False])
def test_each_step_goes_down_the_numerical_gradient(scaling, liked):
    """Of E = -t·log y - (1-t)·log(1-y) + (λ‖w‖² + μ‖α‖² + ν‖β‖²)/N, equation 7 with squares as 8 to 11 have it."""
    X, y = stream(31)
    X /= np.abs(X).max(axis=0)
    learner = OnlineLogisticRegression(scaling=scaling, eta0=0.3, lam=3.0, mu=2.0, nu=1.0, n_examples=20)
    learner.learn_many(X[:-1], y[:-1])
    *before, b = parameters(learner)
    x = X[-1]

    def objective(theta):
        w, alpha, beta = theta[:-1].reshape(3, -1)
        probability = sigmoid(scaled(scaling, x, w, alpha, beta).sum() + theta[-1])
        loss = -np.log(probability if liked else 1.0 - probability)
        return loss + (3.0 * w @ w + 2.0 * alpha @ alpha + 1.0 * beta @ beta) / 20.0

    theta, h = np.append(np.concatenate(before), b), 1e-6
    gradient = np.array([(objective(theta + e) - objective(theta - e)) / (2 * h) for e in np.eye(len(theta)) * h])
    learner.learn_one(x, liked)
    *after, b = parameters(learner)
    moved = (np.append(np.concatenate(after), b) - theta) / -(0.3 / (1.0 + 30 / 20))
    fixed = {"FS-1": slice(6, 12), "FS-3": slice(0, 6)}.get(scaling, slice(0, 0))
    assert (moved[fixed] == 0.0).all()
    moved[fixed] = gradient[fixed]
    np.testing.assert_allclose(moved, gradient, atol=1e-7)
    assert np.abs(gradient).min() > 1e-6


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
    theirs = SGDClassifier(
        loss="log_loss",
        penalty="l2",
        alpha=alpha,
        learning_rate="constant",
        eta0=0.1,
        shuffle=False,
        max_iter=1,
        tol=None,
        average=average,
    ).fit(X, y)
    N = 1e15  # so that the rate stays as it is
    ours = OnlineLogisticRegression(n_examples=N, lam=alpha * N / 2.0, average=average).fit(csr_matrix(X), y)
    np.testing.assert_allclose(parameters(ours)[W], theirs.coef_[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(parameters(ours)[-1], theirs.intercept_[0], rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=1e-9)


def test_running_moments_are_those_of_the_batch():
    X, y = stream(120)
    X = 1e3 * X + 1e5
    learner = OnlineLogisticRegression(scaling="standard").fit(X, y)
    by_hand = StandardScaler().fit_transform(X) * np.sqrt(119 / 120)
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scaling": "FS-4"}, "scaling"),
        ({"zeros": "none"}, "zeros"),
        ({"eta0": 0.0}, "eta0"),
        ({"n_examples": 0}, "n_examples"),
        ({"lam": -0.1}, "lam"),
        ({"mu": 5000.0}, "mu"),
        ({"nu": np.nan}, "nu"),
        ({"start": (1.0, 2.0)}, "start"),
        ({"start": (1.0, np.nan, 0.0)}, "start"),
    ],
)
def test_unusable_parameters_are_refused(options, message):
    X, y = stream(10)
    with pytest.raises(ValueError, match=message):
        OnlineLogisticRegression(**options).fit(X, y)
