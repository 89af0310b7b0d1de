"""The threshold stays where enough of what should be liked can pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iscore.ratchet import AT_LEAST, Experience, liked_share, open_threshold

NOTHING = Experience(0, 0, (), 0, 0)
SEEN = Experience(11, 3, [(True, 0.5), (False, 0.1), (False, 0.1), (False, 0.5)], 20, 180)


def test_share_worked_by_hand() -> None:
    # 14 verdicts on recommended ones, 11 liked, and 4 on explored ones, 1 liked: overall (12 + 1) / (18 + 2) = 0.65.
    # Recommended (11 + 0.65) / 15. Explored: weights 2, 10, 10, 2, so 2 / 24 liked, worth 24² / 208 verdicts;
    # with the guess (24² / 208 · 2 / 24 + 4 · 0.325) / (24² / 208 + 4). Weighed 20 to 180.
    size = 24**2 / 208
    of_held_back = (size * 2 / 24 + 4 * 0.325) / (size + 4)
    assert liked_share(SEEN) == pytest.approx((20 * 11.65 / 15 + 180 * of_held_back) / 200)


def test_nothing_is_known_at_first() -> None:
    assert liked_share(NOTHING) == 0.5


def test_likes_among_the_held_back_raise_the_share_the_more_the_unlikelier_they_were_drawn() -> None:
    likely = liked_share(replace(SEEN, explored=[*SEEN.explored, (True, 0.5)]))
    unlikely = liked_share(replace(SEEN, explored=[*SEEN.explored, (True, 0.05)]))
    assert liked_share(SEEN) < likely < unlikely


def test_a_threshold_too_high_comes_down_to_let_enough_pass() -> None:
    scores = np.arange(-100.0, 0.0)
    lowered = open_threshold(5.0, scores, share=0.5)
    assert (scores >= lowered).sum() == pytest.approx(AT_LEAST * 0.5 * 100, abs=1)


def test_a_threshold_that_lets_enough_pass_stays() -> None:
    assert open_threshold(-3.0, np.arange(-10.0, 10.0), share=0.1) == -3.0
    assert open_threshold(2.0, np.empty(0), share=0.5) == 2.0
