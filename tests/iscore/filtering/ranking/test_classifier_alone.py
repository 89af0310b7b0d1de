"""Who ranks can be chosen: words, the feature classifier alone, or all."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.filtering.ranking.ranking import score
from tests.iscore.filtering.made_up import Reader, about

WORDS = ["rain0 rain1 rain2", "gold0 gold1 gold2"]
"""An article in the words of what is liked, and another."""


def reader_of(rankers: str, verdicts: int = 30) -> Reader:
    """A reader who likes rain, in a good mood; with the classifier alone words count for nothing."""
    reader = Reader()
    reader.model.rankers = rankers
    for number in range(verdicts):
        reader.like(*about("rain", 1, seed=number), mood=3.0 + number % 3)
        reader.dislike(*about("ships", 1, seed=number), mood=-3.0 - number % 3)
    reader.pass_over(*about("gold", 400), mood=-3.0)
    return reader


def margins(reader: Reader, moods: list[float]) -> list[float]:
    return score(reader.new(WORDS, moods=moods), reader.evidence()).articles.tolist()


def test_the_classifier_alone_ranks_by_features_only() -> None:
    reader = reader_of("classifier")
    like_words, like_features = margins(reader, [-4.0, 4.0])
    assert like_words < 0.0 < like_features
    one, other = margins(reader, [4.0, 4.0])
    assert one == other


def test_words_alone_rank_by_words_only() -> None:
    reader = reader_of("words")
    like_words, like_features = margins(reader, [-4.0, 4.0])
    assert like_words > like_features
    assert margins(reader, [-4.0, 4.0]) == margins(reader, [4.0, -4.0])


def test_margins_of_the_classifier_alone_are_calibrated_by_verdicts() -> None:
    """Scores that were wrong about half of the verdicts say little."""
    right = np.ptp(margins(reader_of("classifier"), [-4.0, 4.0]))
    reader = reader_of("classifier")
    for number in range(30):
        reader.like(*about("rain", 1, seed=number), mood=-4.0)
        reader.dislike(*about("ships", 1, seed=number), mood=4.0)
    assert np.ptp(margins(reader, [-4.0, 4.0])) < right


@pytest.mark.parametrize("verdicts", [1, 2])
def test_with_few_verdicts_the_classifier_alone_begins_by_similarity(verdicts: int) -> None:
    reader = reader_of("classifier", verdicts)
    news = reader.new(WORDS)
    assert not reader.model.trained
    assert not np.isnan(news.votes).any()
    assert score(news, reader.evidence()).articles.tolist() == news.votes.tolist()


def test_what_the_classifier_alone_never_scored_is_ranked_by_words() -> None:
    reader = reader_of("classifier")
    news = reader.new(WORDS)
    news.votes[:] = np.nan
    liked, other = score(news, reader.evidence()).articles
    assert liked > other
