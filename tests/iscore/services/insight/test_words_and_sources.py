"""Words and sources that are liked: by hand, and without any that could be chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from extractors.text.terms import TermVector
from iscore.services.insight.history_view import sources
from iscore.services.insight.learned import FEWEST_STORIES, MOST_WORDS, significant_terms, spelled
from iscore.services.views.feeds import FeedStatistics


def story(*terms: int) -> TermVector:
    ids = np.array(sorted(terms), dtype=np.int32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), np.ones(len(ids), dtype=np.float32))


def stories(n: int, having: Mapping[int, int]) -> list[TermVector]:
    """Make ``n`` stories, the first of which have each term."""
    return [story(*(term for term, count in having.items() if number < count)) for number in range(n)]


def test_the_ratio_is_worked_by_hand() -> None:
    liked, disliked = significant_terms(stories(20, {7: 15, 8: 10, 9: 2}), stories(10, {7: 1, 8: 5}))
    (found,) = liked
    assert (found.term, found.liked, found.disliked, disliked) == (7, 15, 1, [])
    assert found.log_odds == pytest.approx(math.log(15.5 / 5.5) - math.log(1.5 / 9.5))


def test_the_surest_come_first_and_what_could_be_chance_is_left_out() -> None:
    liked, disliked = significant_terms(
        stories(100, {1: 60, 2: 10, 3: 50, 5: 1}), stories(100, {1: 10, 2: 0, 3: 48, 4: 30})
    )
    assert [each.term for each in liked] == [1, 2]
    assert liked[1].log_odds > liked[0].log_odds, "a larger ratio of fewer stories comes later"
    assert [each.term for each in disliked] == [4]
    assert significant_terms([], []) == ([], [])
    assert significant_terms(stories(FEWEST_STORIES - 1, {1: FEWEST_STORIES - 1}), stories(50, {})) == ([], [])


def test_words_of_nothing_but_chance_are_few() -> None:
    chance = np.random.default_rng(3)
    drawn = [story(*np.flatnonzero(chance.random(300) < 0.1)) for _ in range(200)]
    liked, disliked = significant_terms(drawn[:100], drawn[100:])
    assert len(liked) + len(disliked) < 0.08 * 300


def test_words_are_spelled_as_they_are_written() -> None:
    asked: list[int] = []

    def spell(wanted: Sequence[int]) -> dict[int, dict[int, str]]:
        asked.extend(wanted)
        texts = {1: {5: "Winter", 6: "54"}, 2: {5: "winter"}}
        return {number: texts[number] for number in wanted if number in texts}

    liked, _ = significant_terms(stories(30, {5: 20, 6: 20, 7: 20}), stories(30, {}))
    words = spelled(liked, {5: [1, 2], 6: [1], 7: [3]}, spell)
    assert [(word.word, word.liked, word.disliked) for word in words] == [("winter", 20, 0)]
    assert sorted(asked) == [1, 2, 3], "no text is read twice"
    many, _ = significant_terms(stories(30, dict.fromkeys(range(50), 20)), stories(30, {}))
    texts = {1: dict.fromkeys(range(50), "word")}
    found = spelled(
        many, {term: [1] for term in range(50)}, lambda wanted: {number: texts[number] for number in wanted}
    )
    assert len(found) == MOST_WORDS


def feed(title: str, likes: int, dislikes: int, hint: str = "") -> FeedStatistics:
    return FeedStatistics(f"https://{title}.example", title, 10, 5, likes, dislikes, 0, None, hint)


def test_sources_are_ordered_by_what_is_sure() -> None:
    found = sources([feed("new", 3, 0), feed("few", 2, 0), feed("bad", 0, 30, "you like 0"), feed("good", 60, 20)])
    assert [each.title for each in found] == ["good", "new", "bad"]
    good, new, bad = found
    assert (good.share, new.share, bad.share, bad.hint) == (0.75, 1.0, 0.0, "you like 0")
    assert new.low == pytest.approx(3 / (3 + 1.96**2))
    assert new.high == 1.0
    assert bad.high == pytest.approx(1.96**2 / (30 + 1.96**2))
