"""Rare phrases by hand, and that the memory of them neither fills up nor grows."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.stream.rare_phrases import GENERATION, RarePhrases, _extract_and_observe
from extractors.text.analysis import analyse_many
from extractors.text.pairs import Pairs
from extractors.text.terms import N_TERMS


def _value(extractor: RarePhrases, document) -> float:
    return float(extractor.extract_and_observe([document], analyse_many([document]))[0, 0])


def test_the_share_of_pairs_that_never_met(piece) -> None:
    extractor = RarePhrases()
    assert isnan(_value(extractor, piece(title="", text="")))
    assert isnan(_value(extractor, piece(title="", text="Harbour crane drivers strike.")))
    assert _value(extractor, piece(title="", text="Harbour crane drivers strike.")) == 0.0
    # "harbour crane", "crane drivers" are known; "drivers sing", "sing loudly" are not.
    assert _value(extractor, piece(title="", text="Harbour crane drivers sing loudly.")) == pytest.approx(0.5, abs=1e-4)
    assert isnan(_value(extractor, piece(title="", text="Strike!")))


@pytest.mark.long
def test_it_keeps_telling_new_from_old_over_a_hundred_thousand_articles() -> None:
    extractor, rng = RarePhrases(), np.random.default_rng(6)
    phrases = rng.integers(N_TERMS, size=(200, 20)).astype(np.int32)  # what is written again and again
    new, old = [], []
    for part in range(100):
        rows = []
        for article in range(1000):
            row = rng.integers(N_TERMS, size=20) if article % 2 else phrases[article // 2 % 200]
            rows.append(np.unique(row).astype(np.int32))
        pairs = Pairs.of(rows)
        values = np.full(1000, np.nan)
        memory = extractor._younger, extractor._older, extractor._counts
        _extract_and_observe(pairs.indptr, pairs.ids, *memory, values)
        assert extractor._counts[0] < GENERATION
        assert extractor._counts[1] <= 2 * GENERATION
        if part:
            old.append(values[::2].mean())
            new.append(values[1::2].mean())
    assert max(old) == 0.0
    assert 0.9 < min(new) <= max(new) <= 1.0  # below 1 since shares above 1, which chance makes, count as 1


def test_what_has_not_come_for_two_generations_is_forgotten() -> None:
    extractor = RarePhrases()
    known = np.arange(10, dtype=np.int32)

    def share(ids: np.ndarray, *, observes: bool) -> float:
        values, indptr = np.full(1, np.nan), np.array([0, len(ids)], dtype=np.int64)
        memory = extractor._younger, extractor._older, extractor._counts
        _extract_and_observe(indptr, ids, *(memory if observes else (each.copy() for each in memory)), values)
        return float(values[0])

    share(known, observes=True)
    first = np.arange(10, GENERATION, dtype=np.int32)
    share(first, observes=True)
    assert extractor._counts.tolist() == [0, GENERATION]
    assert share(known, observes=False) == 0.0
    second = np.arange(GENERATION, 2 * GENERATION, dtype=np.int32)
    share(second, observes=True)
    assert share(known, observes=False) == pytest.approx(1.0)
    assert share(second, observes=False) == 0.0


def test_pairs_of_a_script_without_spaces_differ(piece) -> None:
    extractor = RarePhrases()
    _value(extractor, piece(title="", text="日本銀行が金利を上げた。"))
    assert _value(extractor, piece(title="", text="日本銀行が金利を下げた。")) == pytest.approx(4 / 10, abs=0.11)
    assert _value(extractor, piece(title="", text="桜の花が咲いています。")) > 0.8
