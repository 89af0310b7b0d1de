"""What reasons may name: words that likes have more often than chance and the archive, and the nearest like."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.text.terms import TermBatch
from iscore.filtering.ranking.typical_words import TypicalWords, shares, typical
from tests.iscore.filtering.made_up import Reader, about, basis_of, terms


def named(given: TypicalWords, text: str, parts: dict[str, float], *, liked: bool = True) -> list[str]:
    """Return the words of a text that may be named, given what each adds to the score."""
    word_of = {int(terms(word).ids[0]): word for word in text.split()}
    vector = terms(text)
    values = np.array([parts.get(word_of[term], 0.0) for term in vector.ids.tolist()])
    return [word_of[term] for term in given.named(vector, values, liked=liked)]


@pytest.mark.parametrize(
    ("having", "likes", "archive", "expected"),
    [
        (1, 10, 0, False),  # one like is chance
        (2, 10, 10, True),
        (2, 10, 30, False),  # 0.2 of likes, surely 0.057, which is not three times 0.031
        (2, 50, 10, False),  # two of many
        (5, 50, 10, True),
        (40, 50, 200, True),
        (40, 50, 300, False),  # a word of nearly all likes that is common anyway
    ],
)
def test_a_typical_word_is_surely_three_times_as_frequent_as_in_the_archive(
    having: int, likes: int, archive: int, expected: bool
) -> None:
    frequencies = shares(TermBatch.of([terms("word other")] * archive + [terms("other")] * (1000 - archive)))
    batch = TermBatch.of([terms("word other")] * having + [terms("other")] * (likes - having))
    assert typical(batch, frequencies).tolist() == terms("word").ids.tolist() * expected


def test_words_are_named_by_their_side_and_what_they_add() -> None:
    reader = Reader()
    reader.like(*["rain one"] * 4, "hail one", "hail two", "storm")
    reader.dislike(*["ships one"] * 4)
    reader.pass_over(*["one two"] * 200, "sun")
    reader.add_examples("fog", "fog")
    reader.add_phrase("sun one absent")
    found = TypicalWords.of(reader.evidence())
    parts = {"rain": 0.5, "hail": 0.7, "one": 0.9, "ships": -0.4, "fog": 0.2}
    assert named(found, "one rain hail fog storm ships", parts) == ["hail", "rain"]
    assert named(found, "rain hail", {"rain": -0.1, "hail": 0.1}) == ["hail"]
    assert named(found, "one fog", {"fog": 0.2}) == ["fog"]
    assert named(found, "one rain ships", parts, liked=False) == ["ships"]
    assert named(found, "unheard", {}) == []
    assert [term in found.interests(terms("one sun")) for term in terms("sun").ids] == [True]
    assert len(found.interests(terms("one sun"))) == 1, "a common word of an interest says nothing"


@pytest.mark.parametrize("based", [False, True])
def test_the_nearest_like_shares_words_or_the_subject(based: bool) -> None:
    reader = Reader()
    reader.like("gold mine", "rain hail")
    reader.pass_over(*about("ships", 20))
    found = TypicalWords.of(reader.evidence(basis_of("gold mine", "rain hail drizzle") if based else None))
    articles = TermBatch.of([terms("hail storm"), terms("mine shaft"), terms("drizzle")])
    assert found.nearest(articles).tolist() == [1, 0, int(based)]
