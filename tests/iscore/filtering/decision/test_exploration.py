"""Exploration: few, near the threshold, at least one a week, and alike whenever it is asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from iscore.filtering.decision.exploration import (
    MAX_PROBABILITY,
    MAX_WEIGHT,
    Draw,
    explore,
    weight_of,
)
from iscore.filtering.decision.past import DecisionCounts

NOW = datetime(2026, 3, 9, 7, tzinfo=UTC)
AN_HOUR_AGO = NOW - timedelta(hours=1)


def drawn(below: list[tuple[str, float]], recommended: int, recent: DecisionCounts, share: float = 0.1) -> list[Draw]:
    return explore(below, ["Wire"] * len(below), recommended=recommended, recent=recent, share=share, seed=3, now=NOW)


def quiet(recommended: int = 0, explored: int = 0, hidden: int = 0) -> DecisionCounts:
    return DecisionCounts(recommended, explored, hidden, last_explored=AN_HOUR_AGO)


def test_explored_articles_stay_within_their_share_over_many_batches() -> None:
    recommended = explored = hidden = 0
    for day in range(60):
        articles = [(f"{day}-{number}", number / 10) for number in range(50)]
        draws = drawn(articles, 10, quiet(recommended, explored, hidden))
        recommended += 10
        explored += sum(draw.explore for draw in draws)
        hidden += sum(not draw.explore for draw in draws)
        assert explored <= 0.1 * (recommended + explored)
    assert explored >= 0.05 * recommended


def test_one_is_explored_when_a_week_has_passed_without() -> None:
    recent = DecisionCounts(last_explored=NOW - timedelta(days=7))
    draws = drawn([("a", 1.0), ("b", 1.0), ("c", 1.0)], 0, recent)
    assert sum(draw.explore for draw in draws) == 1
    (chosen,) = [draw for draw in draws if draw.explore]
    assert chosen.probability == pytest.approx(1 / 3)
    assert not any(draw.explore for draw in drawn([("a", 1.0)], 0, quiet()))
    days_ago = DecisionCounts(last_explored=NOW - timedelta(days=6))
    assert not any(draw.explore for draw in drawn([("a", 1.0)], 0, days_ago))


def test_the_weekly_one_is_drawn_by_interest() -> None:
    recent = DecisionCounts()
    near = sum(drawn([(f"near{n}", 0.0), (f"far{n}", 2.0)], 0, recent)[0].explore for n in range(400))
    assert near / 400 == pytest.approx(1 / (1 + 0.1353), abs=0.05)


def test_nearer_to_the_threshold_is_likelier() -> None:
    draws = drawn([("far", 4.0), ("near", 0.1)], 100, quiet())
    assert draws[1].probability > draws[0].probability
    assert all(draw.probability <= MAX_PROBABILITY for draw in draws)


def test_frequency_of_draws_is_the_recorded_probability() -> None:
    articles = [(f"article {number}", 0.0) for number in range(4000)]
    draws = drawn(articles, 4000, quiet())
    probability = draws[0].probability
    assert 0.1 < probability < 0.12
    assert sum(draw.explore for draw in draws) / 4000 == pytest.approx(probability, abs=0.02)


def test_a_draw_depends_on_seed_and_article_alone() -> None:
    articles = [(f"article {number}", 0.5) for number in range(300)]
    forward = dict(zip((name for name, _ in articles), drawn(articles, 300, quiet()), strict=True))
    backward = dict(zip((n for n, _ in reversed(articles)), drawn(articles[::-1], 300, quiet()), strict=True))
    assert forward == backward
    other = explore(articles, ["Wire"] * len(articles), recommended=300, recent=quiet(), share=0.1, seed=4, now=NOW)
    assert list(forward.values()) != other


def test_no_share_no_exploration() -> None:
    assert not any(draw.explore for draw in drawn([("a", 0.1)], 50, DecisionCounts(), share=0.0))


def test_a_verdict_weighs_the_bounded_inverse_of_its_probability() -> None:
    assert weight_of(1.0) == 1.0
    assert weight_of(0.5) == 2.0
    assert weight_of(0.001) == MAX_WEIGHT


def test_a_source_is_explored_no_more_than_its_fair_share() -> None:
    below = [(f"article-{number}", 0.1) for number in range(300)]
    sources = ["Podcast"] * 280 + [f"Daily {number % 5}" for number in range(20)]
    draws = explore(below, sources, recommended=200, recent=quiet(), share=0.1, seed=3, now=NOW)
    drawn_from = [source for source, draw in zip(sources, draws, strict=True) if draw.explore]
    assert drawn_from.count("Podcast") == 4  # of 22 places for six sources
