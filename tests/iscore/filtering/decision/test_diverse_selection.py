"""The diverse selection: one article of each topic, the largest topic first, and no topic that was shown."""

from __future__ import annotations

import numpy as np

from extractors.text.terms import TermVector
from iscore.filtering.decision.diverse_selection import CANDIDATES, diverse_selection


def about(*words: int) -> TermVector:
    ids = np.array(sorted(words), dtype=np.int32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), np.full(len(ids), len(ids) ** -0.5, dtype=np.float32))


TOPIC = [about(1, 2, 3, 100 + n) for n in range(5)]
OTHER = [about(7, 8, 9, 200 + n) for n in range(3)]
ALONE = [about(300 + n) for n in range(4)]


def test_the_largest_topic_comes_first_and_each_once() -> None:
    articles = [*ALONE, *OTHER, *TOPIC]
    first, second, third = diverse_selection(articles, [], 3)
    assert 7 <= first < 12
    assert 4 <= second < 7
    assert third < 4


def test_topics_that_were_shown_are_covered() -> None:
    articles = [*OTHER, *TOPIC]
    assert diverse_selection(articles, [about(1, 2, 3, 999)], 1)[0] < 3


def test_no_more_than_there_are_each_once() -> None:
    assert sorted(diverse_selection(OTHER, TOPIC, 10)) == [0, 1, 2]
    assert diverse_selection([], TOPIC, 10) == []
    assert diverse_selection(OTHER, [], 0) == []
    empty = TermVector(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32))
    assert sorted(diverse_selection([empty, *OTHER], [empty], 4)) == [0, 1, 2, 3]


def test_of_very_many_the_newest_are_compared() -> None:
    articles = [*TOPIC, *(about(1000 + n) for n in range(CANDIDATES))]
    assert min(diverse_selection(articles, [], 20)) >= len(TOPIC)
