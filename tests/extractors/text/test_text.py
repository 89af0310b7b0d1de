"""The analysis shared by all extractors."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.text.analysis import MAX_CHARACTERS, analyse, host_term
from extractors.text.frequencies import Frequencies
from extractors.text.lexicon import NO_TERM, term_of
from tests.extractors.conftest import printed


def test_a_hand_counted_article(piece) -> None:
    text = analyse(
        piece(title="Dockers strike", text="The dockers strike at dawn. “We stay,” they said."), Frequencies()
    )
    assert (text.language, text.title_words, text.words, text.sentences) == ("en", 2, 9, 2)
    assert (text.function_words, text.content_words, text.distinct_terms) == (5, 4, 4)
    assert (text.speech_sentences, text.long_words, text.capitals, text.digits) == (1, 1, 2, 0)
    assert (text.letters, text.punctuation, text.characters) == (36, 5, 41)
    expected = {term_of(word, "en"): n for word, n in (("docker", 3), ("strike", 3), ("dawn", 1), ("stay", 1))}
    terms = dict(zip(text.terms.ids.tolist(), text.terms.counts.tolist(), strict=True))
    assert terms == expected | {host_term("example.org"): 1}
    assert (np.diff(text.terms.ids) > 0).all()
    assert text.word_terms[2] == NO_TERM


def test_inflected_forms_meet_in_one_term_of_their_language() -> None:
    assert term_of("parties", "en") == term_of("party", "en") != term_of("parties", "")
    assert term_of("scioperi", "it") == term_of("sciopero", "it")
    assert term_of("strikes", "vi") != term_of("strike", "vi")
    assert term_of("stávky", "cs") == term_of("stávka", "cs")
    assert term_of("забастовки", "ru") == term_of("забастовка", "ru")
    assert term_of("x", "en") == NO_TERM
    assert term_of("山", "ja") != NO_TERM


def test_terms_are_the_same_in_every_process() -> None:
    # Stored vectors and learned weights are by these numbers: they must never change.
    assert term_of("galaxy", "en") == 787218
    assert term_of("porto", "it") == 89548
    assert term_of("日本", "ja") == 511436


def test_composed_and_decomposed_letters_are_the_same(piece) -> None:
    composed = analyse(piece(text="Perché l'università è città"), Frequencies())
    decomposed = analyse(piece(text="Perche\u0301 l'universita\u0300 e\u0300 citta\u0300"), Frequencies())
    assert composed.terms.to_bytes() == decomposed.terms.to_bytes()


def test_only_the_beginning_of_a_huge_body_is_read(piece) -> None:
    text = analyse(piece(text="ab " * MAX_CHARACTERS), Frequencies())
    assert text.words == MAX_CHARACTERS // 3 + 1


def test_pairs_are_neighbouring_terms_of_a_sentence_each_once(piece) -> None:
    def pairs(text: str) -> set[int]:
        found = analyse(piece(title="", text=text), Frequencies()).pairs
        assert (np.diff(found) > 0).all()
        return set(found.tolist())

    rate, cut = pairs("Interest rate"), pairs("rate cut")
    assert len(rate) == len(cut) == 1
    assert pairs("Interest rates. They cut rates.") == rate | pairs("cut rates")
    assert pairs("Interest in the rate") == rate
    assert pairs("rate interest") != rate
    assert pairs("Rate. Cut.") == set()
    assert len(pairs("bee " * 5000)) == 1


def test_analysing_changes_no_frequencies(piece) -> None:
    frequencies = Frequencies()
    analyse(piece(text="The dockers strike"), frequencies)
    assert frequencies.articles == 0


_SCRIPT = """
from types import SimpleNamespace

import numpy as np

from extractors.text.boilerplate import Boilerplate
from extractors.text.frequencies import Frequencies
from extractors.stream.nearest_articles import NearestArticles
from extractors.text.terms import TermBatch
from extractors.text.analysis import analyse, analyse_many

np.seterr(over="ignore")  # hashes are meant to wrap around
frequencies, ring = Frequencies(), NearestArticles(2)

for title, body in (
    ("Dockers strike", "The dockers stay. “No,” said J. Doe."),
    ("日本銀行", "Il porto è chiuso. 3.5!"),
    ("Strike ends", "Dockers said: strike ends."),
):
    text = analyse(SimpleNamespace(title=title, text=body, language="", url="", site="", source=""), frequencies)

    frequencies.observe(text.terms)

    print(text.terms.to_bytes().hex(), text.sentences, text.speech_sentences)

    print(ring.nearest_and_add(TermBatch.of([text.terms]), np.array([True])).tolist())
    print(ring.nearest(TermBatch.of([text.terms])).tolist())

boilerplate = Boilerplate()
for number in range(12):
    body = f"{number}. “{chr(98 + number) * 3}” www.a.example http://b{number}.example Lire la suite: p. 3"
    entry = SimpleNamespace(title="日本銀行", text=body, language="", url="", site="", source="Paper")
    texts = analyse_many([entry], frequencies, boilerplate)
    print(texts.terms.ids.tolist(), texts.terms.parts.tolist(), texts[0].words, texts[0].characters)
print({name: table.tolist() for name, table in boilerplate.state().items()})
"""


@pytest.mark.long
def test_the_compiled_loops_do_what_their_python_says() -> None:
    assert printed(_SCRIPT, NUMBA_DISABLE_JIT="1") == printed(_SCRIPT)
