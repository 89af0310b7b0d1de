"""The fair share: equal parts, and what one leaves over goes to the others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iscore.filtering.delivery.diverse_selection import fair_share, first_fair


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
