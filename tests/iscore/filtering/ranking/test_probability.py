"""From margins to true probabilities, and to what is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.filtering.ranking.calibration import Offsets, sigmoid

MARGINS = np.linspace(-6.0, 6.0, 25)
DELIVERIES = st.lists(st.tuples(st.floats(-20, 20), st.booleans()), max_size=80)


def level_of(*deliveries: tuple[float, bool]) -> Offsets:
    """Learn from pairs of a margin, left out as at delivery, and whether it was liked."""
    margins, liked = np.array([margin for margin, _ in deliveries]), np.array([liked for _, liked in deliveries], bool)
    return Offsets.of(margins, margins, liked)


@given(DELIVERIES, st.floats(-5, 5))
def test_what_reaches_the_cut_by_its_margin_does_so_by_its_log_odds(
    deliveries: list[tuple[float, bool]], cut: float
) -> None:
    level = level_of(*deliveries)
    clear = MARGINS[np.abs(MARGINS + level.shift - cut) > 1e-9]
    odds = level.log_odds(clear)
    assert (np.diff(odds) > 0).all()
    assert ((clear + level.shift >= cut) == (odds >= level.threshold(cut))).all()
    assert (level.leaning(clear) >= sigmoid(clear)).all()


def test_before_there_are_verdicts_margins_are_cut_as_they_are_and_shown_as_less() -> None:
    level = level_of()
    assert level.leaning(MARGINS) == pytest.approx(sigmoid(MARGINS), abs=1e-9)
    assert level.log_odds(np.zeros(1))[0] < -1.0


def test_likes_raise_both_and_dislikes_lower_what_is_shown_only() -> None:
    before, liked, disliked = level_of(), level_of(*[(-3.0, True)] * 30), level_of(*[(3.0, False)] * 30)
    assert liked.offset > before.offset > disliked.offset
    assert liked.shift > before.shift == pytest.approx(disliked.shift, abs=1e-9)


def test_what_is_shown_comes_to_be_true() -> None:
    random = np.random.default_rng(1)
    margins = random.normal(1.0, 1.0, 2000)
    liked = random.random(2000) < sigmoid(1.1 * margins - 0.7)
    shown = sigmoid(Offsets.of(margins, margins, liked).log_odds(margins))
    assert shown.mean() == pytest.approx(liked.mean(), abs=0.02)


def test_what_is_shown_follows_left_out_margins_and_the_lean_those_at_delivery() -> None:
    liked, unlikely, likely = np.ones(30, dtype=np.bool_), np.full(30, -3.0), np.full(30, 3.0)
    expected, unexpected = Offsets.of(likely, likely, liked), Offsets.of(likely, unlikely, liked)
    assert unexpected.shift > 2.0 > expected.shift
    assert unexpected.offset == expected.offset < Offsets.of(unlikely, likely, liked).offset
