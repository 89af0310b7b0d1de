"""Changes of interest: searched for after dislikes that nobody expected, confirmed by a like that nobody expected."""

from __future__ import annotations

from math import nan

from iscore.filtering.delivery.changes import current_interest
from iscore.filtering.ranking.evidence import DeliveryVerdict, Interest

LIKELY, UNLIKELY = 2.0, -3.0


def history(*verdicts: tuple[int, bool, float, bool]) -> list[DeliveryVerdict]:
    """Make a history of runs: how many, liked, score, recommended; rows are 10, 20, …"""
    found: list[DeliveryVerdict] = []
    for count, liked, score, recommended in verdicts:
        for _ in range(count):
            found.append(DeliveryVerdict(10 * len(found) + 10, liked, score, score, recommended))
    return found


LIKES = (20, True, LIKELY, True)
STREAK = (8, False, LIKELY, True)


def test_nothing_has_changed_at_first_nor_with_likes() -> None:
    assert current_interest([]) == current_interest(history(LIKES)) == Interest(0, searching=False)


def test_a_streak_of_unexpected_dislikes_begins_a_search_and_fewer_do_not() -> None:
    assert current_interest(history(LIKES, STREAK)) == Interest(0, searching=True)
    assert not current_interest(history(LIKES, (1, False, LIKELY, True))).searching
    searching = [current_interest(history(LIKES, (n, False, LIKELY, True))).searching for n in range(20)]
    assert searching == sorted(searching)


def test_dislikes_that_were_expected_say_nothing() -> None:
    assert not current_interest(history(LIKES, (20, False, UNLIKELY, True))).searching
    # Of the diverse selection nothing is expected.
    assert not current_interest(history(LIKES, (200, False, nan, False))).searching
    # Someone who never liked anything, or one in thirty, has not changed.
    assert not current_interest(history((200, False, LIKELY, True))).searching
    seldom = history(*[(1, True, LIKELY, True), (29, False, LIKELY, True)] * 4)
    assert not current_interest(seldom[:-20]).searching


def test_a_like_between_them_ends_the_streak() -> None:
    half = (STREAK[0] // 2, False, 0.5, True)
    assert current_interest(history(LIKES, half, half, half)).searching
    assert not current_interest(history(LIKES, half, (1, True, LIKELY, True), half)).searching


def test_a_like_of_the_best_article_is_a_false_alarm() -> None:
    found = current_interest(history(LIKES, STREAK, (5, False, nan, False), (1, True, LIKELY, True)))
    assert found == Interest(0, searching=False)


def test_a_like_of_another_article_is_a_new_interest_that_begins_with_the_streak() -> None:
    verdicts = history(LIKES, STREAK, (5, False, nan, False), (1, True, nan, False))
    assert current_interest(verdicts) == Interest(verdicts[19].row, verdicts[-1].row, searching=False)
    more = history(LIKES, STREAK, (1, True, nan, False), (30, True, LIKELY, True))
    assert current_interest(more) == Interest(200, 290, searching=False)


def test_what_the_user_names_ends_a_search_or_prevents_it() -> None:
    """An interest, an example or the like of a hidden article, between two verdicts or after the last."""
    verdicts = history(LIKES, STREAK, (2, False, nan, False))
    first, last = verdicts[20].row, verdicts[-1].row
    assert current_interest(verdicts, [1]).searching  # before all of it
    assert current_interest(verdicts, [verdict.row for verdict in verdicts[:20]]).searching  # these are deliveries
    assert current_interest(verdicts, [last + 1]) == Interest(200, last, searching=False)
    within = current_interest(verdicts, [first + 1])
    assert (within.after, within.searching) == (200, False)
    # Before the first dislike that was not expected nothing has changed yet.
    assert current_interest(verdicts, [first - 1]).searching
    assert current_interest(verdicts[:20], [first - 1]) == Interest(0, searching=False)


def test_interests_may_change_again() -> None:
    verdicts = history(LIKES, STREAK, (1, True, nan, False), LIKES, STREAK, (1, True, nan, False))
    assert current_interest(verdicts) == Interest(verdicts[20 + 8 + 1 + 20 - 1].row, verdicts[-1].row, searching=False)


def test_without_the_verdicts_that_were_undone_all_is_as_before() -> None:
    kept = history(LIKES, (3, True, LIKELY, True))
    undone = history(LIKES, STREAK, (1, True, nan, False))[len(kept) - 3 :]
    assert current_interest(kept) == Interest(0, searching=False)
    assert current_interest([*kept[:20], *undone]).after == 200
