"""The window of heads against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.stream.nearest_articles import HEAVIEST, Heads
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


@pytest.mark.parametrize("capacity", [1, 8, 64])
def test_cosines_equal_dense_products_over_the_last_articles(capacity: int) -> None:
    rng = np.random.default_rng(3)
    heads, past = Heads(capacity), []
    for _ in range(40):
        terms = _random(rng, int(rng.integers(0, 90)))
        expected = {number: _dense_head(terms) @ other for number, other in list(enumerate(past))[-capacity:]}
        cosines = heads.cosines(terms)
        assert len(cosines) == len(expected) == len(heads)
        for number, cosine in expected.items():
            assert cosines[number % capacity] == pytest.approx(cosine, abs=2e-4)
        if expected and len(terms):
            nearest = heads.nearest(TermBatch.of([terms]))
            assert nearest[0] == cosines.max()
        heads.add(terms)
        past.append(_dense_head(terms))


def test_equal_weights_leave_the_larger_ids_out() -> None:
    size = HEAVIEST + 10
    many = TermVector(
        np.arange(size, dtype=np.int32), np.ones(size, np.float32), np.full(size, size**-0.5, dtype=np.float32)
    )
    heads = Heads(4)
    heads.add(many)
    one = np.ones(1, dtype=np.float32)
    assert heads.cosines(TermVector(np.array([HEAVIEST - 1], np.int32), one, one))[0] > 0
    assert heads.cosines(TermVector(np.array([HEAVIEST], np.int32), one, one))[0] == 0


def test_an_empty_window_and_an_article_without_terms_have_no_nearest() -> None:
    rng = np.random.default_rng(4)
    heads, terms, empty = Heads(4), _random(rng, 5), _random(rng, 0)
    assert np.isnan(heads.nearest(TermBatch.of([terms]))).all()
    heads.add(terms)
    assert np.isnan(heads.nearest(TermBatch.of([terms, empty]))).tolist() == [False, True]


def test_a_capacity_that_is_no_power_of_two_is_refused() -> None:
    with pytest.raises(ValueError, match="power of two"):
        Heads(12)
