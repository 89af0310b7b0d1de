from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.sample_news.draws import Draws


def test_equal_keys_give_equal_streams_and_different_keys_do_not() -> None:
    first, again, other = Draws(1, "a"), Draws(1, "a"), Draws(1, "b")
    numbers = [first.below(1 << 60) for _ in range(5)]
    assert numbers == [again.below(1 << 60) for _ in range(5)]
    assert numbers != [other.below(1 << 60) for _ in range(5)]


def test_the_generator_is_splitmix64() -> None:
    draws = Draws()
    draws._state = 1234567
    # The first outputs of the reference implementation for this state.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [draws.below(1 << 64) for _ in range(3)] == expected


def test_whole_numbers_cover_their_range_evenly() -> None:
    draws = Draws("range")
    counts = Counter(draws.between(3, 7) for _ in range(5000))
    assert set(counts) == {3, 4, 5, 6, 7}
    assert min(counts.values()) > 850


def test_a_sample_has_no_place_twice_and_is_cut_to_what_there_is() -> None:
    draws = Draws("sample")
    assert sorted(draws.sample("abc", 5)) == ["a", "b", "c"]
    assert len(set(draws.sample(range(100), 20))) == 20


def test_weights_decide_how_often_an_option_is_drawn() -> None:
    draws = Draws("weights")
    counts = Counter(draws.weighted((("often", 3.0), ("seldom", 1.0), ("never", 0.0))) for _ in range(4000))
    assert counts["often"] / 4000 == pytest.approx(0.75, abs=0.03)
    assert counts["never"] == 0
