"""Stream vectors: words that go together point in one direction, and a stored basis gives the same bits for good."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from extractors.stream import word_vectors
from extractors.stream.word_vectors import DIMENSIONS, Basis
from extractors.text.terms import TermBatch, TermVector

HARBOUR, KITCHEN, EVERYWHERE, UNKNOWN, LONELY = range(100, 130), range(900, 930), 500, 777, 778


def article(terms: list[int], weights: list[float] | None = None) -> TermVector:
    """An article with these terms, of the same weight or of these, scaled to length 1."""
    given = np.array(weights or [1.0] * len(terms))
    order = np.argsort(terms)
    ids = np.array(terms, dtype=np.int32)[order]
    weighed = (given / np.linalg.norm(given))[order].astype(np.float32) if terms else np.empty(0, dtype=np.float32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), weighed)


@pytest.fixture(scope="module")
def news() -> TermBatch:
    """300 articles: of two topics in turn, six of the thirty words of its topic in each, and one word in all."""
    random = np.random.default_rng(1)
    topics = (HARBOUR, KITCHEN)
    return TermBatch.of(
        [
            article([*random.choice(topics[number % 2], 6, replace=False).tolist(), EVERYWHERE], [*[2.0] * 6, 1.0])
            for number in range(300)
        ]
    )


def test_articles_about_one_subject_are_near_each_other_without_a_common_word() -> None:
    """Sixty subjects of thirty words, ten of which are in an article."""
    random = np.random.default_rng(1)
    subjects = [range(30 * number, 30 * number + 30) for number in range(60)]
    basis = word_vectors.fit(
        TermBatch.of([article(random.choice(subjects[n % 60], 10, replace=False).tolist()) for n in range(1500)]), 1
    )
    words = [[*subject[start : start + 10]] for subject in subjects[:2] for start in (0, 10)]
    ferry, pilot, rice, stove = basis.project(TermBatch.of([article(each) for each in words]))
    assert min(ferry @ pilot, rice @ stove) > 0.9
    assert max(abs(first @ second) for first in (ferry, pilot) for second in (rice, stove)) < 0.1


@pytest.mark.parametrize("long", [False, True])
def test_vectors_are_those_of_the_definition(news: TermBatch, monkeypatch: pytest.MonkeyPatch, *, long: bool) -> None:
    """With dense matrices and LAPACK; equal but for a rotation, so their products are compared."""
    monkeypatch.setattr(word_vectors, "LONG", 7 if long else 8)  # an article has seven terms
    basis = word_vectors.fit(news, 1)
    assert basis.terms.tolist() == [*HARBOUR, *KITCHEN]
    weights = np.zeros((len(news), 1000))
    for row in range(len(news)):
        weights[row, news[row].ids] = news[row].weights
    weights = weights[:, basis.terms]
    present = (weights > 0).astype(float)
    pairs = present.T @ (present / (present.sum(axis=1, keepdims=True) - 1))
    np.fill_diagonal(pairs, 0.0)
    beside = pairs.sum(axis=1)
    expected = np.outer(beside, beside**0.75) / np.sum(beside**0.75)
    left, singular, _ = np.linalg.svd(np.log(np.maximum(pairs / expected, 1.0)))
    words = left * np.sqrt(singular)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    words -= (weights @ words).sum(axis=0) / weights.sum()
    sums = weights @ words
    common = np.linalg.svd(sums / np.linalg.norm(sums, axis=1, keepdims=True))[2][0]
    words -= np.outer(words @ common, common)
    if long:
        _, singular, right = np.linalg.svd(weights, full_matrices=False)
        topics = right.T / np.sqrt(singular)
        ratio = np.linalg.norm(weights @ words) / np.linalg.norm(weights @ topics)
        words = np.hstack([words, ratio * topics])
    assert basis.vectors.dtype == np.float32
    assert np.allclose(basis.vectors @ basis.vectors.T, words @ words.T, atol=1e-4)


def test_the_largest_of_many_directions_are_found() -> None:
    random = np.random.default_rng(2)
    matrix = random.standard_normal((600, 600)) * (random.random((600, 600)) < 0.05)
    matrix[:, :200] *= 3.0
    found = word_vectors._decomposed(csr_array(matrix.astype(np.float32)))
    singular = np.linalg.svd(matrix, compute_uv=False)[:DIMENSIONS]
    assert np.sum(found**2) == pytest.approx(singular.sum(), rel=0.02)
    squares = found.T @ found
    assert np.allclose(squares, np.diag(np.diag(squares)), atol=1e-3 * singular[0])


def test_rows_have_length_1_or_0(news: TermBatch) -> None:
    basis = word_vectors.fit(news, 1)
    vectors = basis.project(TermBatch.of([article([HARBOUR[0], UNKNOWN]), article([UNKNOWN]), article([])]))
    assert vectors.shape == (3, DIMENSIONS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 0.0, 0.0])
    assert np.allclose(vectors[0], basis.project(TermBatch.of([article([HARBOUR[0]])]))[0], atol=1e-6)
    assert basis.project(TermBatch.of([])).shape == (0, DIMENSIONS)


def test_learning_and_projecting_give_the_same_bits_again(news: TermBatch) -> None:
    basis = word_vectors.fit(news, 1)
    assert word_vectors.fit(news, 1).to_bytes() == basis.to_bytes()
    together = basis.project(news)
    assert basis.project(news).tobytes() == together.tobytes()
    alone = np.concatenate([basis.project(TermBatch.of([news[row]])) for row in range(len(news))])
    assert alone.tobytes() == together.tobytes()


def test_a_basis_is_restored_from_its_bytes(news: TermBatch) -> None:
    basis = word_vectors.fit(news, 3)
    stored = basis.to_bytes()
    restored = Basis.from_bytes(basis.number, basis.articles, stored)
    assert (restored.number, restored.articles) == (3, 2000)
    assert restored.to_bytes() == stored
    assert restored.project(news).tobytes() == basis.project(news).tobytes()
    with pytest.raises(ValueError, match="516 bytes a term"):
        Basis.from_bytes(3, 2000, stored[:-1])


def test_rare_and_common_terms_and_those_over_the_limit_have_no_vector(
    news: TermBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word of two articles, one that is in all, and one that stands alone, so that nothing is known of it."""
    more = TermBatch.of([*[article([UNKNOWN, HARBOUR[0]])] * 2, *[article([LONELY])] * 3])
    terms = TermBatch.joined([news, more])
    assert word_vectors.fit(terms, 1).terms.tolist() == [*HARBOUR, *KITCHEN]
    monkeypatch.setattr(word_vectors, "MAX_TERMS", 40)
    of_articles = np.bincount(terms.ids)
    found = word_vectors.fit(terms, 1).terms
    others = np.setdiff1d([*HARBOUR, *KITCHEN], found)
    assert len(found) == 40
    assert of_articles[found].min() >= of_articles[others].max()


def test_only_the_heaviest_terms_of_an_article_make_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last words of a long text are never among its heaviest: nothing is known of them."""
    monkeypatch.setattr(word_vectors, "HEAVIEST", 4)
    heavy = [[(4 * number + word) % 40 for word in range(4)] for number in range(60)]
    light = [[50 + number % 6, 60 + number % 6] for number in range(60)]
    terms = TermBatch.of([article([*a, *b], [2.0] * 4 + [1.0] * 2) for a, b in zip(heavy, light, strict=True)])
    assert word_vectors.fit(terms, 1).terms.tolist() == [*range(40)]


def test_a_feed_of_the_same_sentence_moves_no_other_words(news: TermBatch) -> None:
    """Its words have one direction of their own, as far from other subjects as these are from each other."""
    sentence = [*range(700, 710)]
    basis = word_vectors.fit(TermBatch.joined([news, TermBatch.of([article(sentence)] * 60)]), 1)
    harbour, kitchen, same, other = basis.project(
        TermBatch.of([article(each) for each in ([*HARBOUR[:5]], [*KITCHEN[:5]], sentence[:5], sentence[5:])])
    )
    assert same @ other > 0.6
    assert max(same @ harbour, same @ kitchen) < 0.1
    assert np.linalg.norm(harbour) == pytest.approx(1.0)


@pytest.mark.parametrize("articles", [[], [[]], [[], [5], [6]], [[5, 6, 7]] * 20, [[5], [6], [7], [8], [9], [10]] * 3])
def test_a_stream_almost_without_words_has_a_basis_without_terms(articles: list[list[int]]) -> None:
    basis = word_vectors.fit(TermBatch.of([article(each) for each in articles]), 1)
    assert len(basis.terms) == 0
    assert not basis.project(TermBatch.of([article([5])])).any()
    assert Basis.from_bytes(1, 500, basis.to_bytes()).vectors.shape == (0, DIMENSIONS)


def test_a_basis_is_due_at_each_doubling() -> None:
    assert [word_vectors.due(each) for each in (0, 499, 500, 999, 1000, 1999, 2000, 70_000)] == [0, 0, 1, 1, 2, 2, 3, 8]
    assert all(word_vectors.due(word_vectors.articles_for(number)) == number for number in range(1, 20))
