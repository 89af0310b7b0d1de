"""Active learning: uncertain articles first, and unlike those already chosen."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.digest_speed import CANDIDATES
from extractors.text.terms import TermVector
from iscore.filtering.delivery.active_learning import most_informative


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
    distances = {seq: seq / 1000 for seq in range(CANDIDATES + 50)}
    vectors = {seq: terms(a=1) for seq in range(CANDIDATES)}  # the others are never asked for
    assert len(asked(distances, vectors, 3)) == 3


def test_a_source_is_asked_about_no_more_than_its_fair_share() -> None:
    distances = {seq: seq / 1000 for seq in range(12)}
    vectors = {seq: terms(**{letter: 1.0}) for seq, letter in zip(range(12), "abcdefghijkl", strict=True)}
    sources = {seq: "Archive" if seq < 9 else f"Daily {seq}" for seq in range(12)}
    assert most_informative(distances, vectors, sources, 4) == [0, 9, 10, 11]
    assert most_informative(distances, vectors, sources, 7) == [0, 1, 2, 3, 9, 10, 11]
