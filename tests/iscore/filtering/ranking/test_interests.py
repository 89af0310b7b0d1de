"""Which interest articles belong to, and what a new interest in words finds among the likes of others."""

from __future__ import annotations

import numpy as np

from extractors.text.terms import TermBatch
from iscore.filtering.ranking.calibration import sigmoid
from iscore.filtering.ranking.labelled import NO_INTEREST, PHRASE_LIKES
from iscore.filtering.ranking.ranking import Scored, fitted, score
from tests.iscore.filtering.made_up import Reader, about, basis_of, terms

NEWS = [*about("rain", 6, seed=50), *about("ships", 6, seed=50), *about("gold", 6, seed=50), *about("cats", 6, seed=50)]
RAIN, SHIPS, GOLD = slice(0, 6), slice(6, 12), slice(12, 18)


BASIS = basis_of(*(" ".join(f"{topic}{word}" for word in range(6)) for topic in ("rain", "ships", "gold", "cats")))


def scored(reader: Reader) -> Scored:
    return score(reader.new(NEWS), reader.evidence(BASIS))


def rankings(reader: Reader) -> int:
    return len(fitted(reader.new(NEWS), reader.evidence(BASIS)).rankings)


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


def test_an_article_matches_words_only_if_it_has_most_of_them() -> None:
    reader = Reader()
    reader.pass_over(*(text for topic in ("rain", "gold", "cats") for text in about(topic, 20)))
    reader.add_phrase("rain0")
    reader.like(*about("gold", 8, seed=1), *about("rain", 2, seed=1))
    news = ["rain0 common1", "rain1 rain2 rain3", "gold1 gold2 common1"]
    found = score(reader.new(news), reader.evidence(BASIS))
    assert found.interests.tolist() == [0, NO_INTEREST, NO_INTEREST]
    # With examples an interest is more than its words.
    reader.add_examples(*about("rain", 3, seed=2))
    reader.phrases[0] = (terms("rain0"), 1.0, "examples")
    assert score(reader.new(news), reader.evidence(BASIS)).interests.tolist()[1] == 0


def test_without_interests_no_article_belongs_to_one() -> None:
    reader = Reader()
    reader.like(*about("rain", 6))
    assert scored(reader).interests.tolist() == [NO_INTEREST] * len(NEWS)


def test_two_interests_are_both_found() -> None:
    found = scored(reader_of_rain_and_gold()).articles
    others = np.delete(found, np.r_[RAIN, GOLD])
    assert min(found[RAIN].min(), found[GOLD].min()) > others.max()


def test_a_sole_interest_has_one_ranking_unless_all_likes_are_elsewhere() -> None:
    reader = Reader()
    reader.pass_over(*(text for topic in ("rain", "gold", "cats") for text in about(topic, 20)))
    reader.add_phrase("rain0 rain1 rain2")
    reader.dislike(*about("cats", 3, seed=1))
    assert rankings(reader) == 1
    reader.like(*about("gold", 2, seed=1))
    assert rankings(reader) == 2
    reader.like(*about("rain", 1, seed=1))
    assert rankings(reader) == 1


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
    reader.phrases[0] = (reader.phrases[0][0], 0.25, "rain")
    weaker = scored(reader).articles
    assert weaker[RAIN].max() < found.articles[RAIN].max()
    assert np.array_equal(weaker[SHIPS], found.articles[SHIPS])


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


def test_words_end_with_enough_likes_of_their_own() -> None:
    reader = Reader()
    reader.pass_over(*about("rain", 20), *about("gold", 20))
    reader.add_phrase("rain0 rain1 rain2")
    for likes in range(PHRASE_LIKES):
        with_words = scored(reader).articles
        assert reader.evidence().labelled.only_words == (likes == 0)
        reader.like(*about("rain", 1, seed=100 + likes))
    ended = scored(reader).articles
    assert not np.array_equal(ended, with_words)
    reader.phrases.clear()
    assert np.array_equal(scored(reader).articles, ended)


def test_what_is_disliked_stands_for_no_phrase() -> None:
    reader = Reader()
    reader.dislike(*about("rain", 3))
    reader.pass_over(*about("rain", 3, seed=1), *about("gold", 9))
    reader.add_phrase("rain0 rain1 rain2 rain3 rain4 rain5")
    labelled = reader.evidence().labelled
    stand_ins = {labelled.terms[row].ids.tobytes() for row in range(labelled.n_stand_ins)}
    assert stand_ins == {terms(text).ids.tobytes() for text in about("rain", 3, seed=1)}


def test_words_are_as_rare_as_in_the_pool() -> None:
    reader = Reader()
    reader.pass_over(*["often once"], *["often more"] * 30, *about("gold", 9))
    reader.add_phrase("often once")
    labelled = reader.evidence().labelled
    assert labelled.terms[0].ids.tolist() == terms("often once").ids.tolist()
    reader.phrases.clear()
    reader.add_phrase("unheard often")
    assert TermBatch.of([labelled.terms[0]]).ids.tolist() == terms("often once").ids.tolist()
