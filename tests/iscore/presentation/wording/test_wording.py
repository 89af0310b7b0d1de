from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from iscore.filtering.delivery.limits import UNKNOWN_THRESHOLD
from iscore.filtering.delivery.tuning import UNKNOWN_SCORE
from iscore.presentation.wording.quantities import counted, likelihood, percent, signed, two_decimals
from iscore.presentation.wording.scores import (
    learning_words,
    match_words,
    strength,
    strength_words,
    verdict_words,
    wanted_words,
)
from iscore.presentation.wording.times import age, ago, clock_time, until
from iscore.services.views.stories import Learning
from tests.iscore.presentation.made_views import STATUS

NOW = datetime(2025, 10, 6, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-500, "now"),
        (59, "now"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (2 * 86400 - 1, "47 h"),
        (2 * 86400, "2 days"),
        (700 * 86400, "700 days"),
        (1500 * 86400, "4 years"),
    ],
)
def test_age_grows_from_minutes_to_years(seconds: int, words: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == words


def test_ago_reads_as_a_sentence() -> None:
    assert ago(NOW, NOW) == "just now"
    assert ago(NOW - timedelta(hours=3), NOW) == "3 h ago"


def test_until_looks_ahead() -> None:
    assert until(NOW + timedelta(minutes=58), NOW) == "in 58 min"
    assert until(NOW - timedelta(minutes=5), NOW) == "now"


@pytest.mark.parametrize(
    ("margin", "steps"),
    [(-9, 1), (-2.01, 1), (-2, 2), (-0.01, 2), (0, 3), (0.99, 3), (1, 4), (3, 5), (50, 5)],
)
def test_strength_is_measured_from_the_threshold(margin: float, steps: int) -> None:
    assert strength(10 + margin, 10) == steps


def test_what_passes_reads_otherwise_than_what_does_not() -> None:
    assert strength_words(0.0, 0.0) == "worth a look"
    assert strength_words(-0.1, 0.0) == "maybe"


def test_only_a_score_without_information_is_not_known_yet() -> None:
    assert strength_words(UNKNOWN_SCORE, UNKNOWN_THRESHOLD) == "not known yet"
    assert match_words(UNKNOWN_SCORE + 2.1 - 2.1, UNKNOWN_THRESHOLD, 2.1) == "not known yet"
    assert strength_words(0.7, math.nextafter(0.7, 1.0)) == "maybe"


def test_a_boost_makes_a_match_stronger_but_no_likelier() -> None:
    assert match_words(-1.0, 0.0, 0.0) == "27 % likely, maybe"
    assert match_words(-1.0, 0.0, 2.0) == "27 % likely, a good match"


def test_numbers_keep_their_sign_and_undefined_rates_are_dashes() -> None:
    assert (signed(-0.4), signed(1.254)) == ("−0.40", "+1.25")
    assert (percent(0.744), percent(None)) == ("74 %", "–")
    assert (two_decimals(0.714), two_decimals(None)) == ("0.71", "–")


def test_likelihoods_never_claim_to_be_certain() -> None:
    assert [likelihood(score) for score in (0.0, 0.9, -0.9)] == ["50 % likely", "71 % likely", "29 % likely"]
    assert {likelihood(score) for score in (9.0, math.inf)} == {"99 % likely"}
    assert {likelihood(score) for score in (-9.0, -math.inf)} == {"1 % likely"}


def test_nouns_follow_their_number() -> None:
    assert counted(1, "verdict") == "1 verdict"
    assert counted(0, "verdict") == "0 verdicts"
    assert counted(1200, "story", "stories") == "1,200 stories"


def test_a_time_is_told_in_the_zone_asked_for() -> None:
    late = datetime(2025, 10, 5, 23, 30, tzinfo=UTC)
    assert clock_time(late, late, UTC) == "Sun 5 Oct, 23:30"
    assert clock_time(late, late, timezone(timedelta(hours=2))) == "Mon 6 Oct, 01:30"


def test_a_date_of_another_year_carries_it() -> None:
    eve = datetime(2024, 12, 31, 23, 30, tzinfo=UTC)
    assert clock_time(eve, datetime(2025, 1, 1, 7, tzinfo=UTC), UTC) == "Tue 31 Dec 2024, 23:30"
    assert clock_time(eve, datetime(2024, 12, 1, 7, tzinfo=UTC), UTC) == "Tue 31 Dec, 23:30"
    # Around New Year the zone decides which year it is.
    assert clock_time(eve, datetime(2025, 1, 1, 7, tzinfo=UTC), timezone(timedelta(hours=1))) == "Wed 1 Jan, 00:30"


def test_learning_is_told_until_the_filter_is_warm() -> None:
    assert learning_words(Learning(3, 4, trained=False)) == "learning: 7 verdicts so far"
    assert learning_words(Learning(0, 1, trained=False, imported=30)) == "learning: 1 verdict so far, 30 imported items"
    assert learning_words(Learning(5, 5, trained=True)) == ""


def test_wanted_verdicts_are_counted_by_kind() -> None:
    assert wanted_words(Learning(2, 4, trained=False)) == "3 more likes and 1 more dislike"
    assert wanted_words(Learning(9, 4, trained=False)) == "1 more dislike"
    assert wanted_words(Learning(5, 5, trained=True)) == ""


def test_verdicts_are_told_by_kind() -> None:
    assert verdict_words(replace(STATUS, likes=1)) == "1 like, 102 dislikes, 14 skips"
