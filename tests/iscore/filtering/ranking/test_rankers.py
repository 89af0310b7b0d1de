"""The rankers: what they fit, and that left-out scores are those of a ranker that has not learned from the article."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from extractors.stream.word_vectors import fit
from extractors.text.terms import TermBatch
from iscore.filtering.ranking.rankers import COST, HIDDEN_COST, Training, regression, rocchio
from iscore.filtering.ranking.vectors import Vectors
from tests.iscore.filtering.made_up import about, terms
from tests.iscore.filtering.ranking.test_vectors import dense
from tests.iscore.learners.posterior_mode import posterior_mode

TEXTS = [*about("rain", 4), *about("ships", 3), *about("gold", 6), *about("rain", 1, seed=9)]
LABELLED, UNDELIVERED = np.arange(7), np.arange(7, 13)


@pytest.fixture(scope="module")
def training() -> Training:
    """Four likes about rain, three dislikes about ships, six articles about gold that were not delivered."""
    batch = TermBatch.of([terms(text) for text in TEXTS])
    weights = np.array([1.0, 0.5, 1.0, 0.3, 1.0, 1.0, 0.25])
    return Training(Vectors.of(batch, fit(batch, 1)), LABELLED, LABELLED < 4, weights, UNDELIVERED, 2.5)


def without(training: Training, row: int) -> Training:
    """Return the same without one labelled article."""
    kept = np.arange(len(training.labelled)) != row
    return replace(
        training, labelled=training.labelled[kept], liked=training.liked[kept], weights=training.weights[kept]
    )


def only(training: Training, *rows: int) -> Training:
    """Return the same with these labelled articles only."""
    chosen = np.array(rows)
    return replace(
        training, labelled=training.labelled[chosen], liked=training.liked[chosen], weights=training.weights[chosen]
    )


def test_rocchio_left_out_scores_are_exactly_those_of_a_ranker_fitted_without_the_article(training: Training) -> None:
    # With a single like, or a single dislike, nothing of its kind is left.
    for given in (training, only(training, 0, 1, 5), only(training, 2, 4, 5), only(training, 0)):
        left_out = rocchio(given).left_out
        for row, place in enumerate(given.labelled.tolist()):
            other = rocchio(without(given, row))
            assert left_out[row] == pytest.approx(other.scores(given.vectors, np.array([place]))[0], abs=1e-9)


def test_rocchio_is_the_difference_of_means(training: Training) -> None:
    matrix, weights = dense(training.vectors), training.weights
    liked, disliked = (
        np.average(matrix[LABELLED[mine]], axis=0, weights=weights[mine]) for mine in (LABELLED < 4, LABELLED >= 4)
    )
    direction = liked - matrix[UNDELIVERED].mean(axis=0) - 0.25 * disliked
    everything = np.arange(len(TEXTS))
    assert rocchio(training).scores(training.vectors, everything) == pytest.approx(30 * matrix @ direction)


def costs_of(training: Training) -> np.ndarray:
    weak = np.full(len(training.hidden), HIDDEN_COST * training.represented)
    return COST * np.concatenate([training.weights, weak])


def best(training: Training, costs: np.ndarray) -> np.ndarray:
    """Return the weights of the smallest loss, dense, the bias last."""
    places = np.concatenate([training.labelled, training.hidden])
    matrix = np.hstack([dense(training.vectors)[places], np.ones((len(places), 1))])
    signs = np.where(np.concatenate([training.liked, np.zeros(len(training.hidden), bool)]), 1.0, -1.0)
    n = matrix.shape[1]
    return posterior_mode(matrix, signs, costs, np.zeros(n), np.eye(n))[0]


def found_by(training: Training) -> np.ndarray:
    ranker = regression(training)
    return np.concatenate([ranker.weights.words, ranker.weights.stream, [ranker.bias]])


def test_regression_has_the_smallest_loss(training: Training) -> None:
    assert found_by(training) == pytest.approx(best(training, costs_of(training)), abs=1e-3)


def test_regression_left_out_scores_are_those_of_a_fit_without_their_fold(training: Training) -> None:
    left_out = regression(training).left_out
    matrix = np.hstack([dense(training.vectors), np.ones((len(TEXTS), 1))])
    for fold in ([0, 4], [1, 5], [2, 6], [3]):  # likes and dislikes take turns
        costs = costs_of(training)
        costs[fold] = 0.0
        assert left_out[fold] == pytest.approx(matrix[fold] @ best(training, costs), abs=1e-3)


def test_an_article_of_the_sample_counts_as_often_as_it_represents(training: Training) -> None:
    twice = replace(training, hidden=np.concatenate([UNDELIVERED, UNDELIVERED]), represented=1.25)
    assert found_by(twice) == pytest.approx(found_by(training), abs=1e-3)


@pytest.mark.parametrize("fitted", [rocchio, regression])
def test_what_is_like_the_liked_ranks_above_what_was_never_delivered(training: Training, fitted) -> None:
    for given in (training, only(training, 0), replace(training, hidden=UNDELIVERED[:0])):
        ranker = fitted(given)
        rain = ranker.scores(training.vectors, np.array([13]))[0]
        assert rain > ranker.scores(training.vectors, UNDELIVERED).max()


@pytest.mark.parametrize("fitted", [rocchio, regression])
def test_the_same_articles_give_the_same_bits(training: Training, fitted) -> None:
    first, second = fitted(training), fitted(training)
    assert first.left_out.tobytes() == second.left_out.tobytes()
    assert first.weights.words.tobytes() == second.weights.words.tobytes()
    assert first.weights.stream.tobytes() == second.weights.stream.tobytes()
    assert first.bias == second.bias
