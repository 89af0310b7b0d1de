"""The nearest liked article by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.reader.nearest_liked import LIKED, NearestLiked
from extractors.text.terms import TermVector


def _vector(*weights: float) -> TermVector:
    ids = np.flatnonzero(weights).astype(np.int32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), np.array(weights, dtype=np.float32)[ids])


def test_the_largest_cosine_with_a_liked_article_counts_and_dislikes_do_not(piece) -> None:
    nearest = NearestLiked()
    assert isnan(nearest.extract(AnalysedArticle(piece(), _vector(1.0)))[0])
    nearest.learn(AnalysedArticle(piece(), _vector(0.6, 0.8)), True, 1.0)
    nearest.learn(AnalysedArticle(piece(), _vector(0.0, 0.0, 1.0)), True, 9.0)
    nearest.learn(AnalysedArticle(piece(), _vector(1.0)), False, 1.0)
    assert nearest.extract(AnalysedArticle(piece(), _vector(1.0)))[0] == pytest.approx(0.6, abs=1e-4)
    assert nearest.extract(AnalysedArticle(piece(), _vector(0.0, 0.6, 0.8)))[0] == pytest.approx(0.8, abs=1e-4)


def test_a_like_is_forgotten_when_the_memory_is_full(piece) -> None:
    nearest = NearestLiked()
    nearest.learn(AnalysedArticle(piece(), _vector(1.0)), True, 1.0)
    for _ in range(LIKED - 1):
        nearest.learn(AnalysedArticle(piece(), _vector(0.0, 1.0)), True, 1.0)
    assert nearest.extract(AnalysedArticle(piece(), _vector(1.0)))[0] == pytest.approx(1.0, abs=1e-4)
    nearest.learn(AnalysedArticle(piece(), _vector(0.0, 1.0)), True, 1.0)
    assert nearest.extract(AnalysedArticle(piece(), _vector(1.0)))[0] == 0.0
