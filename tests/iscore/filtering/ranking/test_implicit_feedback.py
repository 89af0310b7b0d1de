"""Implicit feedback: a part of a like or a dislike, learned from who gave both, and never as much as a verdict."""

from __future__ import annotations

from math import log, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.filtering.ranking.implicit_feedback import (
    LARGEST,
    RATES,
    STRENGTH,
    Sign,
    count,
    newest_of_each,
    signs,
    weights,
)
from iscore.filtering.ranking.ranking import score
from tests.iscore.filtering.made_up import Reader, about

MANY_SIGNS = st.frozensets(st.sampled_from(Sign))
NOBODY = count([])
LONG, SHORT = signs(opened=True, seconds=240.0), signs(opened=True, seconds=2.0)


def test_what_was_done_becomes_signs() -> None:
    assert signs(opened=False, seconds=30.0) == {Sign.OPENED, Sign.READ_20}
    assert signs(opened=False, seconds=0.0, original=True, left=True) == {Sign.OPENED, Sign.ORIGINAL}
    assert signs(opened=False, seconds=0.0, saved=True, passed=True) == {Sign.SAVED, Sign.PASSED}
    assert signs(opened=True, seconds=120.0) == {Sign.OPENED, Sign.READ_120}
    assert signs(opened=False, seconds=0.0) == frozenset()


def test_the_rates_of_others_say_that_long_reading_is_for_and_short_reading_against() -> None:
    found = weights([LONG, SHORT, frozenset({Sign.OPENED}), frozenset({Sign.SAVED})], NOBODY)
    liked, disliked = RATES[Sign.READ_120]
    assert found[0] == pytest.approx(tanh(0.5 * log(liked / disliked)))
    assert found[1] < 0.0 == found[2] < found[3]


def test_the_users_own_verdicts_correct_the_rates_of_others() -> None:
    own = count([(SHORT, True)] * 60 + [(LONG, False)] * 60)
    long, short = weights([LONG, SHORT], own)
    assert short > 0.0 > long
    # A hand-worked step: 9 of 10 liked articles were opened, 1 of 10 disliked ones.
    opened = signs(opened=True, seconds=0.0)
    own = count([(opened, True)] * 9 + [(frozenset(), True)] + [(opened, False)] + [(frozenset(), False)] * 9)
    half = 0.5 * STRENGTH
    odds = ((9 + half) / (10 + STRENGTH)) / ((1 + half) / (10 + STRENGTH))
    assert weights([opened], own).tolist() == pytest.approx([(odds - 1) / (odds + 1)])


@given(st.lists(MANY_SIGNS, max_size=20), st.lists(st.tuples(MANY_SIGNS, st.booleans()), max_size=60))
def test_no_signs_ever_weigh_as_much_as_a_verdict(of: list[frozenset[Sign]], own: list) -> None:
    found = weights(of, count(own * 20))
    assert found.shape == (len(of),)
    assert np.isfinite(found).all()
    assert (np.abs(found) <= LARGEST).all()
    assert LARGEST < 1.0


def test_the_newest_of_each_kind_are_taken() -> None:
    assert newest_of_each(np.array([0.3, -0.3, 0.01, 0.2, 0.1, -0.01, -0.2]), 2).tolist() == [1, 3, 4, 6]


def scores(reader: Reader) -> np.ndarray:
    return score(reader.new([*about("wind", 3, seed=9), *about("gold", 3, seed=9)]), reader.evidence()).articles


def rated() -> Reader:
    reader = Reader()
    reader.like(*about("rain", 5), mood=1.0)
    reader.dislike(*about("ships", 5), mood=-1.0)
    reader.pass_over(*about("gold", 10), *about("salt", 10))
    return reader


@pytest.mark.parametrize("liked", [True, False])
def test_an_article_counts_in_the_direction_of_a_verdict_and_less(liked: bool) -> None:
    without, part, whole = rated(), rated(), rated()
    part.read(*about("wind", 1), LARGEST if liked else -LARGEST)
    whole.rate(about("wind", 1), liked)
    moved = [(scores(reader) - scores(without))[:3].mean() for reader in (part, whole)]
    if not liked:
        moved = [-each for each in moved]
    assert 0.0 < moved[0] < moved[1]


def test_all_parts_of_a_kind_weigh_at_most_what_its_verdicts_do() -> None:
    reader = rated()
    for text in about("wind", 40):
        reader.read(text, 0.5)
    reader.read(*about("gold", 1), -0.25)
    labelled = reader.evidence().labelled
    assert labelled.n_implicit == 41
    assert labelled.weights[labelled.implicit & labelled.liked].sum() == pytest.approx(5.0)
    assert labelled.weights[-1] == 0.25
    assert not labelled.verdicts[-41:].any()


def test_implicit_feedback_alone_ranks_nothing() -> None:
    reader = Reader()
    reader.pass_over(*about("gold", 10))
    reader.read(*about("wind", 1), 0.5)
    assert not reader.evidence().can_rank
    reader.dislike(*about("ships", 1))
    assert not reader.evidence().can_rank


def test_examples_and_phrases_are_no_verdicts_beside_implicit_feedback() -> None:
    reader = rated()
    reader.pass_over(*about("wind", 1))
    reader.add_phrase("wind0 wind1 wind2 wind3 wind4 wind5")
    reader.add_examples(*about("rain", 2))
    reader.read(*about("wind", 1), 0.5)
    evidence = reader.evidence()
    labelled = evidence.labelled
    assert evidence.has_examples
    assert len(labelled.phrases) == 1
    assert labelled.implicit.sum() == 1
    assert labelled.verdicts.sum() == 10
    assert np.isfinite(scores(reader)).all()
