"""What is asked about first: what is doubtful, and unlike what is asked about already."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.text.terms import TermVector
from iscore.filtering.decision.active_learning import CANDIDATES, most_informative
from storage.records import CurrentScore


def terms(**weights: float) -> TermVector:
    """Make a vector of named terms, one letter each, of length 1."""
    ids = np.array([ord(name) for name in sorted(weights)], dtype=np.int32)
    values = np.array([weights[name] for name in sorted(weights)])
    scaled = (values / np.linalg.norm(values)).astype(np.float32) if len(values) else values.astype(np.float32)
    return TermVector(ids, np.ones(len(ids), dtype=np.float32), scaled)


def standing(seq: int, score: float, threshold: float = 0.5) -> CurrentScore:
    return CurrentScore(seq, score, threshold, score >= threshold)


def test_the_doubtful_come_first() -> None:
    rows = [standing(1, 4.5), standing(2, 0.4), standing(3, -1.5), standing(4, 0.8)]
    vectors = {1: terms(a=1), 2: terms(b=1), 3: terms(c=1), 4: terms(d=1)}
    assert most_informative(rows, vectors, 4) == [2, 4, 3, 1]
    assert most_informative(rows, vectors, 2) == [2, 4]


def test_two_of_one_subject_are_not_asked_about_one_after_the_other() -> None:
    rows = [standing(1, 0.5), standing(2, 0.55), standing(3, 1.2)]
    vectors = {1: terms(a=1, b=1), 2: terms(a=1, b=1.1), 3: terms(c=1)}
    assert most_informative(rows, vectors, 3) == [1, 3, 2]


def test_of_equals_the_newest_and_then_the_unlike() -> None:
    rows = [standing(seq, 0.0, 0.0) for seq in range(1, 5)]
    vectors = {1: terms(a=1), 2: terms(b=1), 3: terms(a=1, c=0.1), 4: terms(a=1)}
    assert most_informative(rows, vectors, 2) == [4, 2]


def test_articles_without_terms_can_be_asked_about_and_nothing_can_be_asked_of_nothing() -> None:
    assert most_informative([standing(1, 0.0), standing(2, 0.1)], {1: terms(), 2: terms()}, 5) == [2, 1]
    assert most_informative([], {}, 5) == []


@settings(deadline=None, max_examples=50)
@given(
    scores=st.lists(st.floats(-1e6, 1e6), max_size=12),
    letters=st.lists(st.sampled_from("abc"), min_size=12, max_size=12),
    count=st.integers(0, 15),
)
def test_as_many_as_asked_for_each_once(scores: list[float], letters: list[str], count: int) -> None:
    rows = [standing(seq, score) for seq, score in enumerate(scores)]
    vectors = {seq: terms(**{letter: 1.0}) for seq, letter in enumerate(letters)}
    chosen = most_informative(rows, vectors, count)
    assert len(chosen) == len(set(chosen)) == min(count, len(rows))


def test_only_the_nearest_are_looked_at() -> None:
    rows = [standing(seq, 0.5 + seq / 1000) for seq in range(CANDIDATES + 50)]
    vectors = {row.seq: terms(a=1) for row in rows[:CANDIDATES]}  # the others are never asked for
    assert len(most_informative(rows, vectors, 3)) == 3
