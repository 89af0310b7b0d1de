"""The table of known words: it may change the speed and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.text import lexicon
from extractors.text.lexicon import FUNCTION_WORD, NO_TERM, SAYING, Lexicon, flags_of, term_of
from extractors.text.tokens import code_points, tokenise


def _looked_up(table: Lexicon, words: list[str], language: str) -> tuple[list[int], list[int]]:
    codes = code_points(" ".join(words))
    terms, flags = table.look_up(codes, tokenise(codes, [0, len(codes)], [0]), [language])
    return terms.tolist(), flags.tolist()


def test_flags_name_function_words_and_verbs_of_saying() -> None:
    assert flags_of("the", "en") == FUNCTION_WORD
    assert flags_of("said", "en") == FUNCTION_WORD | SAYING
    assert flags_of("dijo", "es") == SAYING
    assert flags_of("dijo", "en") == 0


def test_answers_are_the_same_first_and_later_by_language(monkeypatch: pytest.MonkeyPatch) -> None:
    table, words = Lexicon(), ["the", "harbours", "die", "harbours", "x"]
    for language in ("en", "de", "en", "", "de"):
        expected = [term_of(word, language) for word in words], [flags_of(word, language) for word in words]
        assert _looked_up(table, words, language) == expected
    assert term_of("die", "de") == NO_TERM != term_of("die", "en")


def test_a_full_table_is_replaced_and_answers_stay_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon, "_MAX_WORDS", 3)
    table = Lexicon()
    words = [f"word{number}" for number in range(20)] + ["word0", "word1"]
    expected = [term_of(word, "en") for word in words]
    for _ in range(3):
        assert _looked_up(table, words, "en")[0] == expected
        assert np.count_nonzero(table._table[0]) <= 3
