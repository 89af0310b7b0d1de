"""The cut delivers the articles that make the expected F-beta greatest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.filtering.delivery.threshold import best_threshold, expected_f, limited_threshold
from iscore.filtering.delivery.tuning import HIGHEST_F, LOWEST_F, LOWEST_F_STATED

CHANCES = st.lists(st.floats(0, 1), min_size=1, max_size=30)
BETAS = st.sampled_from([0.5, 1.0, 2.0])


def expected(delivered: list[float], everything: list[float], beta: float) -> float:
    """Return the expected F-beta of delivering some of all articles."""
    likes = max(sum(everything), 1e-12)
    return (1 + beta**2) * sum(delivered) / (len(delivered) + beta**2 * likes)


@given(CHANCES, BETAS)
def test_it_is_the_best_of_all_cuts(chances: list[float], beta: float) -> None:
    falling = sorted(chances, reverse=True)
    best = max(expected(falling[:k], chances, beta) for k in range(1, len(falling) + 1))
    assert expected_f(np.array(chances), beta) == pytest.approx(best, abs=1e-12)


@given(CHANCES, BETAS)
def test_what_reaches_the_cut_has_the_best_expected_f(chances: list[float], beta: float) -> None:
    cut = best_threshold(np.array(chances), beta)
    assert 0.0 <= cut <= 1 / (1 + beta**2) + 1e-12
    passing = [chance for chance in chances if chance >= cut - 1e-12]
    assert expected(passing, chances, beta) == pytest.approx(expected_f(np.array(chances), beta), abs=1e-9)


def test_the_surer_the_likes_the_higher_the_cut() -> None:
    rest = np.full(90, 0.01)
    cuts = [best_threshold(np.concatenate([np.full(10, chance), rest])) for chance in (0.05, 0.3, 0.6, 0.99)]
    assert cuts == sorted(cuts)
    assert cuts[0] < 0.06
    assert 0.7 < cuts[-1] < 0.8


def test_known_likes_alone_give_the_highest_cut_and_nothing_gives_0() -> None:
    assert best_threshold(np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(0.8)
    assert best_threshold(np.zeros(5)) == 0.0
    assert best_threshold(np.empty(0)) == expected_f(np.empty(0)) == 0.0


@given(CHANCES, st.tuples(st.floats(0.25, 2), st.floats(0.25, 2)).map(sorted))
def test_a_user_who_wants_more_gets_no_less(chances: list[float], betas: list[float]) -> None:
    fewer, more = (limited_threshold(np.array(chances), beta) for beta in betas)
    assert more <= fewer + 1e-12


@given(CHANCES, st.floats(0.25, 2))
def test_limits_move_with_beta(chances: list[float], beta: float) -> None:
    cut = limited_threshold(np.array(chances), beta)
    assert LOWEST_F <= cut * (1 + beta**2) + 1e-12 <= HIGHEST_F + 2e-12
    assert limited_threshold(np.zeros(3)) == 0.2
    assert limited_threshold(np.zeros(3), lowest=LOWEST_F_STATED) == 0.4
    assert limited_threshold(np.ones(3)) == pytest.approx(0.64)
