"""What is shown first, and what is asked about.

A diverse selection has one article of each topic, the largest topic first, and no topic that was shown. The fair share
of sources is equal parts, and what one leaves over goes to the others. Of questions uncertain articles come first, and
unlike those already chosen.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.text.terms import TermVector
from iscore.filtering.delivery.selection import diverse_selection, fair_share, first_fair, most_informative
from iscore.filtering.delivery.tuning import ASKED, COMPARED


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
    articles = [*TOPIC, *(about(1000 + n) for n in range(COMPARED))]
    assert min(select(articles, [], 20)) >= len(TOPIC)


def test_a_source_has_no_more_than_its_fair_share() -> None:
    articles = [*TOPIC, *OTHER, *ALONE]
    sources = ["Podcast"] * 8 + ["Gazette", "Herald", "Herald", "Courier"]
    chosen = [sources[place] for place in diverse_selection(articles, sources, [], 4)]
    assert sorted(chosen) == ["Courier", "Gazette", "Herald", "Podcast"]
    chosen = [sources[place] for place in diverse_selection(articles, sources, [], 8)]
    assert chosen.count("Podcast") == 4  # the others have no more


def test_a_feed_with_all_its_archive_does_not_displace_the_others() -> None:
    articles = [*OTHER, *(about(1000 + n) for n in range(2 * COMPARED))]
    sources = ["Gazette", "Herald", "Courier"] + ["Podcast"] * (2 * COMPARED)
    assert set(diverse_selection(articles, sources, [], 8)) >= {0, 1, 2}


def test_places_are_divided_equally_and_none_stays_empty() -> None:
    sources = ["a"] * 100 + ["b"] * 2 + ["c"]
    found = [fair_share(count, sources) for count in (0, 1, 3, 4, 5, 6, 20, 103, 500)]
    assert found == [1, 1, 1, 2, 2, 3, 17, 100, 100]
    assert fair_share(20, ["a"] * 50) == 20
    assert fair_share(20, []) == 1


def test_the_first_are_taken_in_order() -> None:
    sources = ["a", "a", "a", "b", "a", "c"]
    assert first_fair(range(6), sources, 3) == [0, 3, 5]
    assert first_fair(reversed(range(6)), sources, 4) == [5, 4, 3, 2]
    assert first_fair(range(6), sources, 9) == [0, 1, 2, 3, 4, 5]


@given(st.lists(st.sampled_from("abcde"), max_size=40), st.integers(0, 50))
def test_all_places_are_filled_and_the_share_is_the_smallest(sources: list[str], count: int) -> None:
    chosen = first_fair(range(len(sources)), sources, count)
    assert len(chosen) == len(set(chosen)) == min(count, len(sources))
    share = fair_share(count, sources)
    assert all([sources[place] for place in chosen].count(name) <= share for name in "abcde")
    smaller = sum(min(sources.count(name), share - 1) for name in set(sources))
    assert share == 1 or smaller < min(count, len(sources))


def terms(**weights: float) -> TermVector:
    """Make a vector of named terms, one letter each, of length 1."""
    ids = np.array([ord(name) for name in sorted(weights)], dtype=np.int32)
    values = np.array([weights[name] for name in sorted(weights)])
    scaled = (values / np.linalg.norm(values)).astype(np.float32) if len(values) else values.astype(np.float32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), scaled)


def asked(distances: dict[int, float], vectors: dict[int, TermVector], count: int) -> list[int]:
    """Select among articles of one source."""
    return most_informative(distances, vectors, dict.fromkeys(distances, "Wire"), count)


def test_articles_near_the_threshold_come_first() -> None:
    distances = {1: 4.0, 2: 0.1, 3: 2.0, 4: 0.3}
    vectors = {1: terms(a=1), 2: terms(b=1), 3: terms(c=1), 4: terms(d=1)}
    assert asked(distances, vectors, 4) == [2, 4, 3, 1]
    assert asked(distances, vectors, 2) == [2, 4]


def test_two_articles_on_one_subject_do_not_follow_each_other() -> None:
    distances = {1: 0.0, 2: 0.05, 3: 0.7}
    vectors = {1: terms(a=1, b=1), 2: terms(a=1, b=1.1), 3: terms(c=1)}
    assert asked(distances, vectors, 3) == [1, 3, 2]


def test_of_equal_distances_the_newest_and_then_the_most_different() -> None:
    distances = dict.fromkeys(range(1, 5), 0.0)
    vectors = {1: terms(a=1), 2: terms(b=1), 3: terms(a=1, c=0.1), 4: terms(a=1)}
    assert asked(distances, vectors, 2) == [4, 2]


def test_articles_without_terms_and_no_articles() -> None:
    assert asked({1: 0.5, 2: 0.4}, {1: terms(), 2: terms()}, 5) == [2, 1]
    assert asked({}, {}, 5) == []


@settings(deadline=None, max_examples=50)
@given(
    values=st.lists(st.floats(0, 1e6), max_size=12),
    letters=st.lists(st.sampled_from("abc"), min_size=12, max_size=12),
    count=st.integers(0, 15),
)
def test_as_many_as_asked_for_and_each_once(values: list[float], letters: list[str], count: int) -> None:
    distances = dict(enumerate(values))
    vectors = {seq: terms(**{letter: 1.0}) for seq, letter in enumerate(letters)}
    chosen = asked(distances, vectors, count)
    assert len(chosen) == len(set(chosen)) == min(count, len(distances))


def test_only_the_nearest_are_compared() -> None:
    distances = {seq: seq / 1000 for seq in range(ASKED + 50)}
    vectors = {seq: terms(a=1) for seq in range(ASKED)}  # the others are never asked for
    assert len(asked(distances, vectors, 3)) == 3


def test_a_source_is_asked_about_no_more_than_its_fair_share() -> None:
    distances = {seq: seq / 1000 for seq in range(12)}
    vectors = {seq: terms(**{letter: 1.0}) for seq, letter in zip(range(12), "abcdefghijkl", strict=True)}
    sources = {seq: "Archive" if seq < 9 else f"Daily {seq}" for seq in range(12)}
    assert most_informative(distances, vectors, sources, 4) == [0, 9, 10, 11]
    assert most_informative(distances, vectors, sources, 7) == [0, 1, 2, 3, 9, 10, 11]
