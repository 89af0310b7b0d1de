"""The curves of a report are means of the findings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from iscore.evaluation.replay.metrics import precision_at_recalls, reliability
from iscore.evaluation.replay.report.content import (
    Finding,
    course,
    difference,
    finding,
    gather,
    grid,
    mean_precision,
    pooled_reliability,
)
from iscore.evaluation.replay.report.overall import spread
from tests.iscore.evaluation.replay.outcomes import outcome, simulated
from tests.iscore.presentation.charts.reading import texts

# What is drawn


def test_positions_are_the_same_for_all_readers_and_not_too_many() -> None:
    assert grid(49).tolist() == []
    assert grid(120).tolist() == [50, 100]
    for n in (3000, 30_000, 1_000_000):
        assert len(grid(n)) < 700
        assert grid(n)[-1] > 0.97 * n
        assert set(grid(n // 2)) <= set(grid(n))


def test_a_curve_is_the_mean_over_readers_while_half_of_them_have_articles() -> None:
    runs = [finding(simulated(n, seed=n, reader=str(n))) for n in (400, 600, 1000, 1000)]
    found = course(runs, 500)
    assert found.positions.tolist() == list(range(50, 1000 + 1, 50))
    at = found.positions.tolist().index(500)
    values = [run.trailing_short[at] for run in runs if len(run.positions) > at]
    assert len(values) == found.readers[at] == 3
    assert found.f05[at] == pytest.approx(np.mean(values))
    uneven = course([finding(simulated(n, seed=n)) for n in (100, 100, 1000)], 500)
    assert uneven.positions[-1] == 100


def test_pooling_bins_is_pooling_articles() -> None:
    runs = [simulated(n, seed=n) for n in (300, 500)]
    articles, posterior, liked = pooled_reliability([finding(run) for run in runs])
    together = reliability(
        np.concatenate([run.scores[run.trained] for run in runs]),
        np.concatenate([run.liked[run.trained] for run in runs]),
    )
    assert (articles == together.articles).all()
    assert posterior == pytest.approx(together.posterior, nan_ok=True)
    assert liked == pytest.approx(together.liked, nan_ok=True)


def test_precision_is_averaged_over_readers_with_likes() -> None:
    runs = [simulated(300, seed=1), simulated(300, seed=2), outcome("....")]
    expected = np.mean([precision_at_recalls(run.scores, run.liked) for run in runs[:2]], axis=0)
    assert mean_precision([finding(run) for run in runs]) == pytest.approx(expected)


def test_a_difference_counts_readers_that_both_have() -> None:
    ours = [finding(simulated(400, seed=s, skill=2.0, reader=str(s))) for s in range(8)]
    theirs = [finding(simulated(400, seed=s, skill=0.7, reader=str(s))) for s in range(2, 10)]
    found = difference(ours, theirs)
    assert found is not None
    assert (found.readers, found.better, found.worse) == (6, 6, 0)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < found.mean < found.high
    assert difference(ours, theirs) == found, "no chance in it"
    same = difference(ours, ours)
    assert same is not None
    assert (same.mean, same.low, same.high, same.better, same.worse) == (0, 0, 0, 0, 0)
    assert difference(ours[:1], theirs) is None


def test_the_interval_covers_as_often_as_it_says() -> None:
    """Readers whose gains are drawn around 0: the interval of 30 of them misses it about one time in twenty."""
    base = finding(outcome("x.", "x."))
    chance = np.random.default_rng(4)
    missed = 0
    for _ in range(40):
        gains = chance.normal(0, 0.05, 30)
        pairs = [(_with(base, str(i), 0.5 + gain), _with(base, str(i), 0.5)) for i, gain in enumerate(gains)]
        found = difference([ours for ours, _ in pairs], [theirs for _, theirs in pairs])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= 0 <= found.high
    assert 0 < missed < 8


def _with(base: Finding, reader: str, f05: float) -> Finding:
    return replace(base, summary=replace(base.summary, reader=reader, f05=f05))


def test_readers_are_sorted_by_the_best_classifier() -> None:
    runs = [simulated(300, seed=s, skill=s + 0.5, reader=f"r{s}") for s in range(3)]
    figure = spread(gather(runs, title="", about={}, baseline=None, correlations=()))
    assert figure is not None
    names = [words for _, _, _, words in texts(figure.panels[0].drawing) if words.startswith("r")]
    assert names == ["r2", "r1", "r0"]
