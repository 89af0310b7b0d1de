"""The bank of Rocchio settings, worked by hand and against dense vectors."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.reader.erocchio import BINS, GAMMAS, HALF_LIVES, LEAD, MEMORY, START, ERocchio
from extractors.reader.profile_sums import ProfileSums, add_article, multiply
from extractors.text.terms import TermBatch, TermVector


def _vector(*weights: float) -> TermVector:
    dense = np.array(weights)
    ids = np.flatnonzero(dense).astype(np.int32)
    scaled = (dense[ids] / np.linalg.norm(dense)).astype(np.float32) if len(ids) else np.empty(0, np.float32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), scaled)


def _random(rng: np.random.Generator, n: int = 30) -> np.ndarray:
    dense = rng.random(n) * (rng.random(n) < 0.4)
    dense[rng.integers(n)] += 0.1
    return dense


def _add(sums: ProfileSums, dense, liked: bool, weight: float) -> None:
    terms = _vector(*dense)
    add_article(sums.claim(terms.ids), terms.weights, int(liked), weight, sums.arrays)


def test_a_value_worked_by_hand(piece) -> None:
    def article(*weights: float) -> AnalysedArticle:
        return AnalysedArticle(piece(), _vector(*weights))

    erocchio = ERocchio()
    erocchio.learn(article(1, 0, 0), True, 1.0)
    # The profile is (1, 0, 0); before there is evidence disliked articles lie at 0 ± 0.05.
    assert erocchio.extract(article(3, 4, 0))[0] == pytest.approx(0.6 / 0.05)
    erocchio.learn(article(4, 0, 3), False, 1.0)
    # It was at cosine 0.8. Now the profile is (1, 0, 0) − (0.8, 0, 0.6), of length √(0.2² + 0.6²).
    cosine = (0.2 * 0.6) / sqrt(0.04 + 0.36)
    mean = 0.8 / 6
    deviation = sqrt((0.64 + 5 * 0.0025) / 6 - mean**2)
    assert erocchio.extract(article(3, 4, 0))[0] == pytest.approx((cosine - mean) / deviation, abs=1e-6)


def test_every_profile_is_the_weighted_difference_of_fading_means() -> None:
    rng = np.random.default_rng(5)
    sums, articles = ProfileSums((float("inf"), 3.0)), []
    gammas = np.array([0.0, 0.5, 2.0])
    for _ in range(300):  # with a half-life of 3 the scale is shrunk twice
        dense, liked, weight = _random(rng), bool(rng.random() < 0.4), float(rng.integers(1, 4))
        articles.append((dense / np.linalg.norm(dense), liked, weight))
        _add(sums, dense, liked, weight)
    asked = _random(rng)
    directions = sums.directions(gammas)
    products, terms = np.zeros((2, 2)), _vector(*asked)
    multiply(sums.claim(terms.ids), terms.weights, sums.arrays, products)
    for which, half_life in enumerate((float("inf"), 3.0)):
        fades = np.array([weight for _, _, weight in articles]) * 0.5 ** (np.arange(300)[::-1] / half_life)
        vectors, kinds = np.array([a[0] for a in articles]), np.array([a[1] for a in articles])
        means = [np.average(vectors, axis=0, weights=fades * (kinds == kind)) for kind in (False, True)]
        for g, gamma in enumerate(gammas):
            profile = means[1] - gamma * means[0]
            expected = asked @ profile / np.linalg.norm(profile) / np.linalg.norm(asked)
            assert products[which] @ directions[which, g] == pytest.approx(expected, abs=1e-5)
            projected = sums.project(TermBatch.of([_vector(*asked)]), which, directions[which, g])
            assert projected == pytest.approx([expected], abs=1e-5)


def test_like_and_dislike_of_the_same_leave_no_direction() -> None:
    sums = ProfileSums((float("inf"),))
    _add(sums, (1, 2), True, 1.0)
    assert not np.isnan(sums.directions(GAMMAS)).any()
    _add(sums, (1, 2), False, 1.0)
    assert np.isnan(sums.directions(np.array([1.0]))).all()
    assert not np.isnan(sums.directions(np.array([0.0, 0.5]))).any()


def test_the_setting_that_filters_best_gives_the_feature(piece) -> None:
    """What liked articles have most of, disliked ones have more of still: closeness to the likes misleads."""
    rng = np.random.default_rng(8)
    erocchio = ERocchio()
    for number in range(400):
        liked = number % 4 == 0
        dense = np.concatenate([[1.0 if liked else 3.0], rng.random(6), [0.4 if liked else 0.0]])
        erocchio.learn(AnalysedArticle(piece(), _vector(*dense)), liked, 1.0)
    wrong, right, liked = erocchio.state()["decided"].T
    f05 = 1.25 * right / (right + wrong + 0.25 * liked)
    best = erocchio.state()["best"]
    assert f05[best] >= f05.max() - LEAD
    assert f05[best] > f05[0] + LEAD
    assert GAMMAS[best % len(GAMMAS)] > 0.0


def test_after_a_change_of_interests_the_forgetful_half_of_the_bank_takes_over(piece) -> None:
    rng = np.random.default_rng(9)
    erocchio = ERocchio()
    for number in range(6000):
        topic = int(rng.integers(4))
        dense = rng.random(20) * (rng.random(20) < 0.3)
        dense[topic] += 0.6
        erocchio.learn(AnalysedArticle(piece(), _vector(*dense)), topic == int(number >= 3000), 1.0)
    assert erocchio.state()["best"] >= len(GAMMAS)


def test_each_cut_is_the_one_that_would_have_been_best(piece) -> None:
    rng = np.random.default_rng(10)
    erocchio = ERocchio()
    for _ in range(60):
        liked = bool(rng.random() < 0.3)
        erocchio.learn(AnalysedArticle(piece(), _vector(*(_random(rng) + 0.3 * liked))), liked, 1.0)
    counts, cuts = erocchio.state()["counts"], erocchio.state()["cuts"]
    for setting in range(len(HALF_LIVES) * len(GAMMAS)):
        passed = counts[setting, :, ::-1].cumsum(axis=1)[:, ::-1]
        f05 = 1.25 * passed[1] / (passed.sum(axis=0) + 0.25 * counts[setting, 1].sum() + 1e-300)
        assert f05[cuts[setting]] == pytest.approx(f05.max())
        assert counts[setting].shape == (2, BINS)


def test_it_is_missing_before_the_first_like_and_without_words(piece) -> None:
    erocchio, some = ERocchio(), AnalysedArticle(piece(), _vector(1, 1))
    erocchio.learn(some, False, 1.0)
    assert isnan(erocchio.extract(some)[0])
    erocchio.learn(AnalysedArticle(piece(), _vector(0, 1, 1)), True, 1.0)
    assert not isnan(erocchio.extract(some)[0])
    assert isnan(erocchio.extract(AnalysedArticle(piece(), _vector(0, 0)))[0])
    assert erocchio.state()["best"] == START


def test_old_decisions_and_old_cosines_fade(piece) -> None:
    erocchio = ERocchio()
    for _ in range(50):
        erocchio.learn(AnalysedArticle(piece(), _vector(1, 1)), True, 2.0)
    state = erocchio.state()
    assert state["decided"][:, 2] == pytest.approx(2.0 * sum(0.5 ** (age / MEMORY) for age in range(50)))
    for which, half_life in enumerate(HALF_LIVES):  # the first article met no profile yet
        expected = 2.0 * sum(0.5 ** (age / half_life) for age in range(49))
        assert state["counts"][which * len(GAMMAS), 1].sum() == pytest.approx(expected)
