"""The threshold stays where enough of what should be liked can pass, and forces nothing that is hardly liked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iscore.filtering.decision.threshold_floor import (
    AT_LEAST,
    LOWEST,
    MORE_A_DAY,
    Experience,
    found_share,
    likeable_share,
    missed_share,
    open_threshold,
)

NOTHING = Experience(0, 0, (), 0, 0, 0, 1.0)
SEEN = Experience(11, 3, [(True, 0.5), (False, 0.1), (False, 0.1), (False, 0.5)], 28, 8, 164, 1.0)


def test_found_share_worked_by_hand() -> None:
    # Of 28 recommended 14 were judged, 11 liked: 22 in all. Of 8 explored 4 were judged, 1 liked: 2 in all. Of 200.
    assert found_share(SEEN) == pytest.approx(24 / 200)
    assert found_share(NOTHING) == 0.0


def test_what_was_not_read_counts_as_what_was() -> None:
    assert found_share(replace(SEEN, recommended=56, held_back=136)) > found_share(SEEN)


def test_missed_share_worked_by_hand() -> None:
    # Weights 2, 10, 10, 2, so 2 / 24 liked, worth 24² / 208 verdicts, beside 4 for a guess of 0.
    size = 24**2 / 208
    assert missed_share(SEEN) == pytest.approx(size * (2 / 24) / (size + 4))
    assert missed_share(NOTHING) == 0.0


def test_representatives_tell_how_much_is_liked_but_for_the_first() -> None:
    asked = replace(NOTHING, explored=[(True, 1.0)] * 5 + [(False, 1.0)] * 5)
    assert likeable_share(asked) == 0.4
    assert missed_share(asked) == pytest.approx(0.4)
    assert likeable_share(replace(NOTHING, explored=[(False, 1.0)] * 30 + [(True, 1.0)])) == 0.0
    assert likeable_share(SEEN) == 0.0


def test_likes_among_the_held_back_raise_the_share_the_more_the_unlikelier_they_were_drawn() -> None:
    likely = missed_share(replace(SEEN, explored=[*SEEN.explored, (True, 0.5)]))
    unlikely = missed_share(replace(SEEN, explored=[*SEEN.explored, (True, 0.05)]))
    assert missed_share(SEEN) < likely < unlikely


def test_a_threshold_too_high_comes_down_to_let_as_many_pass_as_are_liked_and_one_more_a_day() -> None:
    scores = np.linspace(-1.0, 1.0, 700)
    lowered = open_threshold(5.0, scores, replace(SEEN, days=7.0))
    assert (scores >= lowered).sum() == pytest.approx(24 / 200 * 700 + 7 * MORE_A_DAY, abs=1)


def test_where_much_is_liked_and_little_found_part_of_it_passes() -> None:
    scores = np.linspace(-1.0, 1.0, 700)
    fond = replace(NOTHING, explored=[(True, 1.0)] * 8 + [(False, 1.0)] * 2, delivered_unasked=10, held_back=1000)
    expected = AT_LEAST * (found_share(fond) + 0.7) * 700
    assert (scores >= open_threshold(5.0, scores, fond)).sum() == pytest.approx(expected, abs=1)


def test_what_is_hardly_liked_is_not_forced_but_for_one_a_day() -> None:
    scores = np.concatenate([np.linspace(-100.0, -50.0, 680), np.linspace(0.0, 1.0, 20)])
    keen = replace(SEEN, days=7.0)
    assert open_threshold(5.0, scores, keen) == LOWEST
    hopeless = np.linspace(-100.0, -50.0, 700)
    assert (hopeless >= open_threshold(5.0, hopeless, keen)).sum() == pytest.approx(7 * MORE_A_DAY, abs=1)


def test_a_threshold_that_lets_enough_pass_stays() -> None:
    assert open_threshold(-3.0, np.arange(-1.0, 1.0, 0.01), SEEN) == -3.0
    assert open_threshold(2.0, np.empty(0), SEEN) == 2.0
