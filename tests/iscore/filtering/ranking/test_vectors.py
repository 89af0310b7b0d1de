"""Vectors: words of length 1 beside stream vectors of length one half, and linear functions of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from extractors.stream.word_vectors import DIMENSIONS, fit
from extractors.text.terms import TermBatch
from iscore.filtering.ranking.vectors import STREAM_LENGTH, Vectors
from tests.iscore.filtering.made_up import about, basis_of, meant, terms

TEXTS = [text for topic in ("rain", "ships", "gold", "cats", "bonds", "tea") for text in about(topic, 12)]
BATCH = TermBatch.of([terms(text) for text in TEXTS])


def dense(vectors: Vectors) -> np.ndarray:
    """Return all vectors as rows of one matrix."""
    rows = vectors.rows
    found = np.zeros((len(vectors), vectors.vocabulary + DIMENSIONS))
    for row in range(len(vectors)):
        span = slice(rows.indptr[row], rows.indptr[row + 1])
        found[row, rows.words[span]] = rows.weights[span]
    found[:, vectors.vocabulary :] = rows.stream
    return found


def test_an_article_has_length_1_in_words_and_one_half_in_its_stream_vector() -> None:
    alone, both = Vectors.of(BATCH, None), Vectors.of(BATCH, fit(BATCH, 1))
    assert len(alone) == len(both) == len(TEXTS)
    assert alone.squares == pytest.approx(1.0)
    assert both.squares == pytest.approx(1 + STREAM_LENGTH**2)
    assert both.squares == pytest.approx((dense(both) ** 2).sum(axis=1))


def test_an_article_without_words_is_zero_and_one_of_unknown_words_has_no_stream_vector() -> None:
    batch = TermBatch.of([terms(""), terms("unheard of")])
    vectors = Vectors.of(batch, fit(BATCH, 1))
    assert vectors.squares == pytest.approx([0.0, 1.0])
    assert not vectors.rows.stream.any()


def test_sums_and_products_are_those_of_dense_vectors() -> None:
    vectors = Vectors.of(BATCH, fit(BATCH, 1))
    matrix, places, amounts = dense(vectors), np.array([3, 0, 3, 20]), np.array([1.0, -0.5, 2.0, 0.25])
    total = vectors.sum(places, amounts)
    assert np.concatenate([total.words, total.stream]) == pytest.approx(amounts @ matrix[places])
    products = vectors.products(np.array([5, 20]), total)
    assert products == pytest.approx(matrix[[5, 20]] @ (amounts @ matrix[places]))


def test_articles_that_share_a_topic_and_no_word_are_as_near_as_their_topics() -> None:
    vectors = Vectors.of(
        TermBatch.of([terms("rain"), terms("drizzle"), terms("gold")]), basis_of("rain drizzle", "gold")
    )
    rain = vectors.sum(np.array([0]), np.ones(1))
    assert vectors.products(np.arange(3), rain) == pytest.approx([1 + STREAM_LENGTH**2, STREAM_LENGTH**2, 0.0])


def test_no_articles() -> None:
    vectors = Vectors.of(TermBatch.of([]), None)
    assert (len(vectors), vectors.vocabulary) == (0, 0)
    assert vectors.products(np.empty(0, dtype=np.int64), vectors.zero()).tolist() == []


def test_meanings_come_before_stream_vectors_where_most_of_the_newest_have_one() -> None:
    batch = meant(TermBatch.of([*(terms(text) for text in TEXTS), terms("")]), ("drizzle", "rain"))
    assert batch.meanings is not None
    basis, newest = fit(BATCH, 1), np.arange(len(TEXTS))
    vectors = Vectors.of(batch, basis, newest)
    assert vectors.rows.stream[:, 16:].tolist() == Vectors.of(batch, basis).rows.stream.tolist()
    assert vectors.squares == pytest.approx([*[2 + STREAM_LENGTH**2] * len(TEXTS), 0.0])
    few = batch.meanings.copy()
    few[: len(TEXTS) // 2 + 1] = 0
    expected = Vectors.of(replace(batch, meanings=None), basis).rows.stream.tolist()
    for without in (Vectors.of(replace(batch, meanings=few), basis, newest), Vectors.of(batch, basis)):
        assert without.centre is None
        assert without.rows.stream.tolist() == expected


def test_one_newest_article_is_no_centre() -> None:
    batch = meant(TermBatch.of([terms("rain"), terms("gold")]))
    alone = Vectors.of(batch, None, np.array([0]))
    assert alone.centre is not None
    assert np.linalg.norm(alone.centre) == pytest.approx(1 / 11)
    assert alone.squares == pytest.approx(2.0)
