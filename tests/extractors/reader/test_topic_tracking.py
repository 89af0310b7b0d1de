"""Multiple topic tracking, worked by hand and against profiles kept in dictionaries."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Verdicts
from extractors.reader.topic_profiles import WIDTH, Profiles, drop, find_cosines, join, largest_product
from extractors.reader.topic_tracking import DROP_AFTER, HALF_LIFE, NEAR, PROFILES, TopicTracking
from extractors.text.terms import N_TERMS, TermVector

FADE = 0.5 ** (1 / HALF_LIFE)


def _vector(weights: dict[int, float]) -> TermVector:
    ids = np.array(sorted(weights), dtype=np.int32)
    values = np.array([weights[term] for term in ids])
    scaled = (values / np.linalg.norm(values)).astype(np.float32) if len(ids) else np.empty(0, np.float32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), scaled)


def _article(piece, weights: dict[int, float]) -> AnalysedArticle:
    return AnalysedArticle(piece(), _vector(weights))


def test_two_topics_worked_by_hand(piece) -> None:
    tracking = TopicTracking()
    tracking.learn(_article(piece, {1: 1.0}), True, 1.0)
    tracking.learn(_article(piece, {2: 1.0}), True, 1.0)  # nothing in common: founds a topic of its own
    tracking.learn(_article(piece, {1: 3.0, 7: 4.0}), False, 1.0)  # at cosine 0.6 of the first
    share = (FADE**2 + FADE + 1) / (FADE**2 + FADE + 1 + 2)
    first = (FADE**2 + 2 * share) / (FADE**2 + 1 + 2)
    second = (FADE + 2 * share) / (FADE + 2)

    def value(weights: dict[int, float]) -> float:
        return float(tracking.extract(_article(piece, weights))[0])

    assert value({1: 1.0}) == pytest.approx(first, abs=1e-6)
    assert value({2: 1.0}) == pytest.approx(second, abs=1e-6)
    assert value({1: 4.0, 2: 3.0}) == pytest.approx(max(0.8 * first, 0.6 * second), abs=1e-6)
    assert value({7: 1.0}) == 0.0, "dislikes do not shape profiles"
    tracking.learn(_article(piece, {2: 1.0, 3: 1.0}), True, 1.0)  # joins the second
    joined = sqrt((FADE**2 + sqrt(0.5)) ** 2 + 0.5)
    interestingness = (FADE**2 + 1 + 2 * _share(tracking)) / (FADE**2 + 1 + 2)
    assert value({2: 1.0}) == pytest.approx((FADE**2 + sqrt(0.5)) / joined * interestingness, abs=1e-6)


def _share(tracking: TopicTracking) -> float:
    disliked, liked = tracking.state()["totals"] / tracking.state()["scale"]
    return float((liked + 1) / (disliked + liked + 2))


def test_an_article_far_from_every_topic_starts_one_and_a_nearer_one_joins(piece) -> None:
    for cosine, topics in ((NEAR - 0.01, 2), (NEAR + 0.01, 1)):
        tracking = TopicTracking()
        tracking.learn(_article(piece, {1: 1.0}), True, 1.0)
        tracking.learn(_article(piece, {1: cosine, 2: sqrt(1 - cosine**2)}), True, 1.0)
        assert np.count_nonzero(tracking.state()["profiles"]["lengths"]) == topics


def test_a_topic_with_dislikes_is_dropped_and_its_place_reused(piece) -> None:
    tracking = TopicTracking()
    for term in (1, 2):
        for _ in range(3):
            tracking.learn(_article(piece, {term: 1.0}), True, 1.0)
    for number in range(int(DROP_AFTER) + 2):
        assert tracking.extract(_article(piece, {1: 1.0}))[0] > 0.0, number
        tracking.learn(_article(piece, {1: 1.0}), False, 1.0)
        if tracking.state()["profiles"]["lengths"][0] == 0.0:
            break
    assert tracking.extract(_article(piece, {1: 1.0}))[0] == 0.0
    assert tracking.extract(_article(piece, {2: 1.0}))[0] > 0.5
    tracking.learn(_article(piece, {5: 1.0}), True, 1.0)
    assert tracking.state()["profiles"]["ids"][0] == 5
    assert tracking.state()["liked"][0] == tracking.state()["judged"][0]


def test_without_room_a_new_topic_replaces_the_least_useful_one(piece) -> None:
    tracking = TopicTracking()
    for term in range(PROFILES):
        for _ in range(1 if term == 17 else 2):
            tracking.learn(_article(piece, {term: 1.0}), True, 1.0)
    tracking.learn(_article(piece, {1000: 1.0}), True, 1.0)
    asked = [tracking.extract(_article(piece, {term: 1.0}))[0] for term in (16, 17, 18, 1000)]
    assert asked[1] == 0.0
    assert min(asked[0], asked[2], asked[3]) > 0.5


def test_profiles_agree_with_dictionaries() -> None:
    rng = np.random.default_rng(3)
    profiles: list[dict[int, np.float32]] = [{} for _ in range(6)]
    kept = Profiles.empty(6, N_TERMS)
    for step in range(400):
        place = int(rng.integers(6))
        if step % 29 == 28:
            drop(place, kept)
            profiles[place] = {}
            continue
        ids = rng.choice(150, size=40, replace=False).tolist()
        vector = _vector({term: float(rng.random()) + 0.01 for term in ids})
        weight = float(1.0 + step / 100)
        join(vector.ids, vector.weights, weight, place, kept)
        sums = profiles[place]
        for term, added in zip(vector.ids.tolist(), vector.weights, strict=True):
            sums[term] = np.float32(np.float64(sums.get(term, 0.0)) + weight * np.float64(added))
        heaviest = sorted(sums, key=lambda term: -sums[term])[:WIDTH]
        profiles[place] = {term: sums[term] for term in heaviest}
        if step == 200:
            kept = Profiles.of(kept.state(), N_TERMS)
        asked = _vector({term: float(rng.random()) + 0.01 for term in rng.choice(150, size=30, replace=False).tolist()})
        expected = [
            sum(w * p.get(t, 0.0) for t, w in zip(asked.ids.tolist(), asked.weights, strict=True))
            / (np.linalg.norm(list(p.values())) if p else 1.0)
            for p in profiles
        ]
        cosines = np.empty(6)
        find_cosines(asked.ids, asked.weights, kept, cosines)
        assert cosines == pytest.approx(expected, abs=1e-6)
        factors = rng.random(6)
        assert largest_product(cosines, factors) == pytest.approx(max(np.array(expected) * factors), abs=1e-6)


def test_scaling_down_changes_nothing_but_the_scale(piece) -> None:
    tracking = TopicTracking()
    articles = [_article(piece, {1 + number % 2: 1.0, 3: 1.0}) for number in range(2)]
    many = AnalysedBatch.of(articles * 1000)
    for _ in range(int(40 * HALF_LIFE) // 2000):
        before = tracking.extract(_article(piece, {1: 1.0, 2: 1.0}))[0]
        tracking.extract_and_learn(many, Verdicts(np.ones(2000, dtype=np.bool_), np.ones(2000)))
    tracking.learn(articles[0], True, 1.0)
    assert tracking.state()["scale"] < 2.0
    assert tracking.extract(_article(piece, {1: 1.0, 2: 1.0}))[0] == pytest.approx(before, rel=1e-3)


def test_it_is_missing_before_the_first_like_and_without_words(piece) -> None:
    tracking, some = TopicTracking(), _article(piece, {1: 1.0})
    tracking.learn(some, False, 1.0)
    assert isnan(tracking.extract(some)[0])
    tracking.learn(some, True, 1.0)
    assert tracking.extract(some)[0] > 0.0
    assert isnan(tracking.extract(_article(piece, {}))[0])
