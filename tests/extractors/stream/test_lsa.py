"""Stream vectors: words that go together point in one direction, and a stored basis gives the same bits for good."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.stream import lsa
from extractors.stream.lsa import DIMENSIONS, Basis
from extractors.text.terms import TermBatch, TermVector

HARBOUR, KITCHEN, EVERYWHERE, UNKNOWN = range(100, 130), range(900, 930), 500, 777


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
    basis = lsa.fit(
        TermBatch.of([article(random.choice(subjects[n % 60], 10, replace=False).tolist()) for n in range(1500)]), 1
    )
    words = [[*subject[start : start + 10]] for subject in subjects[:2] for start in (0, 10)]
    ferry, pilot, rice, stove = basis.project(TermBatch.of([article(each) for each in words]))
    assert min(ferry @ pilot, rice @ stove) > 0.9
    assert max(abs(first @ second) for first in (ferry, pilot) for second in (rice, stove)) < 0.1


def test_vectors_are_those_of_the_singular_value_decomposition(news: TermBatch) -> None:
    """A full decomposition by LAPACK: the vectors are V / √S, each direction up to its sign.

    The word that is in all articles follows from the others, so there is one direction less than there are words.
    """
    matrix = np.zeros((len(news), 1000))
    for row in range(len(news)):
        matrix[row, news[row].ids] = news[row].weights
    basis = lsa.fit(news, 1)
    assert basis.terms.tolist() == [*HARBOUR, EVERYWHERE, *KITCHEN]
    _, singular, right = np.linalg.svd(matrix[:, basis.terms], full_matrices=False)
    found = np.count_nonzero(singular > 1e-6 * singular[0])
    assert found == len(basis.terms) - 1 < DIMENSIONS
    expected = right[:found].T / np.sqrt(singular[:found])
    signs = np.sign(np.sum(expected * basis.vectors[:, :found], axis=0))
    assert basis.vectors.dtype == np.float32
    assert np.allclose(basis.vectors[:, :found] * signs, expected, atol=1e-5)
    assert not basis.vectors[:, found:].any()


def test_the_largest_of_many_directions_are_found() -> None:
    """With more directions than are kept, vectors hold the largest: as much of the matrix as a full decomposition."""
    random = np.random.default_rng(2)
    made = []
    for _ in range(400):
        topic = int(random.integers(100))
        words = topic * 10 + random.choice(10, 5, replace=False)
        made.append(article(words.tolist(), random.uniform(0.5, 2.0 + topic / 20, 5).tolist()))
    terms = TermBatch.of(made)
    basis = lsa.fit(terms, 1)
    matrix = np.zeros((len(made), 1000))
    for row, each in enumerate(made):
        matrix[row, each.ids] = each.weights
    matrix = matrix[:, basis.terms]
    singular = np.linalg.svd(matrix, compute_uv=False)
    directions = basis.vectors / np.linalg.norm(basis.vectors, axis=0)
    assert np.allclose(directions.T @ directions, np.eye(DIMENSIONS), atol=1e-5)
    assert np.linalg.norm(matrix @ directions) ** 2 > 0.99 * np.sum(singular[:DIMENSIONS] ** 2)


def test_rows_have_length_1_or_0(news: TermBatch) -> None:
    basis = lsa.fit(news, 1)
    vectors = basis.project(TermBatch.of([article([HARBOUR[0], UNKNOWN]), article([UNKNOWN]), article([])]))
    assert vectors.shape == (3, DIMENSIONS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 0.0, 0.0])
    assert np.allclose(vectors[0], basis.project(TermBatch.of([article([HARBOUR[0]])]))[0], atol=1e-6)
    assert basis.project(TermBatch.of([])).shape == (0, DIMENSIONS)


def test_learning_and_projecting_give_the_same_bits_again(news: TermBatch) -> None:
    basis = lsa.fit(news, 1)
    assert lsa.fit(news, 1).to_bytes() == basis.to_bytes()
    together = basis.project(news)
    assert basis.project(news).tobytes() == together.tobytes()
    alone = np.concatenate([basis.project(TermBatch.of([news[row]])) for row in range(len(news))])
    assert alone.tobytes() == together.tobytes()


def test_a_basis_is_restored_from_its_bytes(news: TermBatch) -> None:
    basis = lsa.fit(news, 3)
    stored = basis.to_bytes()
    restored = Basis.from_bytes(basis.number, basis.articles, stored)
    assert (restored.number, restored.articles) == (3, 2000)
    assert restored.to_bytes() == stored
    assert restored.project(news).tobytes() == basis.project(news).tobytes()
    with pytest.raises(ValueError, match="260 bytes a term"):
        Basis.from_bytes(3, 2000, stored[:-1])


def test_rare_terms_and_those_over_the_limit_have_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = TermBatch.of([article([1, 2, 3, 4])] * 2 + [article([2, 3])] + [article([3])])
    assert lsa.fit(terms, 1).terms.tolist() == [2, 3]
    monkeypatch.setattr(lsa, "MAX_TERMS", 1)
    assert lsa.fit(terms, 1).terms.tolist() == [3]


@pytest.mark.parametrize("articles", [[], [[]], [[], [5], [6]]])
def test_a_stream_almost_without_words_has_a_basis_without_terms(articles: list[list[int]]) -> None:
    basis = lsa.fit(TermBatch.of([article(each) for each in articles]), 1)
    assert len(basis.terms) == 0
    assert not basis.project(TermBatch.of([article([5])])).any()
    assert Basis.from_bytes(1, 500, basis.to_bytes()).vectors.shape == (0, DIMENSIONS)


def test_a_basis_is_due_at_each_doubling() -> None:
    assert [lsa.due(each) for each in (0, 499, 500, 999, 1000, 1999, 2000, 70_000)] == [0, 0, 1, 1, 2, 2, 3, 8]
    assert all(lsa.due(lsa.articles_for(number)) == number for number in range(1, 20))
