"""Term vectors as bytes: what stands where is kept, and what was stored before that was known is read."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from extractors.text.analysis import OPENING, analyse
from extractors.text.frequencies import Frequencies
from extractors.text.lexicon import NO_TERM
from extractors.text.terms import IN_OPENING, IN_TITLE, N_TERMS, TermBatch, TermVector

IDS = np.array((0, 7, N_TERMS - 1), dtype=np.int32)
NUMBERS = np.array((1.0, 2.0, 3.0), dtype=np.float32)
PARTS = np.array((IN_TITLE, 0, IN_TITLE | IN_OPENING), dtype=np.uint8)


def test_bytes_keep_where_terms_stand() -> None:
    data = TermVector(IDS, NUMBERS, NUMBERS / 4, PARTS).to_bytes()
    assert len(data) == 12 * len(IDS)
    read = TermVector.from_bytes(data)
    for mine, given in ((read.ids, IDS), (read.counts, NUMBERS), (read.weights, NUMBERS / 4), (read.parts, PARTS)):
        assert mine.dtype == given.dtype
        assert mine.tolist() == given.tolist()
        assert mine.flags.writeable


def test_vectors_of_before_are_of_unknown_places() -> None:
    data = IDS.tobytes() + NUMBERS.tobytes() + NUMBERS.tobytes()
    read = TermVector.from_bytes(data)
    assert read.ids.tolist() == IDS.tolist()
    assert read.parts.tolist() == [0, 0, 0]
    assert read.to_bytes() == data


def test_a_batch_keeps_them_too() -> None:
    batch = TermBatch.of([TermVector(IDS[:1], NUMBERS[:1], NUMBERS[:1]), TermVector(IDS, NUMBERS, NUMBERS, PARTS)])
    assert batch[0].parts.tolist() == [0]
    assert batch[1].parts.tolist() == PARTS.tolist()


def test_bytes_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="12 bytes a term"):
        TermVector.from_bytes(b"0" * 13)


def test_title_and_opening_are_marked(piece) -> None:
    body = ["harbour", *(f"word{number}" for number in range(1, OPENING)), "beyond", "strike"]
    text = analyse(piece(title="Harbour strike", text=" ".join(body)), Frequencies())
    parts = dict(zip(text.terms.ids.tolist(), text.terms.parts.tolist(), strict=True))
    of_words = [parts[term] for term in text.word_terms.tolist() if term != NO_TERM]
    harbour, strike = of_words[:2]
    assert harbour == IN_TITLE | IN_OPENING
    assert strike == IN_TITLE  # in the body it comes after the opening
    assert of_words[3 : 2 + OPENING] == [IN_OPENING] * (OPENING - 1)
    assert of_words[2 + OPENING] == 0


@st.composite
def vectors(draw) -> list[TermVector]:
    """Some articles' terms out of few, so that they share them; some without any."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        ids = np.array(sorted(draw(st.sets(st.sampled_from((0, 3, 4, 99, N_TERMS - 1))))), dtype=np.int32)
        numbers = draw(st.lists(st.floats(0, 9, width=32), min_size=len(ids), max_size=len(ids)))
        parts = draw(st.lists(st.integers(0, 3), min_size=len(ids), max_size=len(ids)))
        values = np.array(numbers, dtype=np.float32)
        found.append(TermVector(ids, values, values / 2, np.array(parts, dtype=np.uint8)))
    return found


@hypothesis.settings(deadline=None)
@hypothesis.given(vectors())
def test_many_are_read_from_bytes_like_each(articles: list[TermVector]) -> None:
    read, put_together = TermBatch.from_bytes([each.to_bytes() for each in articles]), TermBatch.of(articles)
    for name in ("indptr", "ids", "counts", "weights", "parts"):
        mine, expected = getattr(read, name), getattr(put_together, name)
        assert (mine.dtype, mine.tolist()) == (expected.dtype, expected.tolist()), name
        assert mine.flags.writeable


@hypothesis.settings(deadline=None)
@hypothesis.given(vectors())
def test_a_vocabulary_has_each_term_once_and_its_places(articles: list[TermVector]) -> None:
    batch = TermBatch.of(articles)
    known = batch.vocabulary
    assert len(set(known.terms.tolist())) == len(known) == len(set(batch.ids.tolist()))
    assert known.terms[known.places].tolist() == batch.ids.tolist()
    of_terms = known.terms.astype(np.float64) + 0.5
    expected = [
        sum(w * (t + 0.5) for t, w in zip(each.ids.tolist(), each.weights.tolist(), strict=True)) for each in articles
    ]
    assert batch.sums(batch.weights, of_terms).tolist() == expected
    assert batch.lengths().tolist() == [each.counts.astype(np.float64).sum() for each in articles]


def test_bytes_of_another_length_are_refused_among_many_too() -> None:
    with pytest.raises(ValueError, match="12 bytes a term"):
        TermBatch.from_bytes([b"0" * 12, b"0" * 13])


def test_articles_without_a_number_are_all_different() -> None:
    rows = [vector_of(1, 2), vector_of(3), vector_of(1, 2), vector_of(4, 5)]
    numbered, plain = (TermBatch.from_bytes([each.to_bytes() for each in rows], some) for some in ([5, 6, 5, 7], None))
    assert plain.distinct()[0] is plain
    found, places = TermBatch.joined([plain, numbered, numbered]).distinct()
    assert places.tolist() == [0, 1, 2, 3, 4, 5, 4, 6, 4, 5, 4, 6]
    assert found.numbers is not None
    assert found.numbers.tolist() == [-1, -1, -1, -1, 5, 6, 7]
    assert [found[row].ids.tolist() for row in range(7)] == [[1, 2], [3], [1, 2], [4, 5], [1, 2], [3], [4, 5]]


def test_a_sparse_matrix_shares_the_arrays_both_ways() -> None:
    batch = TermBatch.of([vector_of(3, 7), vector_of(), vector_of(5)])
    matrix = batch.to_csr()
    assert matrix.shape == (3, N_TERMS)
    assert np.shares_memory(matrix.data, batch.weights)
    assert np.shares_memory(matrix.indices, batch.ids)
    assert [matrix[[row]].indices.tolist() for row in range(3)] == [[3, 7], [], [5]]
    again = TermBatch.from_csr(matrix, batch.counts)
    for mine, given in zip(again.rows(), batch.rows(), strict=True):
        assert (mine.dtype, mine.tolist()) == (given.dtype, given.tolist())
    assert np.shares_memory(again.weights, batch.weights)
    assert np.shares_memory(again.ids, batch.ids)


def test_a_matrix_of_others_becomes_term_vectors() -> None:
    """As scikit-learn's vectorisers make it: 8-byte numbers."""
    from scipy.sparse import csr_array

    batch = TermBatch.from_csr(csr_array(([0.6, 0.8], ([0, 0], [9, 2])), shape=(2, N_TERMS)))
    assert len(batch) == 2
    assert batch[0].ids.tolist() == [2, 9]
    assert batch[0].weights.tolist() == np.array([0.8, 0.6], dtype=np.float32).tolist()
    assert batch[0].counts.tolist() == [1.0, 1.0]
    assert len(batch[1]) == 0
    with pytest.raises(ValueError, match="1048576 terms, not 10"):
        TermBatch.from_csr(csr_array((2, 10)))
    with pytest.raises(ValueError, match="ascending"):
        TermBatch.from_csr(csr_array(([0.6, 0.8], [9, 2], [0, 2]), shape=(1, N_TERMS)))


def vector_of(*ids: int) -> TermVector:
    ones = np.ones(len(ids), dtype=np.float32)
    return TermVector(np.array(ids, dtype=np.int32), ones, ones)
