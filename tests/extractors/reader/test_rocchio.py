"""Rocchio against dense vectors."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.reader.rocchio import BETA, GAMMA, Rocchio
from extractors.text.terms import TermVector


def _vector(weights: np.ndarray) -> TermVector:
    ids = np.flatnonzero(weights).astype(np.int32)
    scaled = (weights[ids] / np.linalg.norm(weights)).astype(np.float32) if len(ids) else np.empty(0, np.float32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), scaled)


def test_it_is_the_cosine_with_the_weighted_difference_of_means(piece) -> None:
    rng = np.random.default_rng(5)
    rocchio, sums, totals = Rocchio(), np.zeros((2, 30)), np.zeros(2)
    for number in range(25):
        vector = rng.random(30) * (rng.random(30) < 0.4)
        vector[number % 30] += 0.1
        unit = vector / np.linalg.norm(vector)
        if number:
            means = sums / np.maximum(totals, 1e-300)[:, None]
            profile = BETA * means[1] - GAMMA * means[0]
            expected = unit @ profile / np.linalg.norm(profile)
            assert rocchio.extract(AnalysedArticle(piece(), _vector(vector)))[0] == pytest.approx(expected, abs=1e-6)
        label, weight = int(rng.random() < 0.4), float(rng.integers(1, 4))
        rocchio.learn(AnalysedArticle(piece(), _vector(vector)), bool(label), weight)
        sums[label] += weight * unit
        totals[label] += weight


def test_it_is_missing_before_the_first_verdict_and_without_words(piece) -> None:
    rocchio, some, none = Rocchio(), _vector(np.ones(3)), _vector(np.zeros(3))
    assert isnan(rocchio.extract(AnalysedArticle(piece(), some))[0])
    rocchio.learn(AnalysedArticle(piece(), some), True, 1.0)
    assert rocchio.extract(AnalysedArticle(piece(), some))[0] == pytest.approx(1.0)
    assert isnan(rocchio.extract(AnalysedArticle(piece(), none))[0])
