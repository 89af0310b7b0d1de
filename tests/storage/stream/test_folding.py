"""A word is the same word however it is spelled, in every script; searches and rules use the table, too."""

from __future__ import annotations

import unicodedata
from time import process_time

from hypothesis import given, settings
from hypothesis import strategies as st

from storage.stream.folding import folded

SPELLINGS = [
    ("αλφα βήτα λιμάνι", "λιμανι ΛΙΜΑΝΙ λιμάνι Λιμάνι ΒΉΤΑ", "λιμεν"),
    ("Ο Σίσυφος, τῷ λόγῳ", "σισυφοσ ΣΊΣΥΦΟΣ Σίσυφος λογω τω", ""),
    ("İstanbul limanında ışık", "isik IŞIK ışık istanbul İSTANBUL limaninda", ""),
    (
        "Café Müller öffnet in der Straße",
        "cafe CAFÉ cafe\u0301 muller müller strasse STRASSE straẞe offnet",
        "caf mueller",
    ),
    ("Smørrebrød på Ærø, łódź, Đorđe", "smorrebrod aero ærø lodz ŁÓDŹ dorde pa på", "smor"),
    ("Þór og Guðrún, cœur", "thor gudrun coeur CŒUR", ""),
    ("Việt Nam, Điện Biên", "viet dien biên", ""),
    ("мой дом, Ёлка, за\u0301мок", "мой МОЙ мои\u0306 елка ёлка замок", "мои"),
    ("Київ і ўзор", "київ КИЇВ ўзор", "киів узор"),
    ("об’єкт", "об'єкт обʼєкт ОБ’ЄКТ", "обект"),
    ("كِتَابٌ أحمد كتـــاب", "كتاب احمد أحمد", ""),
    ("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "\u05e9\u05dc\u05d5\u05dd", ""),
    ("oﬃce ﬁnal", "office final oﬃce", ""),
    ("ＮＡＴＯ ﾊﾝｸﾞ ２０２６", "nato ハング 2026", "ハンク"),
    ("がき", "がき か\u3099き", "かき"),
    ("Donau\u00addampf Covid‑19", "donaudampf covid-19 covid–19", "donau"),
    ("हिन्दी समाचार", "हिन्दी", ""),
    ("한국 뉴스", "한국 \u1112\u1161\u11ab국", ""),
]
"""A text; words that it has, in other spellings; words that it lacks."""

HOSTILE = {
    "a" + "\u0301\u0323" * 100_000: "a",
    ("\u0301\u0323" * 10 + "b") * 10_000: "b" * 10_000,
    "и" + "\u0306\u0323" * 100_000: "й",
    "ﷺ" * 10_000: folded("ﷺ") * 10_000,
    "\u0e38\u094d" * 100_000: "\u0e38",
}

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aAbÉé\u0301\u0306'’-– \n\t*_0ßİıñΣςσийё中文ไทยﬁ"),
        st.characters(exclude_categories=("Cs", "Cc")),
    ),
    max_size=30,
)


def test_no_run_of_marks_takes_long() -> None:
    began = process_time()
    assert {text: folded(text) for text in HOSTILE} == HOSTILE
    assert process_time() - began < 2


@settings(deadline=None)
@given(TEXTS)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@settings(deadline=None)
@given(TEXTS)
def test_composed_and_decomposed_spellings_are_the_same(text: str) -> None:
    assert folded(unicodedata.normalize("NFD", text)) == folded(text)
