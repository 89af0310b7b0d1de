"""After a change of interest the verdicts before it count again if those after it are predicted better with them."""

from __future__ import annotations

from iscore.filtering.delivery.tuning import ENOUGH
from tests.iscore.filtering.made_up import Reader, about


def changed(streak: str) -> Reader:
    """Return a reader of rain and ships who dislikes nine recommendations in a row, and likes an article on gold."""
    reader = Reader()
    reader.pass_over(*about("cats", 40))
    reader.like(*about("rain", 12), *about("ships", 12), margin=1.0, score=2.0)
    reader.dislike(*about(streak, 9, seed=1), margin=1.0, score=2.0)
    assert reader.evidence().searching
    reader.like(*about("gold", 1), recommended=False, margin=-4.0, score=-5.0)
    assert not reader.evidence().searching
    return reader


def test_a_change_counts_if_the_old_interest_is_disliked() -> None:
    reader = changed("rain")
    assert (reader.evidence().likes, reader.evidence().dislikes) == (1, 9)
    reader.like(*about("gold", 2, seed=1), margin=0.0, score=0.0)
    reader.dislike(*about("ships", 2, seed=1), margin=0.0, score=0.0)
    assert (reader.evidence().likes, reader.evidence().dislikes) == (3, 11)


def test_what_was_liked_before_counts_again_if_it_is_liked_still() -> None:
    reader = changed("dogs")
    reader.like(*about("rain", 2, seed=2), *about("ships", 2, seed=2), margin=-3.0, score=-3.0)
    evidence = reader.evidence()
    assert (evidence.likes, evidence.dislikes, evidence.searching) == (12 + 12 + 1 + 4, 9, False)


def test_with_enough_verdicts_since_the_change_earlier_ones_no_longer_count() -> None:
    reader = changed("dogs")
    reader.like(*about("rain", 2, seed=2), *about("ships", 2, seed=2), margin=-3.0, score=-3.0)
    reader.dislike(*about("dogs", ENOUGH - 15, seed=2), margin=-3.0, score=-3.0)
    assert (reader.evidence().likes, reader.evidence().dislikes) == (29, ENOUGH - 6)
    reader.dislike(*about("dogs", 1, seed=3), margin=-3.0, score=-3.0)
    assert (reader.evidence().likes, reader.evidence().dislikes) == (5, ENOUGH - 5)
