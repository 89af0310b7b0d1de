"""Words by where they stand, and names: the vectors by hand, and the two features against a learner by itself."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Context
from extractors.reader.confidence_weighted_words import (
    EMPHASIS,
    N_COORDINATES,
    NAME,
    ConfidenceWeightedWords,
    Names,
    of_vocabulary,
    side_by_side,
)
from extractors.text.analysis import analyse_many
from extractors.text.frequencies import Frequencies
from extractors.text.terms import IN_OPENING, IN_TITLE, N_TERMS, TermBatch, TermVector
from iscore.learners import ConfidenceWeighted

CONTEXT = Context(0, {"confidence-weighted": lambda: ConfidenceWeighted(bias=True, n_features=N_COORDINATES)})


def of(ids, weights, parts=()) -> TermVector:
    numbers = np.array(weights, dtype=np.float32)
    return TermVector(np.array(ids, dtype=np.int32), numbers, numbers, np.array(parts, dtype=np.uint8))


def test_four_vectors_stand_side_by_side() -> None:
    first = of((3, 5, 9), (0.6, 0.8, 0.1), (IN_TITLE, IN_TITLE | IN_OPENING, 0))
    second = of((4,), (1.0,))
    names = Names(np.array((0, 0, 2)), np.array((3 * N_TERMS, 3 * N_TERMS + 8), dtype=np.int32))
    indptr, coordinates, values = side_by_side(TermBatch.of([first, second]), names)
    assert indptr.tolist() == [0, 6, 6, 7, 9, 9], "words and names of each, then nothing"
    of_first = [3, 5, 9, N_TERMS + 3, N_TERMS + 5, 2 * N_TERMS + 5]
    assert coordinates.tolist() == [*of_first, 4, *names.coordinates.tolist()]
    lengths = [0.6 * EMPHASIS, 0.8 * EMPHASIS, EMPHASIS]
    assert values == pytest.approx([0.6, 0.8, 0.1, *lengths, 1.0, NAME, NAME])


def test_rows_of_a_vocabulary_are_the_same_rows() -> None:
    batch = TermBatch.of([of((3, 5, 9), (0.6, 0.8, 0.1), (IN_TITLE, 0, IN_OPENING)), of((5, 9), (0.7, 0.7))])
    names = Names(np.array((0, 1, 3)), np.array((3 * N_TERMS, 3 * N_TERMS, 3 * N_TERMS + 8), dtype=np.int32))
    vocabulary, indptr, places, values = of_vocabulary(batch, names)
    for both, expected in zip((indptr, vocabulary[places], values), side_by_side(batch, names), strict=True):
        assert both.tolist() == expected.tolist()


def names_of(article) -> np.ndarray:
    return Names.of([article]).coordinates


def test_names_have_coordinates_of_their_own_each_once(piece) -> None:
    found = names_of(piece(source="Ada", author=" ADA ", site="", categories=("Port", "port", " ")))
    assert len(found) == 3, "a source and an author of the same name are two"
    assert (found >= 3 * N_TERMS).all()
    assert (found < N_COORDINATES).all()
    assert (np.diff(found) > 0).all()
    assert names_of(piece(source="ada", author="ada", site="", categories=("PORT",))).tolist() == found.tolist()
    assert len(names_of(piece(source="", author="", site="", categories=()))) == 0


def articles(stream) -> list[AnalysedArticle]:
    texts = analyse_many(stream, Frequencies())
    return [AnalysedArticle(article, texts.terms[row]) for row, article in enumerate(stream)]


def test_the_two_features_sum_up_to_the_margin(stream) -> None:
    extractor, alone = ConfidenceWeightedWords(CONTEXT), ConfidenceWeighted(bias=True, n_features=N_COORDINATES)
    for number, article in enumerate(articles(stream)):
        _, *row = side_by_side(TermBatch.of([article.terms]), Names.of([article.metadata]))
        values = np.array(extractor.extract(article))
        if number > 2:
            whole = alone.score_rows(np.array((0, len(row[0]))), *row)[0]
            assert values.sum() == pytest.approx(whole, abs=1e-6)
            assert (values != 0.0).all()
        else:
            assert np.isnan(values).all()
        alone.learn_row(*row, number % 3 == 2, 1.0)
        extractor.learn(article, number % 3 == 2, 1.0)


def test_what_is_missing_is_missing(piece, stream) -> None:
    extractor = ConfidenceWeightedWords(CONTEXT)
    for number, article in enumerate(articles(stream)):
        extractor.learn(article, number % 2 == 0, 1.0)
    nameless, wordless = articles(
        [piece(title="Cranes", source="", author="", site="", categories=()), piece(url="", site="")]
    )
    values = extractor.extract_many(AnalysedBatch.of([nameless, wordless]))
    assert np.isfinite(values).tolist() == [[True, False], [False, False]]
    assert np.isnan(ConfidenceWeightedWords(Context()).extract(nameless)).all()


def test_a_word_can_tell_something_else_in_the_title(piece) -> None:
    """Liked: "strike" in the title. Disliked: the same word further down alone."""
    extractor = ConfidenceWeightedWords(CONTEXT)
    filler = " ".join(f"word{number}" for number in range(60))

    def story(title: str, number: int):
        return piece(title=f"{title} {number}", text=f"{filler} strike harbour", source="", author="", categories=())

    learned = [(story("Strike", n), True) if n % 2 else (story("Harbour", n), False) for n in range(40)]
    for article, (_, liked) in zip(articles([each for each, _ in learned]), learned, strict=True):
        extractor.learn(article, liked, 1.0)
    strike, harbour = articles([story("Strike", 100), story("Harbour", 101)])
    assert extractor.extract(strike)[0] > 0.0 > extractor.extract(harbour)[0]
