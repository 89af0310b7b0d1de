"""The cold start: scores by topic and source, and limits on what is recommended."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.filtering.decision.cold_start import (
    A_DAY,
    BEST,
    FIRST_DAY,
    IMPORTED_SHARE,
    PER_LIKE,
    PER_LIKE_TRAINED,
    ColdStart,
    best_threshold,
    diverse_at_most,
    imported_threshold,
    recommended_at_most,
)
from iscore.filtering.decision.trained import MIN_VERDICTS, is_trained

NAMES = ("length", "rocchio", "anomaly_mean", "source_reputation")
MISSING = [math.nan] * 4


def score(*rows: list[float], likes: int = 0, dislikes: int = 0, names: tuple[str, ...] = NAMES) -> list[float]:
    return ColdStart(names).score_many(np.array(rows), likes, dislikes).tolist()


def test_without_verdicts_all_scores_are_equal() -> None:
    assert score([100.0, 0.9, 0.1, 0.9], MISSING) == [0.0, 0.0]


def test_articles_nearer_to_liked_ones_score_higher() -> None:
    near, far, unknown = score([1.0, 0.5, 0.9, 0.5], [1.0, 0.0, 0.9, 0.5], MISSING, likes=2)
    assert near > far
    assert near > unknown


def test_articles_like_the_rest_of_the_stream_score_lower() -> None:
    special, ordinary = score([1.0, 0.3, 0.95, 0.5], [1.0, 0.3, 0.6, 0.5], likes=3)
    assert special > ordinary


def test_articles_from_better_sources_score_higher() -> None:
    good, unknown, bad = score(
        [1.0, 0.1, 0.9, 0.9], [1.0, 0.1, 0.9, math.nan], [1.0, 0.1, 0.9, 0.1], likes=3, dislikes=3
    )
    assert good > unknown > bad


def test_missing_features_are_neutral() -> None:
    for likes, dislikes in ((0, 3), (3, 0), (2, 2)):
        alone = score([7.0], [8.0], likes=likes, dislikes=dislikes, names=("length",))
        assert alone == score(MISSING, MISSING, likes=likes, dislikes=dislikes)
        assert alone == pytest.approx([math.log((likes + 1) / (dislikes + 1))] * 2)


@pytest.mark.parametrize("extreme", [0.0, 1.0])
def test_scores_are_finite(extreme: float) -> None:
    assert all(map(math.isfinite, score([0.0, extreme, extreme, extreme], likes=4)))


def test_the_threshold_lets_the_best_pass_and_of_equal_scores_all_or_none() -> None:
    scores = np.array([3.0, 1.0, 1.0, -2.0, 0.5])
    for count, passed in ((0, 0), (1, 1), (2, 1), (3, 3), (4, 4), (5, 5), (9, 5)):
        assert (scores >= best_threshold(scores, count)).sum() == passed
    assert best_threshold(np.array([]), 3) == 0.0


def test_nothing_is_recommended_before_the_first_like_and_more_with_each() -> None:
    assert recommended_at_most(0, 0.5, 400, 0) == 0
    assert recommended_at_most(1, 0.0, 400, 0) == BEST + PER_LIKE
    assert recommended_at_most(4, 0.0, 400, 3) == BEST + 4 * PER_LIKE - 3
    assert recommended_at_most(1, 0.0, 400, 50) == 0


def test_a_user_who_likes_much_of_the_diverse_selection_gets_as_much_of_a_batch() -> None:
    assert recommended_at_most(9, 0.45, 400, 100) == 180


def test_a_classifier_with_few_verdicts_recommends_little_a_day_and_more_with_each_like() -> None:
    assert recommended_at_most(5, 0.0, 400, 0, trained=True) == BEST + 5 * PER_LIKE_TRAINED
    assert recommended_at_most(5, 0.0, 400, 2, trained=True) == BEST + 5 * PER_LIKE_TRAINED - 2
    assert recommended_at_most(5, 0.0, 400, 2, trained=True, days=7.0) == 7 * (BEST + 5 * PER_LIKE_TRAINED) - 2
    assert recommended_at_most(5, 0.3, 400, 2, trained=True) == 120


def test_the_diverse_selection_ends_with_the_first_like() -> None:
    assert diverse_at_most(0, 0, 0) == FIRST_DAY
    assert diverse_at_most(0, 20, 4) == A_DAY - 4
    assert diverse_at_most(0, 20, 30) == 0
    assert diverse_at_most(1, 20, 0) == 0


def test_imported_items_rank_topics_before_the_first_verdict() -> None:
    rows = np.array([[1.0, 0.5, 0.9, math.nan], [1.0, 0.02, 0.9, math.nan], MISSING])
    near, far, unknown = ColdStart(NAMES).score_many(rows, 0, 0, imported=True)
    assert near > unknown == 0.0 > far


@pytest.mark.parametrize(
    ("likes", "dislikes", "share"),
    [
        (0, 0, IMPORTED_SHARE),
        (0, 4, 1 / 14),
        (2, 0, 3 / 12),
        (2, 30, 3 / 42),
        (3, 3, 4 / 16),
        (9, 2, 10 / 21),
        (40, 2, 0.5),
    ],
)
def test_after_an_import_the_best_tenth_passes_and_then_as_much_as_is_liked(
    likes: int, dislikes: int, share: float
) -> None:
    for mean in (-4.0, 4.0):
        scores = np.random.default_rng(likes).normal(mean, 1.0, 400)
        passed = np.mean(scores >= imported_threshold(scores, likes, dislikes))
        assert passed == pytest.approx(share, abs=1 / len(scores))
    assert imported_threshold(np.array([]), likes, dislikes) == 0.0
    assert imported_threshold(np.array([-3.0]), likes, dislikes) == -3.0


def test_five_of_each_kind_are_enough() -> None:
    assert is_trained(MIN_VERDICTS, MIN_VERDICTS)
    assert not is_trained(MIN_VERDICTS - 1, 100)
    assert not is_trained(100, MIN_VERDICTS - 1)
