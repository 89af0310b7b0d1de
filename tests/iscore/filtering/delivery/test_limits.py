"""How many articles are delivered a day: at most, at least, and alike however many polls the day has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from iscore.filtering.delivery.limits import Today, day_began, least, most
from iscore.filtering.delivery.tuning import ENOUGH_LIKES, FEWEST
from tests.iscore.filtering.delivery.test_decide import decided
from tests.iscore.filtering.made_up import Reader, about

NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)


def test_more_is_recommended_with_each_like() -> None:
    allowed = [most(likes) for likes in range(30)]
    assert allowed[0] > 0
    assert (np.diff(allowed) > 0).all()


def test_something_is_delivered_of_little_and_more_of_much_until_enough_is_liked() -> None:
    wanted = [least(1, arrived, examples=False) for arrived in (0, 10, 100, 300, 5000)]
    assert wanted == sorted(wanted)
    assert wanted[0] == 0 < wanted[3] == wanted[4]
    assert [least(1, arrived, examples=False) for arrived in (1, 2, 27)] == [1, FEWEST, FEWEST]
    assert least(2, 300, examples=False) > least(1, 300, examples=False)
    assert least(ENOUGH_LIKES, 300, examples=False) == least(0, 300, examples=True) == 0


@pytest.mark.parametrize("polls", [3, 24])
@pytest.mark.parametrize(
    "state", ["two likes", "two likes of other things", "many likes", "changed", "examples", "nothing"]
)
def test_a_day_of_many_polls_delivers_what_a_day_of_one_does(state: str, polls: int) -> None:
    reader = Reader()
    if state == "examples":
        reader.add_examples(*about("rain", 3))
    if "likes" in state:
        liked = about("chess" if "other" in state else "rain", 2 if "two" in state else 12)
        reader.like(*liked, margin=1.0)
        reader.dislike(*about("ships", 12), margin=-1.0)
    if state == "changed":
        reader.like(*about("rain", 12), margin=1.0, score=2.0)
        reader.dislike(*about("rain", 9, seed=1), margin=1.0, score=2.0)
    reader.pass_over(*about("gold", 30), *about("ships", 30))
    random = np.random.default_rng(3)
    news = [*about("rain", 24, seed=5), *about("gold", 48, seed=5), *about("ships", 48, seed=5)]
    news = [news[place] for place in random.permutation(len(news))]
    evidence = reader.evidence()
    assert evidence.can_rank == (state != "nothing")
    assert evidence.searching == (state == "changed")

    def delivered(parts: int) -> tuple[int, int]:
        """Let the news arrive in a number of polls; return how many were delivered, and recommended."""
        today, shown = Today(), []
        for part in np.array_split(np.arange(len(news)), parts):
            texts = [news[place] for place in part.tolist()]
            found = decided(reader, texts, today=today, shown=shown)
            shown += [reader.new([text]).terms[0] for text, each in zip(texts, found, strict=True) if each.probability]
            today = Today(
                today.arrived + len(texts),
                today.recommended + sum(each.interesting for each in found),
                today.explored + sum(each.explore for each in found),
            )
        return today.recommended + today.explored, today.recommended

    (of_one, recommended), (of_many, recommended_of_many) = delivered(1), delivered(polls)
    assert of_one > 0
    assert of_many == pytest.approx(of_one, rel=0.1, abs=1)
    if state == "changed":
        assert recommended == recommended_of_many == 1


@pytest.mark.parametrize("minutes", [[0], [0, 720], [0, 480, 960], [60 * hour for hour in range(24)]])
@pytest.mark.parametrize("late", [-10, 0, 1, 10])
def test_a_day_has_as_much_however_many_rounds(minutes: list[int], late: int) -> None:
    days = [timedelta(days=day, minutes=minute) for day in range(5) for minute in minutes]
    rounds = [NOW + each + number * timedelta(seconds=late) for number, each in enumerate(days)]
    recommended: list[datetime] = []
    last = None
    for now in rounds:
        began, last = day_began(now, last), now
        recommended += [now] * (7 - sum(at >= began for at in recommended))
    assert len(recommended) == 5 * 7
