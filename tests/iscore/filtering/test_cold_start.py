"""The cold start: what the classifier stands for, by topic and source, until it has learned enough."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.filtering.paper import ColdStart

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


def test_imported_items_rank_topics_before_the_first_verdict() -> None:
    rows = np.array([[1.0, 0.5, 0.9, math.nan], [1.0, 0.02, 0.9, math.nan], MISSING])
    near, far, unknown = ColdStart(NAMES).score_many(rows, 0, 0, imported=True)
    assert near > unknown == 0.0 > far


def test_five_of_each_kind_are_enough() -> None:
    assert is_trained(MIN_VERDICTS, MIN_VERDICTS)
    assert not is_trained(MIN_VERDICTS - 1, 100)
    assert not is_trained(100, MIN_VERDICTS - 1)
