"""The one entry point: which articles of a batch are recommended, explored or hidden, from evidence alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.arrays import Bools
from extractors.text.terms import TermVector
from iscore.filtering.delivery.decide import Batch, Decision, Rescored, decide, rescored
from iscore.filtering.delivery.limits import Today, least, most
from iscore.filtering.delivery.tuning import A_DAY, EXPLORED, EXPLORED_OF, FIRST_DAY
from tests.iscore.filtering.made_up import Reader, about, terms

TOPICS = ("rain", "ships", "gold", "cats", "chess")
NEWS = [text for topic in TOPICS for text in about(topic, 12, seed=50)]
RAIN = range(12)
NOTHING_TODAY = Today()
BUSY = Today(arrived=300)
EXPLORED_TODAY = Today(explored=EXPLORED)


def batch(
    reader: Reader, texts: Sequence[str], *, boosts: Sequence[float] = (), earlier: int = 0, sources: Sequence[str] = ()
) -> Batch:
    given = np.array(boosts, dtype=np.float64) if len(boosts) else np.zeros(len(texts))
    return Batch(reader.new(texts), sources or ["Wire"] * len(texts), earlier, given)


def decided(
    reader: Reader,
    texts: Sequence[str] = NEWS,
    *,
    today: Today = NOTHING_TODAY,
    shown: Sequence[TermVector] = (),
    **more: Any,
) -> list[Decision]:
    new = reader.new(texts[more.get("earlier", 0) :])
    return decide(batch(reader, texts, **more), reader.evidence(new=new), today, shown)


def rescored_of(
    reader: Reader, texts: Sequence[str], *, hidden: Bools | None = None, today: Today = NOTHING_TODAY
) -> Rescored:
    none = np.zeros(len(texts), dtype=np.bool_)
    shown = none if hidden is None else hidden
    return rescored(reader.new(texts), reader.evidence(), hidden=shown, old=none, today=today)


def recommended(decisions: Sequence[Decision]) -> list[int]:
    return [place for place, each in enumerate(decisions) if each.interesting]


def explored(decisions: Sequence[Decision]) -> list[int]:
    return [place for place, each in enumerate(decisions) if each.explore]


def fond_of_rain(likes: int = 12, *, passed_over: int = 30) -> Reader:
    """Someone who likes rain, and has disliked all that was delivered of other topics."""
    reader = Reader()
    reader.like(*about("rain", likes), margin=1.0)
    reader.dislike(*about("ships", 12), margin=-1.0)
    for topic in TOPICS[1:]:
        reader.pass_over(*about(topic, passed_over))
    return reader


def sure_of_rain() -> Reader:
    """Someone with enough likes that nothing limits what is recommended, and nothing need be explored."""
    return fond_of_rain(40)


def test_at_first_a_diverse_selection_is_explored() -> None:
    decisions = decided(Reader(), today=Today())
    assert recommended(decisions) == []
    assert len(explored(decisions)) == FIRST_DAY
    assert {place // 12 for place in explored(decisions)} == set(range(len(TOPICS)))
    assert len({(each.score, each.threshold) for each in decisions}) == 1
    assert decided(Reader(), today=Today(explored=FIRST_DAY + 3)) == decided(Reader(), [], today=Today()) + [
        each._replace(explore=False) for each in decisions
    ]


def test_the_diverse_selection_leaves_out_what_was_shown() -> None:
    shown = [terms(text) for text in NEWS[:48]]
    few = decided(Reader(), today=Today(explored=FIRST_DAY - 3), shown=shown)
    assert {place // 12 for place in explored(few)} == {4}


def test_dislikes_alone_make_the_selection_smaller_and_do_not_end_it() -> None:
    reader = Reader()
    reader.dislike(*about("ships", 3))
    assert len(explored(decided(reader))) == A_DAY < FIRST_DAY
    assert all(each.score < each.threshold for each in decided(reader))


def test_a_like_or_an_example_ends_the_selection() -> None:
    for kind in ("like", "add_examples"):
        reader = Reader()
        reader.pass_over(*about("gold", 30))
        assert not reader.evidence().can_rank
        getattr(reader, kind)(*about("rain", 1))
        assert reader.evidence().can_rank
        scores = [each.score for each in decided(reader)]
        assert len(set(scores)) > len(TOPICS)


def test_what_reaches_the_threshold_is_recommended_and_there_is_one_threshold() -> None:
    decisions = decided(sure_of_rain(), today=EXPLORED_TODAY)
    assert recommended(decisions) == list(RAIN)
    assert explored(decisions) == []
    assert len({each.threshold for each in decisions}) == 1
    assert all(each.interesting == (each.score >= each.threshold) for each in decisions)
    assert [each.probability for each in decisions] == [1.0] * 12 + [0.0] * 48


def test_no_more_than_the_most_of_a_day_are_recommended() -> None:
    reader = fond_of_rain(2)
    allowed = most(2)
    many = about("rain", 3 * allowed, seed=60)
    assert 0 < len(recommended(decided(reader, many))) <= allowed
    for today in (Today(recommended=allowed - 2), Today(explored=allowed - 2)):
        assert len(recommended(decided(reader, many, today=today))) <= 2
    full = decided(reader, many, today=Today(recommended=allowed))
    assert recommended(full) == explored(full) == []


def test_of_too_many_equal_scores_the_newest_are_explored_up_to_the_most_of_a_day() -> None:
    decisions = decided(fond_of_rain(12), about("rain", 1) * 200)
    assert len({each.score for each in decisions}) == 1
    assert recommended(decisions) == []
    assert explored(decisions) == [*range(200 - most(12), 200)]


def test_while_little_is_known_the_best_are_explored_up_to_the_least_of_a_day() -> None:
    reader = Reader()
    reader.like(*about("rain", 2), margin=-4.0)
    reader.dislike(*about("rain", 12), *about("ships", 12), margin=4.0)
    reader.pass_over(*about("gold", 30))
    decisions = decided(reader)
    wanted = least(2, len(NEWS), examples=False)
    assert wanted > 0
    assert len(recommended(decisions) + explored(decisions)) >= wanted
    best = sorted(range(len(NEWS)), key=lambda place: -decisions[place].score)
    assert set(explored(decisions)) <= set(best[: len(recommended(decisions)) + len(explored(decisions))])
    assert explored(decisions)
    done = decided(reader, today=Today(len(NEWS), explored=2 * wanted))
    assert explored(done) == []


def test_explored_articles_are_of_several_sources() -> None:
    reader = fond_of_rain(1)
    sources = [f"Source {place % 12}" for place in range(len(NEWS))]
    found = explored(decided(reader, about("gold", len(NEWS), seed=8), sources=sources, today=BUSY))
    assert len({sources[place] for place in found}) == len(found) > 3


def test_once_a_day_the_best_article_below_the_cut_is_explored() -> None:
    for texts in (NEWS, about("gold", 20, seed=60)):
        decisions = decided(sure_of_rain(), texts, today=Today(arrived=EXPLORED_OF))
        (chosen,) = explored(decisions)
        assert decisions[chosen].score == max(each.score for each in decisions if not each.interesting)
        done = Today(arrived=EXPLORED_OF, recommended=9, explored=EXPLORED)
        assert explored(decided(sure_of_rain(), texts, today=done)) == []


def test_of_a_small_stream_one_is_explored_when_nothing_is_recommended() -> None:
    assert len(NEWS) < EXPLORED_OF
    assert recommended(decided(sure_of_rain()))
    assert explored(decided(sure_of_rain())) == []
    gold = about("gold", 20, seed=60)
    assert recommended(decided(sure_of_rain(), gold)) == []
    assert len(explored(decided(sure_of_rain(), gold))) == EXPLORED
    assert explored(decided(sure_of_rain(), gold, today=Today(recommended=1))) == []


def test_muted_articles_take_no_place() -> None:
    reader = fond_of_rain(2)
    allowed = most(2)
    rain = about("rain", 3 * allowed, seed=60)
    plain = decided(reader, rain)
    best = recommended(plain)[:3]
    boosts = np.zeros(len(rain))
    boosts[best] = -np.inf
    decisions = decided(reader, rain, boosts=boosts)
    assert len(set(recommended(decisions)) - set(best)) == len(recommended(plain))
    assert not set(explored(decisions)) & set(best)


def test_nothing_is_explored_that_rules_decide() -> None:
    gold = about("gold", 60, seed=8)
    for reader in (Reader(), fond_of_rain(1)):
        assert len(explored(decided(reader, gold, today=BUSY))) > 3
        for boost in (np.inf, -np.inf, 50.0):
            assert explored(decided(reader, gold, today=BUSY, boosts=[boost] * 60)) == []
    reader, gold = sure_of_rain(), about("gold", 20, seed=60)
    muted = [-np.inf, *[0.0] * 19]
    assert explored(decided(reader, gold, boosts=muted)) != [0]


def test_a_boost_changes_neither_score_nor_threshold() -> None:
    plain, boosted = decided(sure_of_rain()), decided(sure_of_rain(), boosts=[0.5] * len(NEWS))
    assert boosted == plain


def test_articles_that_were_hidden_before_get_another_look() -> None:
    reader = sure_of_rain()
    again = decided(reader, earlier=30)
    assert recommended(again) == list(RAIN)
    # The diverse selection is of new articles.
    assert min(explored(decided(Reader(), today=Today(), earlier=30))) >= 30
    assert explored(decided(Reader(), today=Today(), earlier=len(NEWS))) == []


def fond_of_rain_no_more() -> Reader:
    reader = fond_of_rain(40)
    reader.dislike(*about("rain", 9, seed=1), margin=1.0, score=2.0)
    assert reader.evidence().searching
    return reader


def test_when_interests_seem_to_have_changed_the_best_article_and_a_diverse_selection_are_delivered() -> None:
    reader = fond_of_rain_no_more()
    decisions = decided(reader)
    (best,) = recommended(decisions)
    assert decisions[best].score == max(each.score for each in decisions)
    assert len(explored(decisions)) == A_DAY
    assert len({place // 12 for place in explored(decisions)}) >= 4
    later = decided(reader, today=Today(60, recommended=1, explored=A_DAY))
    assert recommended(later) == explored(later) == []
    assert all(np.isfinite(each.threshold) for each in (*decisions, *later))
    assert decided(reader, []) == []


def test_in_a_search_the_best_article_is_recommended_wherever_the_cut_is() -> None:
    reader = fond_of_rain_no_more()
    news = about("ships", 12, seed=7)
    assert recommended(decided(fond_of_rain(40), news)) == []
    for explored_before in (0, 1, A_DAY):
        assert len(recommended(decided(reader, news, today=Today(60, explored=explored_before)))) == 1


def test_a_search_passes_over_what_rules_hide() -> None:
    reader = fond_of_rain_no_more()
    (best,) = recommended(decided(reader))
    boosts = np.zeros(len(NEWS))
    boosts[best] = -np.inf
    decisions = decided(reader, boosts=boosts)
    shown = [place for place in recommended(decisions) if place != best]
    assert len(shown) == 1
    muted = decided(reader, boosts=[-np.inf] * len(NEWS))
    assert explored(muted) == []
    assert all(np.isfinite(each.threshold) for each in muted)


@pytest.mark.parametrize("likes", [None, 1, 40], ids=["new", "one like", "sure"])
def test_an_empty_batch(likes: int | None) -> None:
    reader = Reader() if likes is None else fond_of_rain(likes)
    assert decided(reader, []) == []
    assert [len(each) for each in rescored_of(reader, [])] == [0, 0, 0]


def test_the_same_evidence_gives_the_same_decisions() -> None:
    assert decided(fond_of_rain(3)) == decided(fond_of_rain(3))


def test_all_articles_of_the_inbox_have_one_threshold_and_the_scores_of_decisions() -> None:
    reader = sure_of_rain()
    scores, thresholds, _ = rescored_of(reader, NEWS)
    assert scores.tolist() == [each.score for each in decided(reader)]
    assert len(set(thresholds.tolist())) == 1
    assert np.flatnonzero(scores >= thresholds).tolist() == list(RAIN)


@pytest.mark.parametrize("today", [0, 3, 50])
def test_of_what_was_hidden_the_inbox_recommends_no_more_than_is_left_of_the_day(today: int) -> None:
    reader = fond_of_rain(2)
    left = max(most(2) - today, 0)
    rain = about("rain", 4 * most(2), seed=60)
    hidden = np.ones(len(rain), dtype=np.bool_)
    hidden[::4] = False
    scores, thresholds, _ = rescored_of(reader, rain, hidden=hidden, today=Today(recommended=today))
    is_shown = scores >= thresholds
    assert 0 < np.count_nonzero(is_shown[hidden]) == left or left == 0
    _, lowest, _ = rescored_of(reader, rain)
    assert is_shown[~hidden].tolist() == (scores >= lowest)[~hidden].tolist()
    best = np.argsort(-scores[hidden], kind="stable")[:left]
    assert is_shown[hidden][best].all()


def test_before_the_first_verdict_the_day_has_room_for_what_is_about_the_interests() -> None:
    reader = Reader()
    for topic in TOPICS[1:]:
        reader.pass_over(*about(topic, 200))
    reader.add_phrase("rain0, rain1, rain2, rain3, rain4, rain5")
    reader.pass_over(*about("rain", 30))
    news = [*about("rain", FIRST_DAY + 10, seed=60), *NEWS[12:]]
    decisions = decided(reader, news)
    shown = recommended(decisions)
    assert most(0) < len(shown) <= FIRST_DAY < len(news)
    assert max(shown) < FIRST_DAY + 10
    scores, thresholds, _ = rescored_of(reader, news, hidden=np.ones(len(news), dtype=np.bool_))
    assert np.flatnonzero(scores >= thresholds).tolist() == shown
    reader.dislike(*about("ships", 1))
    assert len(recommended(decided(reader, news))) <= most(0)


def test_before_anything_is_liked_all_articles_of_the_inbox_score_alike() -> None:
    reader = Reader()
    reader.dislike(*about("ships", 3))
    scores, thresholds, _ = rescored_of(reader, NEWS)
    assert set(scores.tolist()) == {decided(reader)[0].score}
    assert (scores < thresholds).all()


@given(st.lists(st.floats(0.25, 2), min_size=2, max_size=2).map(sorted), st.integers(2, 40))
@settings(max_examples=20, deadline=None)
def test_a_larger_beta_never_recommends_fewer(betas: list[float], likes: int) -> None:
    reader = fond_of_rain(likes, passed_over=5)
    evidence = reader.evidence()
    fewer, more = (recommended(decide(batch(reader, NEWS), replace(evidence, beta=beta), BUSY, ())) for beta in betas)
    assert set(fewer) <= set(more)
