"""Words and phrases are found as a person would say they are, however many are looked for at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.rules.matcher import FEW, Haystack, Needle, found_in
from storage.stream.folding import folded, joins
from tests.storage.stream.test_folding import SPELLINGS

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aAbÉé\u0301'’-– \n\t*_0ßİıñΣςσйё中文ไทยﬁ"),
        st.characters(exclude_categories=("Cs", "Cc")),
    ),
    max_size=30,
)


def fits(rule: str, *parts: str) -> bool:
    return Needle.of(rule).is_in(Haystack(*parts))


@pytest.mark.parametrize(
    ("rule", "text", "found"),
    [
        ("inflation", "Inflation falls", True),
        ("INFLATION", "on inflation.", True),
        ("inflation", "inflationary", False),
        ("inflation", "disinflation", False),
        ("inflation*", "inflationary", True),
        ("flation*", "inflation", False),
        ("inflazione", "dell’inflazione", True),
        ("dell'inflazione", "dell’inflazione", True),
        ("central bank", "the Central\n  Bank said", True),
        ("central bank", "central banks", False),
        ("central bank*", "central banks", True),
        ("central bank", "central, bank", False),
        ("cafe", "Café Müller", True),
        ("café", "Café Müller", True),
        ("café", "Cafe Muller", True),
        ("cafe\u0301", "CAFÉ", True),
        ("strasse", "Straße", True),
        ("ΣΊΣΥΦΟΣ", "Σίσυφος", True),
        ("σισυφος", "Σίσυφος", True),
        ("мои", "мой дом", False),
        ("мой", "Мой дом", True),
        ("c++", "C++ and more", True),
        ("c++", "c++20", True),
        (".net", "ASP.NET", True),
        ("at&t", "(AT&T)", True),
        ("covid-19", "Covid‑19 wave", True),
        ("covid", "covid-19", True),
        ("snake", "snake_case", False),
        ("中国", "今天中国人民", True),
        ("ai", "生成AI技术", True),
        ("ai", "aid", False),
        ("ไทย", "ประเทศไทยใหม่", True),
        ("fi", "ﬁ", True),
        ("हिन्द", "हिन्दी", False),
    ],
)
def test_words_are_found_whole_whatever_case_accent_and_script(rule: str, text: str, found: bool) -> None:
    assert fits(rule, text) is found
    assert fits(rule, f"before ({text}) after") is found
    # A dozen others beside it take the other way.
    others = [Needle.of(f"word{number}") for number in range(FEW + 4)]
    assert (0 in found_in([Needle.of(rule), *others], Haystack(text))) is found


@pytest.mark.parametrize(("text", "found", "missed"), SPELLINGS)
def test_words_are_found_in_every_spelling(text: str, found: str, missed: str) -> None:
    assert {rule: fits(rule, text) for rule in (*found.split(), *missed.split())} == {
        **dict.fromkeys(found.split(), True),
        **dict.fromkeys(missed.split(), False),
    }


def test_nothing_reaches_from_the_title_into_the_text() -> None:
    assert not fits("central bank", "A word from the central", "bank holidays")
    assert fits("bank", "A word from the central", "bank holidays")


@pytest.mark.parametrize(
    ("rule", "name", "fits"),
    [
        ("lwn.net", "LWN.net", True),
        ("Times", "The Times", False),
        ("the guard*", "The Guardian", True),
        ("le monde", "Le  Monde", True),
        ("c++*", "C++ weekly", True),
        ("c++", "C++ weekly", False),
    ],
)
def test_names_fit_as_a_whole(rule: str, name: str, fits: bool) -> None:
    assert Needle.of(rule).is_all_of(name) is fits


def _words(text: str) -> list[str]:
    """Cut folded text where words end, one character after the other."""
    words = [""]
    for character in text:
        words = [*words[:-1], words[-1] + character] if joins(character) else [*words, ""]
    return [word for word in words if word]


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_every_word_of_a_text_is_found_in_it_and_no_part_of_one(before: str, text: str, after: str) -> None:
    for word in _words(folded(text)):
        assert fits(word, f"{before} {text} {after}")
        if word not in _words(folded(f"{before} {after}")):
            assert not fits(word, f"{before} x{word}x {after}") or word in _words(folded(f"x{word}x"))


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(["inflation", "central bank", "cafe", "café", "c++", "中", "a*b"]), TEXTS)),
    TEXTS,
)
def test_many_at_once_find_what_each_finds_alone(rules: list[str], text: str) -> None:
    rules = [rule for rule in rules if folded(rule).removesuffix("*").strip()]
    haystack = Haystack(text, " ".join(rules[::2]), "a Café of the central bank")
    needles = [Needle.of(rule) for rule in rules]
    alone = [place for place, needle in enumerate(needles) if needle.is_in(haystack)]
    padding = [Needle.of("zzz")] * (FEW + 1)
    assert found_in([*needles, *padding], haystack) == alone
