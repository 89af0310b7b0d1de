"""What goes into a day's digest: best first, told once, the rare ones heard."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from iscore.services.digests.digest_selection import (
    MAX_BELOW,
    MAX_RARE,
    MAX_RECOMMENDED,
    N_LEADING,
    NEAR,
    Chosen,
    choose,
    days,
    rare_feeds,
)
from storage.records.deliveries import Candidate
from storage.records.feeds import FeedArrivals

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=30)
THRESHOLD = 1.0
BUSY, SELDOM, OTHER_SELDOM = 1, 2, 3


def waiting(
    seq: int, margin: float, *, feed: int = BUSY, explore: bool = False, rule_outcome: str = "", arrived: datetime = NOW
) -> Candidate:
    interesting = {"always": True, "never": False}.get(rule_outcome, margin >= 0)
    return Candidate(seq, THRESHOLD + margin, THRESHOLD, interesting, explore, arrived, feed, rule_outcome)


def chosen(
    candidates: list[Candidate],
    tellings: dict[int, int] | None = None,
    rare: set[int] | None = None,
    since: datetime = LONG_AGO,
) -> Chosen:
    return choose(sorted(candidates, key=lambda each: -each.score), tellings or {}, rare or set(), since)


def seqs(section: tuple[Candidate, ...]) -> list[int]:
    return [each.seq for each in section]


def test_each_interest_has_a_section_if_there_are_two() -> None:
    names = ["wind", "tides", "", "wind", "", "tides", "wind", "", "chess", "tides"]
    found = [replace(waiting(seq, 10.0 - seq), interest=name) for seq, name in enumerate(names)]
    made = choose(found, {9: 2}, set(), LONG_AGO, by_interest=True)
    assert seqs(made.recommended) == [0, 1, 2, 3, 4, 7]
    assert seqs(made.by_interest) == [6, 5, 8]
    assert seqs(made.stories) == [9]
    assert seqs(made.delivered) == [0, 1, 2, 3, 4, 7, 6, 5, 8, 9]
    assert choose(found, {}, set(), LONG_AGO).by_interest == ()
    of_one = [replace(each, interest="wind") for each in found]
    assert choose(of_one, {}, set(), LONG_AGO, by_interest=True).by_interest == ()


def test_the_best_come_first_and_what_does_not_fit_waits() -> None:
    made = chosen([waiting(seq, 0.1 * seq) for seq in range(40)])
    assert seqs(made.recommended) == list(range(39, 39 - MAX_RECOMMENDED, -1))
    assert made.delivered == made.recommended
    assert (made.below, made.hidden) == ((), 0)


def test_stories_of_several_feeds_have_a_section() -> None:
    made = chosen([waiting(seq, 10.0 - seq) for seq in range(9)], tellings={0: 4, 6: 2, 8: 3, 7: 1})
    assert seqs(made.recommended) == [0, 1, 2, 3, 4, 5, 7]
    assert seqs(made.stories) == [6, 8]
    assert seqs(made.delivered) == [0, 1, 2, 3, 4, 5, 7, 6, 8]


def test_what_is_explored_comes_last_unless_it_has_become_interesting() -> None:
    made = chosen([waiting(1, -2, explore=True), waiting(2, 1, explore=True), waiting(3, 3)])
    assert (seqs(made.recommended), seqs(made.explore), made.hidden) == ([3, 2], [1], 0)


def test_rare_feeds_are_heard_above_the_threshold_even_without_a_place() -> None:
    busy = [waiting(seq, 50.0 - seq) for seq in range(MAX_RECOMMENDED)]
    made = chosen([*busy, waiting(90, 0.5, feed=SELDOM), waiting(91, 0.4)], rare={SELDOM})
    assert seqs(made.rare) == [90]
    assert len(made.recommended) == MAX_RECOMMENDED


def test_rare_feeds_are_heard_with_their_best_near_miss() -> None:
    made = chosen(
        [
            waiting(1, 3.0),
            waiting(2, -0.4, feed=SELDOM),
            waiting(3, -0.5, feed=SELDOM),
            waiting(4, -NEAR - 0.1, feed=OTHER_SELDOM),
            waiting(5, -0.2),
        ],
        rare={SELDOM, OTHER_SELDOM},
    )
    assert seqs(made.rare) == [2]
    assert seqs(made.below) == [5, 3, 4]
    assert made.hidden == 3


def test_a_near_miss_needs_no_hearing_where_the_feed_is_heard_already() -> None:
    passed = [waiting(seq, 10.0 - seq) for seq in range(N_LEADING)]
    made = chosen([*passed, waiting(9, 0.5, feed=SELDOM), waiting(10, -0.1, feed=SELDOM)], rare={SELDOM})
    assert (seqs(made.rare), seqs(made.below)) == ([9], [10])


def test_the_very_best_stay_on_top_wherever_they_come_from() -> None:
    made = chosen([waiting(1, 5.0, feed=SELDOM), waiting(2, 4.0)], rare={SELDOM})
    assert (seqs(made.recommended), made.rare) == ([1, 2], ())


def test_rare_feeds_do_not_fill_the_digest() -> None:
    made = chosen([waiting(seq, -0.01 * seq - 0.01, feed=seq) for seq in range(20)], rare=set(range(20)))
    assert seqs(made.rare) == list(range(MAX_RARE))


def test_below_the_line_are_the_nearest_that_have_come_since() -> None:
    before = NOW - timedelta(hours=1)
    old = [waiting(seq, -0.001 * seq, arrived=LONG_AGO) for seq in range(1, 4)]
    made = chosen([*old, *(waiting(seq, -0.1 * seq) for seq in range(10, 30))], since=before)
    assert seqs(made.below) == list(range(10, 10 + MAX_BELOW))
    assert made.hidden == 23
    assert made.delivered == ()


def test_own_rules_come_before_scores() -> None:
    made = chosen(
        [
            *(waiting(seq, 50.0 - seq) for seq in range(1, MAX_RECOMMENDED + 1)),
            waiting(90, -9.0, rule_outcome="always"),
            waiting(91, 9.0, rule_outcome="never"),
            waiting(92, -0.1, rule_outcome="never", explore=True),
            waiting(93, -0.1, rule_outcome="never", feed=SELDOM),
        ],
        rare={SELDOM},
    )
    assert len(made.recommended) == MAX_RECOMMENDED
    assert 90 in seqs(made.recommended)
    assert MAX_RECOMMENDED not in seqs(made.recommended)  # the weakest waits
    assert not {91, 92, 93} & set(seqs((*made.delivered, *made.below)))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-5, 5), st.booleans(), st.sampled_from(["", "always", "never", "boost"]), st.integers(1, 4)
        ),
        max_size=80,
    )
)
def test_no_story_is_chosen_twice_and_none_is_lost(stories: list[tuple[float, bool, str, int]]) -> None:
    candidates = [
        waiting(seq, margin, explore=explore, rule_outcome=rule_outcome, feed=feed)
        for seq, (margin, explore, rule_outcome, feed) in enumerate(stories)
    ]
    made = chosen(candidates, tellings={seq: seq % 3 for seq in range(80)}, rare={SELDOM})
    listed = seqs((*made.delivered, *made.below))
    assert len(listed) == len(set(listed))
    assert len(made.recommended) + len(made.stories) <= MAX_RECOMMENDED
    interesting = sum(each.interesting for each in candidates)
    assert min(interesting, MAX_RECOMMENDED) <= sum(each.interesting for each in made.delivered)
    for section in (made.recommended, made.stories, made.explore):
        assert [each.score for each in section] == sorted((each.score for each in section), reverse=True)


def arrivals(per_week: float, first: datetime = LONG_AGO) -> FeedArrivals:
    return FeedArrivals(first, NOW, round(4 * per_week))


def test_a_feed_is_rarely_heard_beside_busy_ones() -> None:
    paces = {BUSY: arrivals(700), 7: arrivals(50), SELDOM: arrivals(2), OTHER_SELDOM: arrivals(0.25)}
    assert rare_feeds(paces, NOW) == {SELDOM, OTHER_SELDOM}


def test_among_feeds_that_all_publish_seldom_none_is_rare() -> None:
    assert rare_feeds({1: arrivals(1), 2: arrivals(2), 3: arrivals(1.5)}, NOW) == frozenset()


def test_a_pace_that_is_not_known_yet_is_no_rarity() -> None:
    new = arrivals(0.25, first=NOW - timedelta(days=2))
    assert rare_feeds({1: new}, NOW) == frozenset()
    assert rare_feeds({1: new, 2: arrivals(100)}, NOW) == frozenset()
    assert rare_feeds({}, NOW) == frozenset()


def test_todays_reaches_back_and_an_earlier_one_has_its_day() -> None:
    week = timedelta(days=7)
    monday = date(2026, 3, 30)
    assert days(monday, monday, week, UTC) == (
        datetime(2026, 3, 24, tzinfo=UTC),
        datetime(2026, 3, 31, tzinfo=UTC),
    )
    # The day on which the clocks go forward has 23 hours.
    start, end = days(date(2026, 3, 29), monday, week, ZoneInfo("Europe/Rome"))
    assert (start, end - start) == (datetime(2026, 3, 28, 23, tzinfo=UTC), timedelta(hours=23))
