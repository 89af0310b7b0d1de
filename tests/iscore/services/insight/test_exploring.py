"""What is estimated of what was held back: by hand, and on a stream of which all is known."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.core.statistics import share_interval, upper_share
from iscore.services.insight.agreement import FEWEST_DRAWN, missed
from tests.iscore.services.insight.made_verdicts import START, one_round, verdict, verdicts


def test_likes_by_how_they_were_found() -> None:
    found = missed(verdicts("+++++-0", "rrehnee"), [], None)
    assert (found.liked_explored, found.liked_later, found.drawn, found.recall) == (1, 1, 0, None)


def test_the_estimate_is_worked_by_hand() -> None:
    # Recommended: 8 of 10 liked. Drawn: ten with chance 1/2, one of them liked; ten with chance 1/4, two liked.
    given = [verdict(n, "+" if n < 8 else "-") for n in range(1, 11)]
    given += [verdict(20 + n, "+" if n < 1 else "-", "e", probability=0.5) for n in range(10)]
    given += [verdict(30 + n, "+" if n < 2 else "-", "e", probability=0.25) for n in range(10)]
    given += [verdict(50 + n, "+", "h") for n in range(3)]  # found by the person: tells nothing of the rest
    rounds = [one_round(-1, 500, 0, 500), one_round(1, 40, 10, 190), one_round(2, 10, 10, 90)]
    found = missed(given, rounds, START)
    share = (1 * 2 + 2 * 4) / (10 * 2 + 10 * 4)
    worth = (10 * 2 + 10 * 4) ** 2 / (10 * 4 + 10 * 16)
    precision = (7 if given[0].row == 2 else 8) / 10
    liked = precision * (40 + 10)
    assert found.drawn == 20
    assert found.worth == pytest.approx(worth) == 18.0
    assert found.recall == pytest.approx(liked / (liked + share * (10 + 190 + 10 + 90)))
    low, high = share_interval(share * worth, worth)
    assert found.low == pytest.approx(liked / (liked + high * 300))
    assert found.high == pytest.approx(liked / (liked + low * 300))


def test_there_is_no_estimate_from_few_or_without_a_right_recommendation() -> None:
    drawn = [verdict(20 + n, "-", "e", probability=0.5) for n in range(int(FEWEST_DRAWN))]
    rounds = [one_round(1, 10, 10, 90)]
    assert missed([verdict(1, "+"), *drawn], rounds, START).recall == 1.0
    assert missed([verdict(1, "+"), *drawn[1:]], rounds, START).recall is None
    assert missed([verdict(1, "-"), *drawn], rounds, START).recall is None
    assert missed([verdict(1, "+"), *drawn], rounds, None).recall is None
    uneven = [verdict(20 + n, "-", "e", probability=0.01 if n == 0 else 1.0 - 1e-9) for n in range(40)]
    assert missed([verdict(1, "+"), *uneven], rounds, START).recall is None


def test_on_a_stream_of_which_all_is_known_the_interval_holds_recall() -> None:
    """Chances fall with the distance from the threshold, and likes do too: what a plain share would get wrong."""
    chance = np.random.default_rng(5)
    inside, naive = 0, []
    for _ in range(60):
        distance = chance.exponential(2.0, 3000)
        liked = chance.random(3000) < 0.3 * np.exp(-distance)
        probability = np.clip(0.25 * np.exp(-distance / 2), 0.02, None)
        drawn = chance.random(3000) < probability
        recommended = chance.random(500) < 0.8
        given = [verdict(n + 1, "+" if like else "-") for n, like in enumerate(recommended)]
        given += [
            verdict(1000 + n, "+" if like else "-", "e", probability=float(p))
            for n, (like, p) in enumerate(zip(liked[drawn], probability[drawn], strict=True))
        ]
        found = missed(given, [one_round(1, 500, int(drawn.sum()), 3000 - int(drawn.sum()))], START)
        true = recommended.sum() / (recommended.sum() + liked.sum())
        assert found.low is not None
        assert found.high is not None
        assert found.recall is not None
        inside += found.low <= true <= found.high
        naive.append(recommended.sum() / (recommended.sum() + liked[drawn].mean() * 3000) < found.low)
    assert inside >= 52
    assert np.mean(naive) > 0.3, "without weights the estimate would be far too low"


def test_few_verdicts_of_unequal_chance_have_an_honest_interval() -> None:
    chance = np.random.default_rng(6)
    inside = total = 0
    for _ in range(100):
        distance = chance.exponential(2.0, 1600)
        liked = chance.random(1600) < 0.4 * np.exp(-distance / 2)
        probability = np.clip(0.05 * np.exp(-distance), 0.001, None)
        drawn = chance.random(1600) < probability
        given = [verdict(n + 1, "+") for n in range(100)]
        given += [
            verdict(1000 + n, "+" if like else "-", "e", probability=float(p))
            for n, (like, p) in enumerate(zip(liked[drawn], probability[drawn], strict=True))
        ]
        found = missed(given, [one_round(1, 100, int(drawn.sum()), 1600 - int(drawn.sum()))], START)
        if found.low is not None and found.high is not None:
            total += 1
            inside += found.low <= 100 / (100 + liked.sum()) <= found.high
    assert total > 80
    assert inside > 0.87 * total


def test_both_ends_of_an_interval_are_wilson_s() -> None:
    # Wilson 1927, as in Newcombe 1998, table I: 81 of 263, and 1 of 29.
    assert share_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert share_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert share_interval(0, 0) == (0.0, 1.0)
    assert share_interval(3, 7)[1] == upper_share(3, 7)
    assert share_interval(0, 5)[0] == 0.0
