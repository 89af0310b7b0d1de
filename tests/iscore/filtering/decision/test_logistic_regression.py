"""Logistic regression: that its one minimum is found, as scikit-learn finds it, whatever the start and the order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from extractors.arrays import Floats, Int64s
from extractors.lsa import DIMENSIONS
from iscore.filtering.decision.logistic_regression import GRADIENT, Solution, minimum
from iscore.filtering.decision.vectors import Rows, Vectors
from tests.iscore.filtering.decision.test_vectors import dense

ARTICLES, LIKED, WORDS, OF_ONE = 300, 40, 900, 20


class Given(NamedTuple):
    """A problem: what ``minimum`` takes."""

    vectors: Vectors
    places: Int64s
    signs: Floats
    costs: Floats


@pytest.fixture(scope="module")
def given() -> Given:
    """Articles as a round has them: a few words each, topics that all share, and many more disliked than liked."""
    random = np.random.default_rng(7)
    words = np.concatenate([random.choice(WORDS, OF_ONE, replace=False) for _ in range(ARTICLES)]).astype(np.int32)
    weights = np.full(ARTICLES * OF_ONE, OF_ONE**-0.5, dtype=np.float32)
    topics = random.normal(size=(ARTICLES, DIMENSIONS)) + 2.0
    topics[:LIKED, :8] += 1.0
    topics *= 0.5 / np.linalg.norm(topics, axis=1, keepdims=True)
    rows = Rows(np.arange(0, len(words) + 1, OF_ONE), words, weights, topics)
    signs = np.where(np.arange(ARTICLES) < LIKED, 1.0, -1.0)
    return Given(Vectors(rows, np.full(ARTICLES, 1.25), WORDS), np.arange(ARTICLES), signs, np.full(ARTICLES, 25.0))


def solved(given: Given, start: Floats | None = None) -> Solution:
    return minimum(*given, np.zeros(len(given.places)) if start is None else start)


def with_bias(vectors: Vectors) -> Floats:
    """Return (x, 1) of each article."""
    return np.hstack([dense(vectors), np.ones((len(vectors), 1))])


def found_by(solution: Solution) -> Floats:
    return np.concatenate([solution.weights.words, solution.weights.topics, [solution.bias]])


def scores(given: Given, solution: Solution) -> Floats:
    return with_bias(given.vectors) @ found_by(solution)


def test_the_gradient_is_nearly_zero(given: Given) -> None:
    matrix, solution = with_bias(given.vectors), solved(given)
    errors = given.costs / (1.0 + np.exp(given.signs * scores(given, solution)))
    gradient = found_by(solution) - (given.signs * errors) @ matrix
    assert float(np.linalg.norm(gradient)) <= GRADIENT * 1.01
    assert solution.gradient == pytest.approx(float(np.linalg.norm(gradient)), rel=1e-3)


def test_any_start_and_any_order_lead_to_the_same_scores(given: Given) -> None:
    random = np.random.default_rng(3)
    expected = scores(given, solved(given))
    assert scores(given, solved(given, 25.0 * random.normal(size=ARTICLES))) == pytest.approx(expected, abs=1e-3)
    order = random.permutation(ARTICLES)
    shuffled = Given(given.vectors, given.places[order], given.signs[order], given.costs[order])
    assert scores(given, solved(shuffled)) == pytest.approx(expected, abs=1e-3)


def test_it_finds_what_scikit_learn_finds(given: Given) -> None:
    from sklearn.linear_model import LogisticRegression

    reference = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-8, max_iter=10_000)
    reference.fit(with_bias(given.vectors), given.signs, sample_weight=given.costs)
    assert scores(given, solved(given)) == pytest.approx(with_bias(given.vectors) @ reference.coef_[0], abs=1e-3)


def test_an_article_without_cost_takes_no_part_whatever_it_starts_with(given: Given) -> None:
    costs = np.where(np.arange(ARTICLES) % 3 == 0, 0.0, given.costs)
    taking_part = np.flatnonzero(costs)
    without = Given(given.vectors, given.places[taking_part], given.signs[taking_part], costs[taking_part])
    started = solved(given._replace(costs=costs), solved(given).amounts)
    assert scores(given, started) == pytest.approx(scores(given, solved(without)), abs=1e-3)


def test_extreme_costs_and_starts_are_solved(given: Given) -> None:
    for costs, start in ((given.costs * 1e4, 0.0), (given.costs * 1e-9, 0.0), (given.costs, 1e5)):
        solution = solved(given._replace(costs=costs), np.full(ARTICLES, start))
        assert solution.gradient <= GRADIENT
    nothing = minimum(given.vectors, given.places[:0], np.empty(0), np.empty(0), np.empty(0))
    assert nothing.bias == 0.0
    assert not nothing.weights.words.any()
