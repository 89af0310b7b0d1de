"""The kernels against the same rules over dictionaries, word by word, with every sum taken at every example."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchmarks.authors_learners import (
    AUTHORS,
    BALANCED,
    MODIFIED,
    PASSIVE_AGGRESSIVE,
    PERCEPTRON,
    POSITIVE,
    ROMMA,
    learn_additive,
    learn_winnow,
)

pytestmark = pytest.mark.long

WORDS = 25
BIAS = -1


def texts(m=60, noise=0.3):
    """Return weights of words (m, 25), none of which add up to a tie, and labels that depend on them."""
    random = np.random.default_rng(1)
    X = random.poisson(0.4, size=(m, WORDS)) * random.uniform(0.5, 1.5, size=(m, WORDS))
    y = X[:, :12].sum(axis=1) > X[:, 12:].sum(axis=1)
    return X, y != (random.random(m) < noise)


def rows(X, y):
    for x, liked in zip(X, y, strict=True):
        yield {j: value for j, value in enumerate(x.tolist()) if value}, 1.0 if liked else -1.0


def additive(kind, X, y):
    """Return the last weights and the sum of the weights after every example, by word."""
    w, total = {BIAS: 0.0}, {}
    for x, sign in rows(X, y):
        if kind == ROMMA:
            for word in x:
                w.setdefault(word, 1.0)
        score = sum(value * w.get(word, 0.0) for word, value in x.items()) + w[BIAS]
        length = sum(value * value for value in x.values())
        shrink, step = 1.0, 0.0
        if kind == PERCEPTRON and sign * score <= 0.0:
            step = sign
        elif kind == PASSIVE_AGGRESSIVE and sign * score < 1.0:
            step = sign * (1.0 - sign * score) / (length + 0.1)
        elif kind == ROMMA and sign * score < 0.0:
            size = sum(value * value for value in w.values())
            shrink = (length * size - sign * score) / (length * size - score * score)
            step = size * (sign - score) / (length * size - score * score)
        w = {word: shrink * value for word, value in w.items()}
        for word, value in [*x.items(), (BIAS, 1.0)]:
            w[word] = w.get(word, 0.0) + step * value
        for word, value in w.items():
            total[word] = total.get(word, 0.0) + value
    return w, total


def winnow(kind, X, y):
    """Return u - v of the last hypothesis, and the mean by which voting judges, by word."""
    u, v, total, right = {}, {}, {}, 0

    def count(times):
        for word, weight in u.items():
            total[word] = total.get(word, 0.0) + times * (weight - v[word])

    for counts, sign in rows(X, y):
        length = sum(counts.values()) + 1.0
        x = {word: value / length for word, value in [*counts.items(), (BIAS, 1.0)]}
        for word in x:
            u.setdefault(word, 1.0 if kind == POSITIVE else 2.0)
            v.setdefault(word, 0.0 if kind == POSITIVE else 1.0)
        score = sum(value * (u[word] - v[word]) for word, value in x.items()) - 1.0
        if sign * score > (1.0 if kind == MODIFIED else 0.0):
            right += 1
            continue
        count(max(right, 1))
        right = 1
        for word, value in x.items():
            more = value if kind == MODIFIED else 0.0
            up, down = 1.5 * (1.0 + more), 0.5 * (1.0 - more)
            u[word] *= up if sign > 0.0 else down
            v[word] *= down if sign > 0.0 else up
    count(right)
    return {word: u[word] - v[word] for word in u}, {word: value / len(y) for word, value in total.items()}


def in_order(of):
    return [of.get(word, 0.0) for word in [*range(WORDS), BIAS]]


@pytest.mark.parametrize("kind", [PERCEPTRON, PASSIVE_AGGRESSIVE, ROMMA])
def test_learners_that_add(kind):
    X, y = texts()
    sparse = csr_matrix(X)
    newest, mean = learn_additive(kind, sparse.indptr, sparse.indices, sparse.data, np.where(y, 1.0, -1.0), WORDS)
    w, total = additive(kind, X, y)
    np.testing.assert_allclose(newest, in_order(w), rtol=1e-9)
    np.testing.assert_allclose(len(y) * mean, in_order(total), rtol=1e-9)


@pytest.mark.parametrize("kind", [POSITIVE, BALANCED, MODIFIED])
def test_learners_that_multiply(kind):
    X, y = texts()
    sparse = csr_matrix(X)
    newest, mean, known = learn_winnow(kind, sparse.indptr, sparse.indices, sparse.data, np.where(y, 1.0, -1.0), WORDS)
    w, means = winnow(kind, X, y)
    np.testing.assert_allclose(newest, in_order(w), rtol=1e-9)
    np.testing.assert_allclose(mean, in_order(means), rtol=1e-9)
    assert known.tolist() == [1.0] * (WORDS + 1)


def test_naive_bayes_by_hand():
    # In 2 of 2 liked texts the first word, in 1 of 2 others; the second in 0 and 1. So (k + 1/2)/3 each.
    X = csr_matrix([[1.0, 0.0], [3.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    y = np.array([True, True, False, False])
    first, second = np.log(2.5 / 1.5), np.log(0.5 / 1.5)
    tested = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [2.15, 1.0], [2.16, 1.0]])
    decided = AUTHORS["NB"]().decide(X, y, csr_matrix(tested))
    assert decided.tolist() == (tested @ [first, second] >= 0.0).tolist() == [False, True, False, False, True]


@pytest.mark.parametrize("name", sorted(AUTHORS))
def test_each_learns(name):
    X, y = texts(600, noise=0.0)
    decided = AUTHORS[name]().decide(csr_matrix(X[:400]), y[:400], csr_matrix(X[400:]))
    assert (decided == y[400:]).mean() > 0.6
