"""Logistic regression: that its one minimum is found, as scikit-learn finds it, in any order and company."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from extractors.arrays import Floats, Int64s
from extractors.stream.word_vectors import DIMENSIONS
from iscore.filtering.ranking.regression import FITS, GRADIENT, Solution, minimum
from iscore.filtering.ranking.vectors import Rows, Vectors
from tests.iscore.filtering.ranking.test_vectors import dense

ARTICLES, LIKED, WORDS, OF_ONE = 300, 40, 900, 20


class Given(NamedTuple):
    """A problem: what ``minimum`` takes, with the costs of one fit."""

    vectors: Vectors
    places: Int64s
    signs: Floats
    costs: Floats


@pytest.fixture(scope="module")
def given() -> Given:
    """Articles as a round has them: a few words each, stream vectors that are alike, and more disliked than liked."""
    random = np.random.default_rng(7)
    words = np.concatenate([random.choice(WORDS, OF_ONE, replace=False) for _ in range(ARTICLES)]).astype(np.int32)
    weights = np.full(ARTICLES * OF_ONE, OF_ONE**-0.5, dtype=np.float32)
    stream = random.normal(size=(ARTICLES, DIMENSIONS)) + 2.0
    stream[:LIKED, :8] += 1.0
    stream *= 0.5 / np.linalg.norm(stream, axis=1, keepdims=True)
    rows = Rows(np.arange(0, len(words) + 1, OF_ONE), words, weights, stream)
    signs = np.where(np.arange(ARTICLES) < LIKED, 1.0, -1.0)
    return Given(Vectors(rows, np.full(ARTICLES, 1.25), WORDS), np.arange(ARTICLES), signs, np.full(ARTICLES, 25.0))


def solved(given: Given) -> Solution:
    (solution,) = minimum(*given[:3], given.costs[np.newaxis])
    return solution


def with_bias(vectors: Vectors) -> Floats:
    """Return (x, 1) of each article."""
    return np.hstack([dense(vectors), np.ones((len(vectors), 1))])


def found_by(solution: Solution) -> Floats:
    return np.concatenate([solution.weights.words, solution.weights.stream, [solution.bias]])


def scores(given: Given, solution: Solution) -> Floats:
    return with_bias(given.vectors) @ found_by(solution)


def test_the_gradient_is_nearly_zero(given: Given) -> None:
    matrix, solution = with_bias(given.vectors), solved(given)
    errors = given.costs / (1.0 + np.exp(given.signs * scores(given, solution)))
    gradient = found_by(solution) - (given.signs * errors) @ matrix
    assert float(np.linalg.norm(gradient)) <= GRADIENT * 1.01
    assert solution.gradient == pytest.approx(float(np.linalg.norm(gradient)), rel=1e-3)


def test_any_order_leads_to_the_same_scores(given: Given) -> None:
    order = np.random.default_rng(3).permutation(ARTICLES)
    shuffled = Given(given.vectors, given.places[order], given.signs[order], given.costs[order])
    assert scores(given, solved(shuffled)) == pytest.approx(scores(given, solved(given)), abs=1e-3)


def test_a_fit_does_not_depend_on_those_that_go_in_step_with_it(given: Given) -> None:
    random = np.random.default_rng(3)
    costs = given.costs * np.array([1.0, 1e3, 1e-9, 0.0, 1.0, 30.0])[:, np.newaxis]
    costs[4, random.choice(ARTICLES, ARTICLES // 3, replace=False)] = 0.0
    assert len(costs) > FITS
    alone = [solved(given._replace(costs=each)) for each in costs]
    together = minimum(*given[:3], costs)
    assert [found_by(each).tolist() for each in together] == [found_by(each).tolist() for each in alone]
    assert [each.gradient for each in together] == [each.gradient for each in alone]
    assert not np.array_equal(found_by(alone[0]), found_by(alone[5]))


def test_it_finds_what_scikit_learn_finds(given: Given) -> None:
    from sklearn.linear_model import LogisticRegression

    reference = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-8, solver="newton-cholesky")
    reference.fit(with_bias(given.vectors), given.signs, sample_weight=given.costs)
    assert scores(given, solved(given)) == pytest.approx(with_bias(given.vectors) @ reference.coef_[0], abs=1e-3)


def test_an_article_without_cost_takes_no_part(given: Given) -> None:
    costs = np.where(np.arange(ARTICLES) % 3 == 0, 0.0, given.costs)
    taking_part = np.flatnonzero(costs)
    without = Given(given.vectors, given.places[taking_part], given.signs[taking_part], costs[taking_part])
    expected = scores(given, solved(without))
    assert scores(given, solved(given._replace(costs=costs))) == pytest.approx(expected, abs=1e-3)


def test_extreme_costs_are_solved(given: Given) -> None:
    for factor in (1e4, 1e-9):
        assert solved(given._replace(costs=given.costs * factor)).gradient <= GRADIENT
    (nothing,) = minimum(given.vectors, given.places[:0], np.empty(0), np.empty((1, 0)))
    assert nothing.bias == 0.0
    assert not nothing.weights.words.any()
