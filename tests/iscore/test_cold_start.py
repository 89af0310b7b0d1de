"""Ranking while little is known: by topic and source, from nothing, and never starving anybody."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.cold_start import SEEDED_SHARE, ColdStart, generous_threshold, seeded_threshold
from iscore.warmth import ENOUGH, is_warm

NAMES = ("length", "rocchio", "anomaly_mean", "source_reputation")
MISSING = [math.nan] * 4


def score(*rows: list[float], likes: int = 0, dislikes: int = 0, names: tuple[str, ...] = NAMES) -> list[float]:
    return ColdStart(names).score_many(np.array(rows), likes, dislikes).tolist()


def test_without_verdicts_all_articles_are_alike() -> None:
    assert score([100.0, 0.9, 0.1, 0.9], MISSING) == [0.0, 0.0]
    assert generous_threshold(np.zeros(4), 0) == 0.0


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


@pytest.mark.parametrize("verdicts", [1, 4, 12, 200])
@pytest.mark.parametrize("mean", [-4.0, 0.0, 4.0])
def test_the_best_of_a_batch_always_pass(verdicts: int, mean: float) -> None:
    scores = np.random.default_rng(verdicts).normal(mean, 1.0, 400)
    threshold = generous_threshold(scores, verdicts)
    assert threshold <= 0.0
    share = min(0.5, ENOUGH / verdicts)
    assert np.mean(scores >= threshold) >= share - 1 / len(scores)
    assert generous_threshold(np.array([]), verdicts) == 0.0


def test_seeds_tell_topics_apart_before_the_first_verdict() -> None:
    rows = np.array([[1.0, 0.5, 0.9, math.nan], [1.0, 0.02, 0.9, math.nan], MISSING])
    near, far, unknown = ColdStart(NAMES).score_many(rows, 0, 0, seeded=True)
    assert near > unknown == 0.0 > far


@pytest.mark.parametrize(
    ("likes", "dislikes", "share"),
    [(0, 0, SEEDED_SHARE), (0, 4, SEEDED_SHARE), (0, 200, 5 / 200), (2, 30, SEEDED_SHARE), (3, 3, 0.375), (9, 2, 0.5)],
)
def test_who_brought_seeds_gets_the_best_tenth_or_what_they_like(likes: int, dislikes: int, share: float) -> None:
    for mean in (-4.0, 4.0):
        scores = np.random.default_rng(likes).normal(mean, 1.0, 400)
        passed = np.mean(scores >= seeded_threshold(scores, likes, dislikes))
        assert passed == pytest.approx(share, abs=1 / len(scores))
    assert seeded_threshold(np.array([]), likes, dislikes) == 0.0
    assert seeded_threshold(np.array([-3.0]), likes, dislikes) == -3.0


def test_five_of_each_kind_are_enough() -> None:
    assert is_warm(ENOUGH, ENOUGH)
    assert not is_warm(ENOUGH - 1, 100)
    assert not is_warm(100, ENOUGH - 1)
