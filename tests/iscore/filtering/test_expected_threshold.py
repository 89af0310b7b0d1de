"""The threshold with the best expected F-beta follows from the newest scores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.filtering.delivery.threshold import best_threshold
from iscore.filtering.paper import EVERY, NEWEST, AdaptiveThreshold, ExpectedThreshold
from iscore.filtering.ranking.calibration import sigmoid
from iscore.filtering.serialization import pack, unpack


def learned(scores: list[float]) -> ExpectedThreshold:
    threshold = ExpectedThreshold()
    for score in scores:
        threshold.learn(score, score > 0.0)
    return threshold


def test_it_is_the_best_cut_of_the_newest_scores() -> None:
    scores = np.random.default_rng(1).normal(-2.0, 2.0, NEWEST + 5 * EVERY).tolist()
    cut = best_threshold(sigmoid(np.array(scores[-NEWEST:])))
    assert learned(scores).threshold == pytest.approx(math.log(cut / (1.0 - cut)))


def test_weak_signals_are_delivered_where_the_threshold_of_the_past_starves() -> None:
    random = np.random.default_rng(2)
    scores = random.normal(-2.0, 0.7, 3000)
    liked = random.random(3000) < sigmoid(scores)
    hits = {}
    for threshold in (ExpectedThreshold(), AdaptiveThreshold()):
        delivered = np.zeros(3000, dtype=np.bool_)
        for number, (score, like) in enumerate(zip(scores.tolist(), liked.tolist(), strict=True)):
            delivered[number] = threshold.decide(score)
            threshold.learn(score, like)
        hits[type(threshold)] = int((delivered & liked)[:1000].sum())
    assert hits[AdaptiveThreshold] < 10
    assert hits[ExpectedThreshold] > 30


def test_sure_likes_raise_it_above_even_odds() -> None:
    assert learned([8.0] * 20 + [-8.0] * 80).threshold > 1.0


def test_before_there_are_scores_and_without_hope_it_is_even_odds() -> None:
    assert ExpectedThreshold().threshold == 0.0
    assert learned([1.0] * (EVERY - 1)).threshold == 0.0
    assert learned([-1e3] * EVERY).threshold == 0.0


def test_a_restored_one_goes_on_as_before() -> None:
    scores = np.random.default_rng(3).normal(-2.0, 2.0, 75).tolist()
    one, other = learned(scores), ExpectedThreshold()
    other.restore(unpack(pack(one.state())))
    for threshold in (one, other):
        for score in scores[:7]:
            threshold.learn(score, False)
    assert other.threshold == one.threshold
    assert pack(other.state()) == pack(one.state())


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="beta"):
        ExpectedThreshold(0.0)
    with pytest.raises(ValueError, match="number"):
        ExpectedThreshold().learn(math.nan, True)
