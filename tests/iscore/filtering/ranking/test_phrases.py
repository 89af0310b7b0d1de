"""The votes of interests in words: which articles are similar to them, and on what scale."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.text.terms import TermBatch
from iscore.filtering.ranking.calibration import Line
from iscore.filtering.ranking.labelled import Phrase
from iscore.filtering.ranking.phrases import ALL_WORDS, Match, Scale, Words, WordVote
from tests.iscore.filtering.made_up import basis_of, terms

POOL = ["tidal power", "power", "chess", *["other news"] * 7]


def matched(phrases: list[str], articles: list[str], *, topics: tuple[str, ...] = ()) -> Match:
    """Match articles with phrases of one interest; a comma separates their parts."""
    given = [Phrase(terms(each.replace(",", "")), [terms(part).ids for part in each.split(",")]) for each in phrases]
    (words,) = Words.of(given, TermBatch.of([terms(text) for text in POOL]), basis_of(*topics) if topics else None)
    return words.match(TermBatch.of([terms(text) for text in articles]))


IDF = {"tidal": np.log(11 / 2) + 1, "power": np.log(11 / 3) + 1, "chess": np.log(11 / 2) + 1, "unheard": np.log(11) + 1}


@pytest.mark.parametrize(
    ("phrase", "article", "found", "certain"),
    [
        ("tidal power", "tidal power", IDF["tidal"] + IDF["power"], True),
        ("tidal power", "power of tidal", IDF["tidal"] + IDF["power"], True),
        ("tidal power", "tidal", IDF["tidal"] ** 2 / (IDF["tidal"] + IDF["power"]), True),
        ("tidal power", "power", IDF["power"] ** 2 / (IDF["tidal"] + IDF["power"]), False),
        ("tidal power, chess", "chess", IDF["chess"], True),
        ("tidal power, chess", "chess power", IDF["chess"], True),
        ("unheard", "unheard", IDF["unheard"], True),
        ("unheard", "tidal power", 0.0, False),
        ("tidal", "", 0.0, False),
    ],
)
def test_similarity_by_words_is_that_of_the_part_of_which_there_is_most(phrase, article, found, certain) -> None:
    match = matched([phrase], [article])
    assert match.similarities.tolist() == pytest.approx([found * ALL_WORDS])
    assert match.for_certain.tolist() == [certain]


def test_of_several_phrases_the_most_similar_counts() -> None:
    match = matched(["chess", "tidal power"], ["tidal power", "chess"])
    assert match.similarities.tolist() == pytest.approx(
        [ALL_WORDS * (IDF["tidal"] + IDF["power"]), ALL_WORDS * IDF["chess"]]
    )


def test_stream_vectors_find_what_has_none_of_the_words() -> None:
    match = matched(["tidal"], ["ocean", "chess", "tidal"], topics=("tidal ocean", "chess"))
    assert match.similarities.tolist() == pytest.approx([1.0, 0.0, 1.0 + ALL_WORDS * IDF["tidal"]])
    assert match.for_certain.tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("pool", "middle"),
    [
        (np.arange(1000.0), 995.0),  # the fifth
        (np.arange(100.0), 97.0),  # the third at least
        (np.arange(10.0), 8.0),  # but of the best fifth
        (np.array([0.5, *[0.0] * 99]), 0.5),  # what has none of the words is not likely
        (np.zeros(100), 1.0),
        (np.empty(0), 0.0),
    ],
)
def test_the_middle_is_where_few_of_the_pool_are_more_similar(pool, middle) -> None:
    scale = Scale.of(pool)
    assert scale.middle == middle
    assert scale.deviation > 0.0
    assert scale.deviations(np.array([middle])).tolist() == [0.0]
    if len(pool):
        assert scale.deviations(pool).mean() >= -4.0 - 1e-9


def test_a_weakened_interest_counts_less() -> None:
    pool = TermBatch.of([terms(text) for text in POOL])
    strong, weak = (
        Words.of([Phrase(terms("chess"), [terms("chess").ids], weight=weight)], pool, None)[0] for weight in (1.0, 0.25)
    )
    scale, line = Scale(0.2, 0.1), Line(2.0, 0.0, -1.0)
    similarities = np.array([0.1, 0.2, 0.4])
    votes = [
        WordVote.of(words, scale, line, 1.0, words.weight).added(np.zeros(3), similarities) for words in (strong, weak)
    ]
    assert votes[0].tolist() == pytest.approx([-3.0, -1.0, 3.0])
    assert (votes[0] - votes[1]).tolist() == pytest.approx([np.log(4.0)] * 3)
    half = WordVote.of(strong, scale, line, 0.25, 1.0).added(np.array([8.0, 8.0, 8.0]), similarities)
    assert half.tolist() == pytest.approx([6.0 - 0.75, 6.0 - 0.25, 6.0 + 0.75])
