"""The threshold stays where enough of what should be liked can pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iscore.ratchet import AT_LEAST, Experience, liked_share, open_threshold

NOTHING = Experience(0, 0, 0, 0, 0, 0)


def test_share_worked_by_hand() -> None:
    # 20 recommended: 11 of 14 verdicts liked; 180 held back: 2 of 12 liked. Overall (13 + 1) / (26 + 2) = 0.5.
    # Recommended (11 + 0.5) / 15 = 0.76667, held back (2 + 4 · 0.25) / 16 = 0.1875; weighed 20 to 180.
    seen = Experience(11, 3, 2, 10, 20, 180)
    assert liked_share(seen) == pytest.approx((20 * 11.5 / 15 + 180 * 3 / 16) / 200)


def test_nothing_is_known_at_first() -> None:
    assert liked_share(NOTHING) == 0.5


def test_likes_among_the_held_back_raise_the_share() -> None:
    seen = Experience(11, 3, 2, 10, 20, 180)
    assert liked_share(replace(seen, held_back_liked=6)) > liked_share(seen)
    assert liked_share(replace(seen, held_back_disliked=40)) < liked_share(seen)


def test_a_threshold_too_high_comes_down_to_let_enough_pass() -> None:
    scores = np.arange(-100.0, 0.0)
    lowered = open_threshold(5.0, scores, share=0.5)
    assert (scores >= lowered).sum() == pytest.approx(AT_LEAST * 0.5 * 100, abs=1)


def test_a_threshold_that_lets_enough_pass_stays() -> None:
    assert open_threshold(-3.0, np.arange(-10.0, 10.0), share=0.1) == -3.0
    assert open_threshold(2.0, np.empty(0), share=0.5) == 2.0
