"""The threshold floor: enough of what should be liked is delivered, and nothing that is hardly ever liked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iscore.filtering.decision.past import DecisionCounts, Past, VerdictCounts
from iscore.filtering.decision.threshold_floor import (
    AT_LEAST,
    LOWEST,
    MORE_A_DAY,
    floored_threshold,
    found_share,
    likeable_share,
    missed_share,
)

NOTHING = Past()
VERDICTS = VerdictCounts(11, 3, [(True, 0.5), (False, 0.1), (False, 0.1), (False, 0.5)])
SEEN = Past(verdicts=VERDICTS, ever=DecisionCounts(recommended=28, explored=8, hidden=160, muted=4))


def explored(*verdicts: tuple[bool, float]) -> VerdictCounts:
    return VerdictCounts(explored=verdicts)


def test_found_share_worked_by_hand() -> None:
    # Of 28 recommended 14 were judged, 11 liked: 22 in all. Of 8 explored 4 were judged, 1 liked: 2 in all. Of 200.
    assert found_share(SEEN) == pytest.approx(24 / 200)
    assert found_share(NOTHING) == 0.0


def test_deliveries_without_a_verdict_count_like_those_with_one() -> None:
    assert found_share(replace(SEEN, ever=DecisionCounts(recommended=56, explored=8, hidden=136))) > found_share(SEEN)


def test_missed_share_worked_by_hand() -> None:
    # Weights 2, 10, 10, 2, so 2 / 24 liked, worth 24² / 208 verdicts, beside 4 for a guess of 0.
    size = 24**2 / 208
    assert missed_share(VERDICTS) == pytest.approx(size * (2 / 24) / (size + 4))
    assert missed_share(VerdictCounts()) == 0.0


def test_the_diverse_selection_shows_how_much_is_liked_except_for_the_first_like() -> None:
    selection = explored(*[(True, 1.0)] * 5, *[(False, 1.0)] * 5)
    assert likeable_share(selection) == 0.4
    assert missed_share(selection) == pytest.approx(0.4)
    assert likeable_share(explored(*[(False, 1.0)] * 30, (True, 1.0))) == 0.0
    assert likeable_share(VERDICTS) == 0.0


def test_a_like_of_an_explored_article_raises_the_share_by_its_inverse_probability() -> None:
    likely = missed_share(explored(*VERDICTS.explored, (True, 0.5)))
    unlikely = missed_share(explored(*VERDICTS.explored, (True, 0.05)))
    assert missed_share(VERDICTS) < likely < unlikely


def test_a_high_threshold_falls_until_as_many_pass_as_are_liked_and_one_more_a_day() -> None:
    scores = np.linspace(-1.0, 1.0, 700)
    lowered = floored_threshold(5.0, scores, replace(SEEN, days=7.0))
    assert (scores >= lowered).sum() == pytest.approx(24 / 200 * 700 + 7 * MORE_A_DAY, abs=1)


def test_part_of_the_missed_articles_passes() -> None:
    scores = np.linspace(-1.0, 1.0, 700)
    fond = Past(
        verdicts=explored(*[(True, 1.0)] * 8, *[(False, 1.0)] * 2), ever=DecisionCounts(explored=10, hidden=1000)
    )
    expected = AT_LEAST * (found_share(fond) + 0.7) * 700
    assert (scores >= floored_threshold(5.0, scores, fond)).sum() == pytest.approx(expected, abs=1)


def test_unlikely_articles_are_not_delivered_except_for_one_a_day() -> None:
    scores = np.concatenate([np.linspace(-100.0, -50.0, 680), np.linspace(0.0, 1.0, 20)])
    keen = replace(SEEN, days=7.0)
    assert floored_threshold(5.0, scores, keen) == LOWEST
    hopeless = np.linspace(-100.0, -50.0, 700)
    assert (hopeless >= floored_threshold(5.0, hopeless, keen)).sum() == pytest.approx(7 * MORE_A_DAY, abs=1)


def test_a_threshold_that_lets_enough_pass_is_unchanged() -> None:
    assert floored_threshold(-3.0, np.arange(-1.0, 1.0, 0.01), SEEN) == -3.0
    assert floored_threshold(2.0, np.empty(0), SEEN) == 2.0
