"""What competes in Carvalho and Cohen's tables, on what, and how: learners, data sets, five-fold cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.text_sets import Bools, TextSet, movie_reviews, reuters_money, space_posts
from benchmarks.uci_sets import adult, congressional, credit, nursery, wisconsin
from iscore.learners import (
    BalancedWinnow,
    ModifiedBalancedWinnow,
    PassiveAggressive,
    Perceptron,
    PositiveWinnow,
    Romma,
    Voted,
)
from iscore.learners.linear.linear_classifier import LinearClassifier

Floats = npt.NDArray[np.float64]

WINNOWS = {"MBW": ModifiedBalancedWinnow, "PW": PositiveWinnow, "BW": BalancedWinnow}
SINGLE = ("MBW", "PW", "BW", "PA", "ROMMA")
ONLINE: dict[str, Callable[[], LinearClassifier | Voted]] = {
    "MBW": ModifiedBalancedWinnow,
    "PW": PositiveWinnow,
    "BW": BalancedWinnow,
    "PA": lambda: PassiveAggressive(variant="PA", relaxation=0.1),
    "ROMMA": Romma,
    "v-MBW": lambda: Voted(ModifiedBalancedWinnow()),
    "v-PW": lambda: Voted(PositiveWinnow()),
    "v-BW": lambda: Voted(BalancedWinnow()),
    "v-PA": lambda: Voted(PassiveAggressive(variant="PA", relaxation=0.1)),
    "v-ROMMA": lambda: Voted(Romma()),
    "v-Perceptron": lambda: Voted(Perceptron()),
}
BATCH: dict[str, Callable[[], Any]] = {
    "SVM": lambda: LinearSVC(dual="auto", random_state=0),
    "NB": MultinomialNB,
    "Bernoulli NB": BernoulliNB,
}
NAMES = (*ONLINE, *BATCH)

TEXTS = ("Reuters", "20newsgroup", "MovieReviews")
SETS: dict[str, Callable[[], TextSet]] = {
    "Reuters": reuters_money,
    "20newsgroup": space_posts,
    "MovieReviews": movie_reviews,
    "Adult": adult,
    "Congressional": congressional,
    "Credit": credit,
    "WiscBreast": wisconsin,
    "Nursery": nursery,
}

FOLDS = 5

INPUTS = ("as is", "presence", "largest 1", "sum 1")
"""Rows as they are; 1 for what is not 0; each column divided by its largest value; for those that are no Winnow what
Winnow makes of its rows, a bias feature and a sum of 1."""

Figures = dict[str, Floats]
"""Learner → F1 in %, shape (foldings, folds)."""


def changed(X: csr_matrix, how: str) -> csr_matrix:
    """Return the rows in one of the forms of ``INPUTS``."""
    if how == "presence":
        return csr_matrix((X != 0.0).astype(np.float64))
    if how == "largest 1":
        largest = X.max(axis=0).toarray().ravel()
        return csr_matrix(X @ diags(1.0 / np.where(largest > 0.0, largest, 1.0)))
    if how == "sum 1":
        wide = csr_matrix(hstack([X, np.ones((X.shape[0], 1))]))
        return csr_matrix(diags(1.0 / np.asarray(wide.sum(axis=1)).ravel()) @ wide)
    return X


def measure(texts: TextSet, foldings: int, names: Iterable[str], how: str = "as is") -> Figures:
    """Return the F1 of each learner in each fold."""
    return in_folds(TextSet(texts.name, changed(texts.X, how), texts.y), foldings, names, decided)


def in_folds(
    texts: TextSet,
    foldings: int,
    names: Iterable[str],
    decide: Callable[[str, csr_matrix, Bools, csr_matrix], Bools],
) -> Figures:
    """Return the F1 of each learner in each fold, by what ``decide`` makes of learned rows, labels and rows tested."""
    X, y = texts.X, texts.y
    found = {name: np.zeros((foldings, FOLDS)) for name in names}
    for folding in range(foldings):
        order = np.random.default_rng(folding).permutation(len(y))
        parts = np.array_split(order, FOLDS)
        for fold, test in enumerate(parts):
            train = np.concatenate([part for part in parts if part is not test])
            rows, labels, tested = X[train], y[train], X[test]
            for name, of in found.items():
                of[folding, fold] = 100.0 * f1_score(y[test], decide(name, rows, labels, tested), zero_division=0.0)
    return found


def decided(name: str, rows: csr_matrix, labels: Bools, tested: csr_matrix) -> Bools:
    """Return what a learner of ``NAMES`` decides of rows after learning others."""
    if name in ONLINE:
        learner = ONLINE[name]()
        learner.learn_many(rows, labels)
        liked: Bools = learner.score_many(tested) > 0.0
        return liked
    with warnings.catch_warnings():
        # In their own scale the numbers of Adult and Credit do not let the SVM converge.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: Bools = BATCH[name]().fit(rows, labels).predict(tested)
    return found
