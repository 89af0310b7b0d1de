"""The one entry point: which articles of a batch are recommended, explored or hidden, from the past alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from extractors.text.terms import TermBatch, TermVector
from iscore.filtering.decision.cold_start import BEST, FIRST_DAY, PER_LIKE, PER_LIKE_TRAINED
from iscore.filtering.decision.decide import Batch, Decision, current_threshold, decide
from iscore.filtering.decision.past import SHOWN, TODAY, DecisionCounts, ModelSummary, Past, VerdictCounts, past_of

NOW = datetime(2026, 3, 2, 7, tzinfo=UTC)
TRAINED = ModelSummary(likes=100, dislikes=100, threshold=0.5)
NEW = ModelSummary()
WEEK_AGO = NOW - timedelta(days=7)
RECENTLY = DecisionCounts(recommended=100, explored=5, hidden=900, last_explored=NOW - timedelta(days=1))
SCORES = np.linspace(-3.0, 3.0, 120)


def terms(word: int) -> TermVector:
    return TermVector(np.array([word], np.int32), np.ones(1, np.float32), np.ones(1, np.float32))


def batch(scores: np.ndarray = SCORES, ruled: np.ndarray | None = None) -> Batch:
    ids = [f"article {number}" for number in range(len(scores))]
    words = TermBatch.of([terms(number % 7) for number in range(len(scores))])
    return Batch(ids, scores, words, ["Wire"] * len(scores), ruled)


def decided(past: Past, articles: Batch | None = None, *, share: float = 0.1) -> list[Decision]:
    return decide(articles or batch(), past, explore_share=share, seed=3, now=NOW)


def recommended(decisions: Sequence[Decision]) -> list[int]:
    return [place for place, each in enumerate(decisions) if each.interesting]


def test_a_trained_filter_recommends_from_its_threshold_on_and_explores_a_few_below() -> None:
    decisions = decided(Past(TRAINED, recent=RECENTLY))
    assert recommended(decisions) == np.flatnonzero(SCORES >= 0.5).tolist()
    assert {each.threshold for each in decisions} == {0.5}
    assert [each.score for each in decisions] == SCORES.tolist()
    assert {each.probability for each in decisions if each.interesting} == {1.0}
    below = [each for each in decisions if not each.interesting]
    assert 1 <= sum(each.explore for each in below) <= 11
    assert all(0 < each.probability <= 0.5 for each in below)
    assert decided(Past(TRAINED, recent=RECENTLY)) == decisions


def test_without_a_share_nothing_is_explored() -> None:
    assert not any(each.explore for each in decided(Past(TRAINED, recent=RECENTLY), share=0.0))


def test_the_threshold_falls_until_enough_of_all_current_scores_pass() -> None:
    ever = DecisionCounts(recommended=100, hidden=100)
    past = Past(
        ModelSummary(likes=100, dislikes=100, threshold=9.0), VerdictCounts(50, 50), ever, scores=np.full(120, -1.0)
    )
    # A quarter of all articles was liked and delivered, and one more a day is: of 240 scores the best 61.
    assert len(recommended(decided(past))) == 61


def test_a_classifier_with_few_verdicts_recommends_little_a_day() -> None:
    model = ModelSummary(likes=5, dislikes=5, threshold=0.0)
    a_day = BEST + 5 * PER_LIKE_TRAINED
    assert recommended(decided(Past(model))) == list(range(120 - a_day, 120))
    assert len(recommended(decided(Past(model, today=DecisionCounts(recommended=4))))) == a_day - 4
    assert (current_threshold(SCORES, Past(model, days=3.0)) <= SCORES).sum() == 3 * a_day
    # An import says enough about the topics to do without that limit.
    assert len(recommended(decided(Past(ModelSummary(5, 5, imported=10))))) == 60


def test_at_first_a_diverse_selection_is_explored_and_the_best_are_recommended_after_a_like() -> None:
    first = decided(Past(NEW), share=0.0)
    assert recommended(first) == []
    assert sum(each.explore for each in first) == FIRST_DAY
    assert len({number % 7 for number, each in enumerate(first) if each.explore}) == 7
    assert {each.probability for each in first} == {0.0, 1.0}
    assert not any(each.explore for each in decided(Past(NEW, today=DecisionCounts(explored=FIRST_DAY))))
    liked = decided(Past(ModelSummary(likes=1)))
    assert recommended(liked) == list(range(120 - BEST - PER_LIKE, 120))
    assert not any(each.explore for each in liked)


def test_after_an_import_a_tenth_is_recommended() -> None:
    assert recommended(decided(Past(ModelSummary(imported=10)))) == list(range(108, 120))


def test_articles_that_rules_decide_are_not_explored_and_do_not_count() -> None:
    past = Past(TRAINED, recent=RECENTLY)
    ruled = SCORES.copy()
    ruled[:60] = -np.inf
    ruled[60:70] = np.inf
    ruled[70:75] += 0.05
    plain, decisions = decided(past, share=0.5), decided(past, batch(ruled=ruled), share=0.5)
    assert [each.interesting for each in decisions] == [each.interesting for each in plain]
    assert not any(each.explore or each.probability for each in decisions[:70] if not each.interesting)
    assert any(each.explore for each in plain[:70])
    never = decided(Past(NEW), batch(ruled=np.full(120, -np.inf)))
    assert not any(each.explore for each in never)


def test_a_muted_article_takes_no_place_among_the_best() -> None:
    ruled = SCORES.copy()
    ruled[-3:] = -np.inf
    decisions = decided(Past(ModelSummary(likes=1)), batch(ruled=ruled))
    assert len(recommended(decisions)) == 3 + BEST + PER_LIKE
    muted = current_threshold(SCORES, Past(ModelSummary(likes=1)), [117, 118, 119])
    assert muted == decisions[0].threshold


@pytest.mark.parametrize("model", [NEW, TRAINED, ModelSummary(imported=3), ModelSummary(likes=1)])
def test_an_empty_batch(model: ModelSummary) -> None:
    assert decided(Past(model), batch(np.empty(0))) == []
    assert np.isfinite(current_threshold(np.empty(0), Past(model)))


class Log:
    """A ``DecisionLog`` that records what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def verdicts(self) -> VerdictCounts:
        return VerdictCounts(1, 2)

    def counts(self, since: datetime | None) -> DecisionCounts:
        self.asked.append(since)
        return DecisionCounts(recommended=len(self.asked))

    def span(self, since: datetime) -> tuple[datetime, datetime] | None:
        return (since, since + timedelta(days=2)) if since < NOW else None

    def scores(self, since: datetime) -> np.ndarray:
        self.asked.append(since)
        return np.array([1.0])

    def shown(self, limit: int) -> list[TermVector]:
        self.asked.append(limit)
        return [terms(1)]


def test_the_past_is_collected_for_the_same_periods_from_every_log() -> None:
    log = Log()
    past = past_of(log, NEW, now=NOW, window=timedelta(days=7))
    assert log.asked == [None, WEEK_AGO, NOW - TODAY, WEEK_AGO, SHOWN]
    assert (past.ever.recommended, past.recent.recommended, past.today.recommended) == (1, 2, 3)
    assert (past.days, len(past.shown), past.scores.tolist()) == (3.0, 1, [1.0])
    assert past_of(log, TRAINED, now=NOW, window=timedelta(days=7)).shown == ()
    assert past_of(log, NEW, now=NOW, window=timedelta(0)).days == 1.0


GOLDEN = json.loads((Path(__file__).parent / "golden_decisions.json").read_text(encoding="utf-8"))
"""Random pasts and batches with the decisions that were made about them when this code was in seven modules."""


@pytest.mark.parametrize("case", GOLDEN)
def test_decisions_are_those_of_the_version_before(case: dict[str, Any]) -> None:
    scores = np.array(case["scores"])
    fixed = {"always": np.inf, "never": -np.inf}
    rules = case["boosts"]
    ruled = np.array([fixed[r] if r in fixed else score + r for score, r in zip(scores, rules, strict=True)])
    hours = case["hours_since_explored"]
    past = Past(
        ModelSummary(case["likes"], case["dislikes"], case["imported"], case["threshold"]),
        VerdictCounts(case["recommended_liked"], case["recommended_disliked"], case["explored"]),
        DecisionCounts(*case["ever"]),
        case["days"],
        DecisionCounts(*case["recent"], last_explored=None if hours is None else NOW - timedelta(hours=hours)),
        DecisionCounts(*case["today"]),
        np.array(case["others"]),
        [terms(number % 5) for number in range(case["shown"])],
    )
    found = decide(batch(scores, ruled), past, explore_share=case["share"], seed=case["seed"], now=NOW)
    expected = case["decided"]
    assert {each.threshold for each in found} == {expected["threshold"]}
    assert recommended(found) == expected["recommended"]
    assert [place for place, each in enumerate(found) if each.explore] == expected["explored"]
    assert [each.probability for each in found] == pytest.approx(expected["probabilities"], abs=1e-6)
    never = [place for place, rule in enumerate(case["boosts"]) if rule == "never"]
    assert current_threshold(scores, past, never) == expected["current_threshold"]
