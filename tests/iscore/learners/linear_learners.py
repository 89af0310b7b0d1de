"""Every linear learner, by name, and streams to learn; a new learner joins by a line."""

from __future__ import annotations

import json
from functools import cache, partial

import numpy as np
from scipy.sparse import csr_matrix

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
def articles(m, seed=0, noise=0.0):
    """Return rows of 30 words out of 1,000, of length 1, where an interesting one has a few of 40 words of a topic.

    ``noise`` is the share of rows that have the words of the other kind.

    The same sparse matrix each time, for making it takes longer than learning it: to be left as it is.
    """
    random = np.random.default_rng(seed)
    y = random.random(m) < 0.4
    words = []
    for interesting in y:
        other = random.choice(np.arange(40, 1000), 30, replace=False)
        is_topical = interesting != (noise > 0.0 and random.random() < noise)
        of_topic = random.choice(40, 4 if is_topical else random.integers(2), replace=False)
        words.append(np.sort(np.concatenate([of_topic, other])))
    sizes = np.array([len(each) for each in words])
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return csr_matrix((np.repeat(sizes**-0.5, sizes), np.concatenate(words), indptr), shape=(m, 1000)), y


def normal_stream(m=300, n=40, seed=0, k=2, share=0.3):
    """Return sparse rows of both signs, (m, n), and the numbers of their ``k`` classes, which depend on them."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(m, n)) * (random.random((m, n)) < share)
    return X, (X @ random.normal(size=(n, k)) + random.normal(size=(m, k))).argmax(axis=1)


def dense_weights(learner, n, k=1):
    """Return the weights of the first ``n`` coordinates for each class, (n, k)."""
    state = learner.state()
    w = np.zeros((n, k))
    w[state["coordinates"]] = state["numbers"][:, :k]
    return w


def scikit_learn(X, y, **parameters):
    """Return scikit-learn's linear model after one pass in the order of the rows."""
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(shuffle=False, max_iter=1, tol=None, **parameters).fit(X, y)


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
