"""How long a filter needed to follow a change, out of what it delivered."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import drift
from benchmarks.drift import CHANGED, COLUMNS, DriftingReader
from benchmarks.drift_runs import AFTER, FILTERS, TOLD, Run, Runs

HALF = 10_500
SWITCH = DriftingReader("switch", "x", "y")


def run(length: int, blind: int) -> Run:
    """Every tenth article is liked; from the middle on, ``blind`` articles long, none is delivered."""
    liked = np.arange(length) % 10 == 0
    delivered = liked.copy()
    delivered[HALF : HALF + blind] = False
    return Run(delivered, liked)


@pytest.fixture
def runs() -> Runs:
    blind = {FILTERS[0]: 3000, FILTERS[1]: 1500, TOLD: 400}
    lives = {(kind, SWITCH.name): run(HALF + AFTER, since) for kind, since in blind.items()}
    return lives | {(FILTERS[0], "y"): run(2 * HALF, 0)}


def test_a_filter_is_back_when_what_it_misses_of_the_last_thousand_costs_a_tenth(runs: Runs) -> None:
    row = dict(zip(COLUMNS, drift._row("all", SWITCH, runs), strict=True))
    assert row["former F0.5"] == 1
    # F0.5 of h hits and nothing wrong among 100 liked is 1.25 h / (25 + h): nine tenths at 65 hits, after 641 articles.
    assert [row[f"back, {kind}"] for kind in FILTERS] == [3641, 2141]
    # Behind 400 articles in vain h of 40 + h: 1.25 h / (10 + 1.25 h) is nine tenths at 72.
    assert row[f"back, {TOLD}"] == 641 + 400
    assert row["back, always"] == 91, "ten liked articles have to be there"
    assert row["back, ratio of follows"] == pytest.approx(2141 / 3641, abs=0.005)
    assert row["as good, follows"] == 2141
    assert row["F0.5 of the 1,000 after, told"] == pytest.approx(1.25 * 60 / (25 + 60), abs=0.001)
    assert row["F0.5 of the 1,000 after, always"] == 1


def test_who_never_gets_back_counts_with_the_length_of_the_stream(runs: Runs) -> None:
    runs[FILTERS[1], SWITCH.name] = run(HALF + AFTER, AFTER)
    row = dict(zip(COLUMNS, drift._row("all", SWITCH, runs), strict=True))
    assert row["back, follows"] == row["as good, follows"] == 2 * HALF


def test_means_are_of_figures_and_ratios_of_means(runs: Runs) -> None:
    rows = [drift._row("all", SWITCH, runs)]
    runs[FILTERS[1], SWITCH.name] = run(HALF + AFTER, 1000)
    rows.append(drift._row("all", SWITCH, runs))
    row = dict(zip(COLUMNS, drift._mean("all", rows), strict=True))
    assert row["back, follows"] == (2141 + 1641) / 2
    assert row["back, ratio of follows"] == pytest.approx((2141 + 1641) / 2 / 3641, abs=0.005)
    (mean,) = [drift._of_mean("all", [SWITCH], runs)]
    assert dict(zip(COLUMNS, mean, strict=True))["back, follows"] == 1641
    assert len(mean) == len(COLUMNS)


def test_who_keeps_the_old_interest_is_compared_with_no_other_life(runs: Runs) -> None:
    second = DriftingReader("second", "x", "y")
    for kind in CHANGED:
        runs[kind, second.name] = runs[kind, SWITCH.name]
    row = dict(zip(COLUMNS, drift._row("all", second, runs), strict=True))
    assert row["back, always"] == row["as good, told"] == row["F0.5 of the 5,000 after, always"] == ""
    assert row["back, told"] != ""
    mean = drift._mean("all", [drift._row("all", second, runs), drift._row("all", SWITCH, runs)])
    assert len(mean) == len(COLUMNS)
