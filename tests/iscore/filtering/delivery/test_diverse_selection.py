"""The diverse selection: one article of each topic, the largest topic first, and no topic that was shown."""

from __future__ import annotations

import numpy as np

from benchmarks.digest_speed import CANDIDATES
from extractors.text.terms import TermVector
from iscore.filtering.delivery.diverse_selection import diverse_selection


def about(*words: int) -> TermVector:
    ids = np.array(sorted(words), dtype=np.int32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), np.full(len(ids), len(ids) ** -0.5, dtype=np.float32))


def select(articles: list[TermVector], shown: list[TermVector], count: int) -> list[int]:
    """Select among articles of one source."""
    return diverse_selection(articles, ["Wire"] * len(articles), shown, count)


TOPIC = [about(1, 2, 3, 100 + n) for n in range(5)]
OTHER = [about(7, 8, 9, 200 + n) for n in range(3)]
ALONE = [about(300 + n) for n in range(4)]


def test_the_largest_topic_comes_first_and_each_once() -> None:
    articles = [*ALONE, *OTHER, *TOPIC]
    first, second, third = select(articles, [], 3)
    assert 7 <= first < 12
    assert 4 <= second < 7
    assert third < 4


def test_topics_that_were_shown_are_covered() -> None:
    articles = [*OTHER, *TOPIC]
    assert select(articles, [about(1, 2, 3, 999)], 1)[0] < 3


def test_no_more_than_there_are_each_once() -> None:
    assert sorted(select(OTHER, TOPIC, 10)) == [0, 1, 2]
    assert select([], TOPIC, 10) == []
    assert select(OTHER, [], 0) == []
    empty = TermVector(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32))
    assert sorted(select([empty, *OTHER], [empty], 4)) == [0, 1, 2, 3]


def test_of_very_many_the_newest_are_compared() -> None:
    articles = [*TOPIC, *(about(1000 + n) for n in range(CANDIDATES))]
    assert min(select(articles, [], 20)) >= len(TOPIC)


def test_a_source_has_no_more_than_its_fair_share() -> None:
    articles = [*TOPIC, *OTHER, *ALONE]
    sources = ["Podcast"] * 8 + ["Gazette", "Herald", "Herald", "Courier"]
    chosen = [sources[place] for place in diverse_selection(articles, sources, [], 4)]
    assert sorted(chosen) == ["Courier", "Gazette", "Herald", "Podcast"]
    chosen = [sources[place] for place in diverse_selection(articles, sources, [], 8)]
    assert chosen.count("Podcast") == 4  # the others have no more


def test_a_feed_with_all_its_archive_does_not_displace_the_others() -> None:
    articles = [*OTHER, *(about(1000 + n) for n in range(2 * CANDIDATES))]
    sources = ["Gazette", "Herald", "Courier"] + ["Podcast"] * (2 * CANDIDATES)
    assert set(diverse_selection(articles, sources, [], 8)) >= {0, 1, 2}
