"""Which interest articles belong to, and what a new interest in words finds among the likes of others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iscore.filtering.ranking.calibration import sigmoid
from iscore.filtering.ranking.labelled import NO_INTEREST
from iscore.filtering.ranking.ranking import PHRASE_LIKES, Scored, fitted, score
from tests.iscore.filtering.made_up import Reader, about, basis_of

NEWS = [*about("rain", 6, seed=50), *about("ships", 6, seed=50), *about("gold", 6, seed=50), *about("cats", 6, seed=50)]
RAIN, SHIPS, GOLD = slice(0, 6), slice(6, 12), slice(12, 18)


BASIS = basis_of(*(" ".join(f"{topic}{word}" for word in range(6)) for topic in ("rain", "ships", "gold", "cats")))


def scored(reader: Reader) -> Scored:
    return score(reader.new(NEWS), reader.evidence(BASIS))


def votes(reader: Reader) -> list[int]:
    """Return the interests that vote, each once, and those that vote apart from the others once more."""
    return [vote.words.interest for vote in fitted(reader.new(NEWS), reader.evidence(BASIS)).votes]


ALL = " ".join(f"{{topic}}{word}" for word in range(6))


def reader_of_rain_and_gold() -> Reader:
    reader = Reader()
    reader.pass_over(*(text for topic in ("rain", "gold", "ships", "cats") for text in about(topic, 20)))
    reader.add_phrase(ALL.format(topic="rain"))
    reader.add_phrase(ALL.format(topic="gold"))
    return reader


def test_an_article_belongs_to_the_interest_that_it_is_nearest_to() -> None:
    reader = reader_of_rain_and_gold()
    assert scored(reader).interests.tolist() == [0] * 6 + [NO_INTEREST] * 6 + [1] * 6 + [NO_INTEREST] * 6
    reader.add_examples(*about("ships", 3))  # of the interest 0
    assert scored(reader).interests.tolist() == [1] * 6 + [0] * 6 + [2] * 6 + [NO_INTEREST] * 6


def test_beyond_what_is_similar_an_article_belongs_to_words_only_if_it_has_most_of_them() -> None:
    reader = Reader()
    reader.pass_over(*(text for topic in ("rain", "gold", "cats") for text in about(topic, 20)))
    reader.add_phrase("rain0")
    reader.like(*about("gold", 8, seed=1), *about("rain", 2, seed=1))
    news = ["rain0 common1", "rain1 rain2 rain3", "gold1 gold2 common1"]
    for basis, second in ((None, NO_INTEREST), (BASIS, 0)):
        found = score(reader.new(news), reader.evidence(basis))
        assert found.interests.tolist() == [0, second, NO_INTEREST]
    # With examples an interest is more than its words.
    reader.add_examples(*about("rain", 3, seed=2))
    reader.phrases[0] = ("examples", reader.phrases[0][1])
    assert score(reader.new(news), reader.evidence()).interests.tolist()[1] == 0


def test_without_interests_no_article_belongs_to_one() -> None:
    reader = Reader()
    reader.like(*about("rain", 6))
    assert scored(reader).interests.tolist() == [NO_INTEREST] * len(NEWS)


def test_two_interests_are_both_found() -> None:
    found = scored(reader_of_rain_and_gold()).articles
    others = np.delete(found, np.r_[RAIN, GOLD])
    assert min(found[RAIN].min(), found[GOLD].min()) > others.max()


def test_a_sole_interest_has_one_vote_unless_all_likes_are_elsewhere() -> None:
    reader = Reader()
    reader.pass_over(*(text for topic in ("rain", "gold", "cats") for text in about(topic, 20)))
    reader.add_phrase("rain0 rain1 rain2")
    reader.dislike(*about("cats", 3, seed=1))
    assert votes(reader) == [0]
    reader.like(*about("gold", 2, seed=1))
    assert votes(reader) == [0, 0]
    reader.like(*about("rain", 1, seed=1))
    assert votes(reader) == [0]


def test_words_that_are_added_late_find_their_articles_at_once() -> None:
    reader = Reader()
    reader.pass_over(*about("rain", 20), *about("gold", 20), *about("cats", 20))
    reader.like(*about("ships", 40))
    reader.dislike(*about("cats", 20, seed=1))
    before = scored(reader).articles
    reader.add_phrase("rain0 rain1 rain2")
    found = scored(reader)
    assert found.articles[RAIN].mean() > before[RAIN].mean() + 2.0
    assert found.articles[RAIN].min() > found.articles[GOLD].max()
    assert sigmoid(found.articles[SHIPS]).min() > 0.5
    name, phrase = reader.phrases[0]
    reader.phrases[0] = (name, replace(phrase, weight=0.25))
    weaker = scored(reader).articles
    assert weaker[RAIN].max() < found.articles[RAIN].max()
    assert (weaker[SHIPS] > found.articles[SHIPS]).all()


def test_dislikes_of_a_new_interest_teach_it_alone() -> None:
    reader = Reader()
    reader.pass_over(*about("rain", 20), *about("gold", 20))
    reader.like(*about("ships", 40))
    reader.add_phrase("rain0 rain1 rain2")
    before = scored(reader).articles
    reader.dislike(*about("rain", 6, seed=9))
    after = scored(reader).articles
    assert after[RAIN].mean() < before[RAIN].mean() - 0.5
    assert sigmoid(after[SHIPS]).min() > 0.5


def test_words_vote_less_with_each_verdict() -> None:
    reader = Reader()
    reader.pass_over(*about("rain", 20), *about("gold", 20))
    reader.add_phrase("rain0 rain1 rain2")
    shares = []
    for likes in range(PHRASE_LIKES + 1):
        evidence = reader.evidence(BASIS)
        assert evidence.labelled.only_words == (likes == 0)
        shares.append(fitted(reader.new(NEWS), evidence).votes[0].share)
        reader.like(*about("rain", 1, seed=100 + likes))
    assert shares == pytest.approx([1.0, *(5 / (5 + likes) for likes in range(1, PHRASE_LIKES + 1))])
    reader.dislike(*about("gold", 16, seed=9))
    assert fitted(reader.new(NEWS), reader.evidence(BASIS)).votes[0].share == pytest.approx(5 / (5 + 6 + 1.6))


def test_an_interest_of_which_no_article_has_the_words_is_named_for_none() -> None:
    reader = reader_of_rain_and_gold()
    reader.add_phrase("drizzle", interest="drizzle")
    basis = basis_of("rain0 rain1 rain2 rain3 rain4 rain5 drizzle", "gold0 gold1 gold2 gold3 gold4 gold5")
    found = score(reader.new(NEWS), reader.evidence(basis))
    assert set(found.interests[RAIN].tolist()) <= {0, NO_INTEREST}
    del reader.phrases[:2]
    alone = score(reader.new(NEWS), reader.evidence(basis))
    assert alone.articles[RAIN].min() > alone.articles[SHIPS].max()
    assert set(alone.interests.tolist()) == {NO_INTEREST}
