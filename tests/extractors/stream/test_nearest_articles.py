"""The nearest of the last articles against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.stream.article_ring import HEAVIEST
from extractors.stream.nearest_articles import NearestArticles
from extractors.text.terms import TermBatch, TermVector


def _random(rng: np.random.Generator, size: int) -> TermVector:
    ids = np.sort(rng.choice(120, size=size, replace=False)).astype(np.int32)
    weights = rng.random(size).astype(np.float32)
    weights /= np.linalg.norm(weights) if size else 1
    return TermVector(ids, np.ones(size, dtype=np.float32), weights)


def _dense_head(terms: TermVector) -> np.ndarray:
    row = np.zeros(120)
    heaviest = np.argsort(-terms.weights, kind="stable")[:HEAVIEST]
    row[terms.ids[heaviest]] = terms.weights[heaviest]
    length = np.linalg.norm(row)
    return row / length if length else row


def _added(ring: NearestArticles, terms: TermVector) -> float:
    return float(ring.nearest_and_add(TermBatch.of([terms]), np.array([True]))[0])


@pytest.mark.parametrize("capacity", [1, 8, 64])
def test_the_nearest_is_that_of_dense_products_over_the_last_articles(capacity: int) -> None:
    rng = np.random.default_rng(3)
    ring, past = NearestArticles(capacity), []
    for _ in range(60):
        terms = _random(rng, int(rng.integers(1, 90)))
        expected = [_dense_head(terms) @ other for other in past[-capacity:]]
        assert len(expected) == len(ring)
        nearest = ring.nearest(TermBatch.of([terms]))
        assert nearest == pytest.approx([max(expected)] if expected else [np.nan], abs=2e-4, nan_ok=True)
        assert _added(ring, terms) == pytest.approx(nearest[0], nan_ok=True)
        past.append(_dense_head(terms))


def test_equal_weights_leave_the_larger_ids_out() -> None:
    size = HEAVIEST + 10
    many = TermVector(
        np.arange(size, dtype=np.int32), np.ones(size, np.float32), np.full(size, size**-0.5, dtype=np.float32)
    )
    ring = NearestArticles(4)
    _added(ring, many)
    one = np.ones(1, dtype=np.float32)
    asked = [TermVector(np.array([term], np.int32), one, one) for term in (HEAVIEST - 1, HEAVIEST)]
    assert (ring.nearest(TermBatch.of(asked)) > 0).tolist() == [True, False]


def test_an_empty_ring_and_an_article_without_terms_have_no_nearest() -> None:
    rng = np.random.default_rng(4)
    ring, terms, empty = NearestArticles(4), _random(rng, 5), _random(rng, 0)
    _added(ring, empty)
    assert np.isnan(ring.nearest(TermBatch.of([terms]))).all()
    _added(ring, terms)
    assert np.isnan(ring.nearest(TermBatch.of([terms, empty]))).tolist() == [False, True]


def test_a_capacity_that_is_no_power_of_two_is_refused() -> None:
    with pytest.raises(ValueError, match="power of two"):
        NearestArticles(12)
