"""Ranking while little is known: by topic and source, from nothing, and never starving anybody."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.filtering.decision.cold_start import (
    A_DAY,
    BEST,
    FIRST_DAY,
    PER_LIKE,
    PER_LIKE_WARM,
    SEEDED_SHARE,
    ColdStart,
    cut_after,
    recommended_at_most,
    representatives_at_most,
    seeded_threshold,
)
from iscore.filtering.decision.trained import ENOUGH, is_trained

NAMES = ("length", "rocchio", "anomaly_mean", "source_reputation")
MISSING = [math.nan] * 4


def score(*rows: list[float], likes: int = 0, dislikes: int = 0, names: tuple[str, ...] = NAMES) -> list[float]:
    return ColdStart(names).score_many(np.array(rows), likes, dislikes).tolist()


def test_without_verdicts_all_articles_are_alike() -> None:
    assert score([100.0, 0.9, 0.1, 0.9], MISSING) == [0.0, 0.0]


def test_what_is_nearer_to_what_was_liked_comes_first() -> None:
    near, far, unknown = score([1.0, 0.5, 0.9, 0.5], [1.0, 0.0, 0.9, 0.5], MISSING, likes=2)
    assert near > far
    assert near > unknown


def test_what_is_like_everything_else_is_not_near() -> None:
    special, ordinary = score([1.0, 0.3, 0.95, 0.5], [1.0, 0.3, 0.6, 0.5], likes=3)
    assert special > ordinary


def test_a_better_source_comes_first() -> None:
    good, unknown, bad = score(
        [1.0, 0.1, 0.9, 0.9], [1.0, 0.1, 0.9, math.nan], [1.0, 0.1, 0.9, 0.1], likes=3, dislikes=3
    )
    assert good > unknown > bad


def test_missing_features_are_neutral_and_unknown_ones_do_not_count() -> None:
    for likes, dislikes in ((0, 3), (3, 0), (2, 2)):
        alone = score([7.0], [8.0], likes=likes, dislikes=dislikes, names=("length",))
        assert alone == score(MISSING, MISSING, likes=likes, dislikes=dislikes)
        assert alone == pytest.approx([math.log((likes + 1) / (dislikes + 1))] * 2)


@pytest.mark.parametrize("extreme", [0.0, 1.0])
def test_scores_are_finite(extreme: float) -> None:
    assert all(map(math.isfinite, score([0.0, extreme, extreme, extreme], likes=4)))


def test_the_best_pass_and_of_equal_ones_all_or_none() -> None:
    scores = np.array([3.0, 1.0, 1.0, -2.0, 0.5])
    for count, passed in ((0, 0), (1, 1), (2, 1), (3, 3), (4, 4), (5, 5), (9, 5)):
        assert (scores >= cut_after(scores, count)).sum() == passed
    assert cut_after(np.array([]), 3) == 0.0


def test_nothing_is_recommended_before_the_first_like_and_more_with_each() -> None:
    assert recommended_at_most(0, 0.5, 400, 0) == 0
    assert recommended_at_most(1, 0.0, 400, 0) == BEST + PER_LIKE
    assert recommended_at_most(4, 0.0, 400, 3) == BEST + 4 * PER_LIKE - 3
    assert recommended_at_most(1, 0.0, 400, 50) == 0


def test_who_likes_much_of_what_stands_for_all_gets_as_much_of_a_batch() -> None:
    assert recommended_at_most(9, 0.45, 400, 100) == 180


def test_a_classifier_that_has_just_begun_to_judge_recommends_little_of_a_day_and_more_with_each_like() -> None:
    assert recommended_at_most(5, 0.0, 400, 0, warm=True) == BEST + 5 * PER_LIKE_WARM
    assert recommended_at_most(5, 0.0, 400, 2, warm=True) == BEST + 5 * PER_LIKE_WARM - 2
    assert recommended_at_most(5, 0.0, 400, 2, warm=True, days=7.0) == 7 * (BEST + 5 * PER_LIKE_WARM) - 2
    assert recommended_at_most(5, 0.3, 400, 2, warm=True) == 120


def test_representatives_end_once_something_was_liked() -> None:
    assert representatives_at_most(0, 0, 0) == FIRST_DAY
    assert representatives_at_most(0, 20, 4) == A_DAY - 4
    assert representatives_at_most(0, 20, 30) == 0
    assert representatives_at_most(1, 20, 0) == 0


def test_seeds_tell_topics_apart_before_the_first_verdict() -> None:
    rows = np.array([[1.0, 0.5, 0.9, math.nan], [1.0, 0.02, 0.9, math.nan], MISSING])
    near, far, unknown = ColdStart(NAMES).score_many(rows, 0, 0, seeded=True)
    assert near > unknown == 0.0 > far


@pytest.mark.parametrize(
    ("likes", "dislikes", "share"),
    [
        (0, 0, SEEDED_SHARE),
        (0, 4, 1 / 14),
        (2, 0, 3 / 12),
        (2, 30, 3 / 42),
        (3, 3, 4 / 16),
        (9, 2, 10 / 21),
        (40, 2, 0.5),
    ],
)
def test_who_brought_seeds_gets_the_best_tenth_and_then_what_they_like(likes: int, dislikes: int, share: float) -> None:
    for mean in (-4.0, 4.0):
        scores = np.random.default_rng(likes).normal(mean, 1.0, 400)
        passed = np.mean(scores >= seeded_threshold(scores, likes, dislikes))
        assert passed == pytest.approx(share, abs=1 / len(scores))
    assert seeded_threshold(np.array([]), likes, dislikes) == 0.0
    assert seeded_threshold(np.array([-3.0]), likes, dislikes) == -3.0


def test_five_of_each_kind_are_enough() -> None:
    assert is_trained(ENOUGH, ENOUGH)
    assert not is_trained(ENOUGH - 1, 100)
    assert not is_trained(100, ENOUGH - 1)
