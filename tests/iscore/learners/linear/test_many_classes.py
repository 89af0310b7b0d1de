"""What every learner of several classes promises; the problem that top-1 confidence-weighted learning solves."""

from __future__ import annotations

from functools import partial
from statistics import NormalDist

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from iscore.filtering.serialization import pack, unpack
from iscore.learners import ConfidenceWeighted, Mira, PassiveAggressive
from tests.iscore.learners.linear.least_divergence import assert_least_divergence
from tests.iscore.learners.linear_learners import LINEAR

K, N = 4, 30


LEARNERS = {
    "bounded-mira": partial(Mira, C=0.2),
    **{
        name: LINEAR[name]
        for name in (
            *("perceptron", "perceptron-with-bias", "mira-with-bias", "confidence-weighted-with-bias"),
            *("confidence-weighted-by-variance", "voted-perceptron-with-bias", "voted-mira"),
            "voted-confidence-weighted",
        )
    },
}


def stream(m=200, seed=0, k=K, n=N):
    random = np.random.default_rng(seed)
    X = random.random((m, n)) * (random.random((m, n)) < 0.3)
    y = (X @ np.random.default_rng(9).normal(size=(n, k)) + 0.3 * random.normal(size=(m, k))).argmax(axis=1)
    return X, y


@pytest.fixture(params=sorted(LEARNERS))
def make(request):
    return LEARNERS[request.param]


def numbers(learner):
    state = learner.state()
    state = state.get("voted", state)
    return {name: state[name].tobytes() for name in ("coordinates", "numbers", "bias", "seen")}


def test_every_form_of_input_gives_the_same_bits(make):
    X, y = stream()
    weights = np.random.default_rng(3).choice([0.0, 0.5, 1.0, 2.5], size=len(y))
    sparse = csr_matrix(X)
    one_by_one, dense, compressed = (make().expect(K) for _ in range(3))
    hashed, growing = make(n_features=N).expect(K), make(grow=True).expect(K)
    before = []
    for row in range(len(y)):
        given = one_by_one.score_classes(X[row]) if row else np.zeros(K)
        before.append(one_by_one.learn_class(X[row], y[row], weights[row]))
        assert before[-1].tolist() == given.tolist()
    for learner, rows in ((dense, X), (compressed, sparse), (hashed, sparse), (growing, X)):
        assert learner.learn_many(rows, y, weights).tobytes() == np.array(before).tobytes()
    fitted = make().fit(sparse, y, weights)
    in_parts = make().partial_fit(X[:70], y[:70], classes=range(K), sample_weight=weights[:70])
    in_parts.partial_fit(sparse[70:], y[70:], sample_weight=weights[70:])
    scores = one_by_one.score_many(X)
    assert scores.shape == (len(y), K)
    for learner in (dense, compressed, hashed, growing, fitted, in_parts):
        assert numbers(learner) == numbers(one_by_one)
        assert learner.score_many(sparse).tobytes() == scores.tobytes()
        arrays = (sparse.indptr.astype(np.int64), sparse.indices, sparse.data)
        assert learner.score_rows(*arrays).tobytes() == scores.tobytes()
    assert [one_by_one.score_classes(x).tolist() for x in X] == scores.tolist()
    assert fitted.decision_function(X).tobytes() == scores.tobytes()
    assert (fitted.predict(X) == scores.argmax(axis=1)).all()


def test_it_classifies_well(make):
    X, y = stream(3000)
    scores = make().expect(K).learn_many(X, y)[1500:]
    assert (scores.argmax(axis=1) == y[1500:]).mean() > 0.7


def test_a_restored_learner_continues_bit_for_bit(make):
    X, y = stream()
    first, second = make().expect(K), make()
    first.learn_many(X[:100], y[:100])
    second.restore(unpack(pack(first.state())))
    assert first.learn_many(X[100:], y[100:]).tobytes() == second.learn_many(X[100:], y[100:]).tobytes()
    assert pack(first.state()) == pack(second.state())


def test_scores_are_neutral_until_two_classes_are_known(make):
    X, _ = stream()
    learner = make().expect(K)
    assert not learner.score_many(X).any()
    assert not learner.learn_many(X[:20], np.full(20, 2)).any()
    assert not learner.learn_class(X[0], 1, 0.0).any()
    assert not learner.learn_class(X[0], 1).any()
    assert learner.score_many(X).any()


def test_what_is_not_finite_is_missing_which_is_zero(make):
    X, y = stream()
    gaps = np.random.default_rng(4).random(X.shape) < 0.1
    ours, theirs = make().expect(K), make().expect(K)
    before = ours.learn_many(np.where(gaps, np.nan, X), y)
    assert before.tobytes() == theirs.learn_many(np.where(gaps, 0.0, X), y).tobytes()
    assert numbers(ours) == numbers(theirs)


def test_values_of_any_size_give_finite_scores(make):
    X, y = stream(3000)
    odd = X[:100].copy()
    odd[17], odd[40], odd[41] = 1e300, 1e-300, 0.0
    odd[80] *= 1e-160
    learner = make().expect(K)
    learner.learn_many(odd, y[:100])
    assert np.isfinite(learner.score_many(odd)).all()
    scores = learner.learn_many(X, y)[1500:]
    assert (scores.argmax(axis=1) == y[1500:]).mean() > 0.7


def test_labels_may_be_names(make):
    X, y = stream()
    names = np.array(["earn", "crude", "trade", "grain"])
    fitted = make().fit(X, names[y])
    assert fitted.classes_.tolist() == sorted(names)
    order = np.argsort(np.argsort(names))
    assert (fitted.predict(X) == np.sort(names)[make().fit(X, order[y]).predict(X)]).all()


def test_unusable_examples_are_refused_and_change_nothing(make):
    X, y = stream()
    learner = make().expect(K)
    learner.learn_many(X, y)
    before = numbers(learner)
    for number in (-1, K):
        with pytest.raises(ValueError, match="numbers 0 to 3"):
            learner.learn_class(X[0], number)
    for weight in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="weight"):
            learner.learn_class(X[0], 1, weight)
    with pytest.raises(ValueError, match="one label and one weight"):
        learner.learn_many(X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        learner.learn_class(X[0, :-1], 1)
    assert numbers(learner) == before


def test_methods_for_two_classes_are_refused_for_more_and_the_reverse(make):
    X, y = stream()
    learner = make().expect(K)
    learner.learn_many(X, y)
    for verb in (learner.score_one, learner.explain_one, lambda x: learner.learn_one(x, True)):
        with pytest.raises(ValueError, match="4 classes"):
            verb(X[0])
    two = make()
    two.learn_many(X, y > 1)
    with pytest.raises(ValueError, match="two classes"):
        two.score_classes(X[0])
    with pytest.raises(ValueError, match="two classes"):
        two.learn_class(X[0], 1)
    with pytest.raises(ValueError, match="two classes or more"):
        two.expect(1)


def test_what_is_fitted_anew_may_have_other_classes(make):
    X, y = stream()
    learner = make().fit(X, y)
    binary = learner.fit(X, y > 1)
    assert binary.score_many(X).tolist() == make().fit(X, y > 1).score_many(X).tolist()
    assert learner.fit(X, y).score_many(X).shape == (len(y), K)


def test_learners_of_two_classes_refuse_more():
    X, y = stream()
    with pytest.raises(ValueError, match="Only binary classification"):
        PassiveAggressive().fit(X, y)


# Top-1 confidence-weighted learning


def moments(learner, n, k):
    """Return μ and the diagonal of Σ⁻¹, each of shape (n, k)."""
    state = learner.state()
    mu, precision = np.zeros((n, k)), np.ones((n, k))
    mu[state["coordinates"]] = state["numbers"][:, :k]
    precision[state["coordinates"]] += state["numbers"][:, k:]
    return mu, precision


@pytest.mark.parametrize("variant", ["stdev", "variance"])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_against_the_best_wrong_class_solves_the_problem_of_the_paper(variant, seed):
    X, y = stream(20, seed, 3, 2)
    X += 0.1
    learner, phi = ConfidenceWeighted(variant=variant, eta=0.85).expect(3), NormalDist().inv_cdf(0.85)
    learner.learn_many(X, y)
    mu, precision = moments(learner, 2, 3)
    x = np.array([1.0, -0.7])
    order = (x @ mu).argsort()
    label, wrong = int(order[1]), int(order[2])  # the third class must not be touched
    # Both classes' weights in one vector, of which the example is (x, -x).
    pair = [label, wrong]
    learner.learn_class(x, label)
    new_mu, new_precision = moments(learner, 2, 3)
    before, after = (
        [each[:, pair].T.ravel() for each in given] for given in ((mu, precision), (new_mu, new_precision))
    )
    assert_least_divergence(variant, before, after, np.concatenate([x, -x]), phi)
    other = int(order[0])
    assert new_mu[:, other].tolist() == mu[:, other].tolist()
    assert new_precision[:, other].tolist() == precision[:, other].tolist()
    assert np.abs(new_mu - mu).max() > 1e-2


@pytest.mark.parametrize("bias", [False, True])
def test_a_stream_equals_the_formula_in_a_plain_loop(bias):
    X, y = stream(150, n=10)
    inputs = np.hstack([X, np.ones((len(X), 1))]) if bias else X
    n, phi = inputs.shape[1], NormalDist().inv_cdf(0.8)
    mu, precision, updates = np.zeros((n, K)), np.ones((n, K)), 0
    for x, label in zip(inputs, y, strict=True):
        scores = x @ mu
        wrong = max((r for r in range(K) if r != label), key=lambda r: scores[r])
        m = scores[label] - scores[wrong]
        v = (x * x / precision[:, label] + x * x / precision[:, wrong]).sum()
        if v == 0.0 or m >= phi * np.sqrt(v):
            continue
        updates += 1
        psi, xi = 1.0 + phi**2 / 2.0, 1.0 + phi**2
        alpha = (-m * psi + np.sqrt(m**2 * phi**4 / 4.0 + v * phi**2 * xi)) / (v * xi)
        root_u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4.0 * v)) / 2.0
        for r, sign in ((label, 1.0), (wrong, -1.0)):
            mu[:, r] += sign * alpha * x / precision[:, r]
            precision[:, r] += alpha * phi / root_u * x * x
    assert 30 < updates < 150
    learner = ConfidenceWeighted(bias=bias).fit(X, y)
    ours = moments(learner, 10, K)
    np.testing.assert_allclose(ours[0], mu[:10], atol=1e-9)
    np.testing.assert_allclose(ours[1], precision[:10], rtol=1e-9)
    if bias:
        np.testing.assert_allclose(learner.state()["bias"], np.concatenate([mu[10], precision[10] - 1.0]), atol=1e-9)
