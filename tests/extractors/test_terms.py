"""Term vectors as bytes: what stands where is kept, and what was stored before that was known is read."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.analysis import OPENING, analyse
from extractors.frequencies import Frequencies
from extractors.lexicon import NO_TERM
from extractors.terms import IN_OPENING, IN_TITLE, N_TERMS, TermBatch, TermVector

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


def test_title_and_opening_are_told_from_the_rest(piece) -> None:
    body = ["harbour", *(f"word{number}" for number in range(1, OPENING)), "beyond", "strike"]
    text = analyse(piece(title="Harbour strike", text=" ".join(body)), Frequencies())
    parts = dict(zip(text.terms.ids.tolist(), text.terms.parts.tolist(), strict=True))
    of_words = [parts[term] for term in text.word_terms.tolist() if term != NO_TERM]
    harbour, strike = of_words[:2]
    assert harbour == IN_TITLE | IN_OPENING
    assert strike == IN_TITLE  # in the body it comes after the opening
    assert of_words[3 : 2 + OPENING] == [IN_OPENING] * (OPENING - 1)
    assert of_words[2 + OPENING] == 0
