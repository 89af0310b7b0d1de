"""Compile the kernels that `make test` uses and an installation does not: ``python -m tests.compile_kernels``.

``make kernels`` runs it beside ``iscore.services.compilation``, which leaves one of two processors idle. Each
process of the tests would compile them for itself otherwise, and keep the compiler's memory to its end. The same holds
for Hypothesis's table of all characters: a process that has to build it takes 3 s and 210 MB for that.
"""

from __future__ import annotations

import gc

from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from iscore.filtering.paper import AdaptiveThreshold
from iscore.learners import KernelNaiveBayes, OnlineLogisticRegression, QuantileBins, StandardScaled, SubsetNaiveBayes
from tests.iscore.learners import linear_learners
from tests.iscore.learners.linear import test_many_classes as many_classes


def of_features() -> None:
    """Learn a few rows with what is for features and an installation does not use."""
    X, y = linear_learners.stream(20, n=6)
    for learner in (SubsetNaiveBayes(), QuantileBins(), StandardScaled()):
        learner.learn_many(X, y)
    OnlineLogisticRegression(scaling="standard").fit(X, y).explain_one(X[0])


def of_two_classes() -> None:
    """Learn a few rows with each linear learner."""
    X, y = linear_learners.stream(20)
    for make in linear_learners.LINEAR.values():
        learner = make(grow=True)
        learner.learn_many(csr_matrix(X), y)
        learner.score_many(X)


def of_many_classes() -> None:
    """Learn a few rows with each linear learner of several classes."""
    X, y = many_classes.stream(20)
    for make in many_classes.LEARNERS.values():
        learner = make().expect(many_classes.K)
        learner.learn_many(X, y)
        learner.score_many(X)


def of_exact_sums() -> None:
    """Learn a few rows with naive Bayes that adds up kernels, and move a threshold."""
    X, y = linear_learners.stream(20, n=6)
    for rule in ("weka", "shared"):
        learner = KernelNaiveBayes(mode="exact", bandwidth=rule)
        learner.learn_many(X, y)
        learner.score_many(X)
    AdaptiveThreshold().learn(1.0, True)


@settings(max_examples=1, deadline=None, database=None)
@given(st.text())
def of_texts(_: str) -> None:
    """Let Hypothesis make a text, for which it builds its table and stores it in ``.hypothesis``."""


if __name__ == "__main__":
    of_texts()
    gc.disable()  # the compiler makes few cycles, and looking for them takes a sixth of its time
    of_features()  # first, so that an installation finds what it would compile too, but later
    of_two_classes()
    of_many_classes()
    of_exact_sums()
