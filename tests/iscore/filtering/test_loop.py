"""A filter from day to day: how many it recommends after the days before, and which hidden articles it brings up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle, AnalysedBatch
from iscore.filtering.delivery.decide import Candidates, Decision
from iscore.filtering.delivery.limits import most
from iscore.filtering.delivery.tuning import DAY, OLD, OLD_MARGIN
from iscore.filtering.loop import Filter
from iscore.filtering.memory_log import MemoryLog
from iscore.filtering.ranking.labelled import Articles
from tests.iscore.filtering.made_up import NOW, about, article, new_model, terms

SHOWN = Decision(2.0, 1.0, 0.0, interesting=True, explore=False)
HIDDEN = Decision(-2.0, -3.0, 0.0, interesting=False, explore=False)


def arrived(texts: Sequence[str], day: int) -> list[AnalysedArticle]:
    made = [article(text) for text in texts]
    return [replace(each, metadata=replace(each.metadata, arrived=NOW + day * DAY)) for each in made]


def candidates(new: Sequence[AnalysedArticle], first: int) -> Candidates:
    numbers = range(first, first + len(new))
    return Candidates(
        numbers, Articles.new(AnalysedBatch.of(new), new_model()), ["Wire"] * len(new), np.zeros(len(new))
    )


def decided(log: MemoryLog, day: int, texts: Sequence[str], recommended: int) -> None:
    """Recommend the first of these articles and hide the others."""
    new = arrived(texts, day)
    made = [SHOWN if place < recommended else HIDDEN for place in range(len(new))]
    log.add_decisions(candidates(new, 1 + 1000 * day), made, new, NOW + day * DAY)


@pytest.mark.parametrize(
    ("days", "allowed"),
    [
        ([], 64),
        ([4], 64),  # on the first two days nothing is known yet
        ([4, 2], 10),
        ([0, 0, 0], 10),
        ([0, 20, 0], 30),
        ([20, 0, 0, 0], 10),
        ([2, 8, 30], 45),
        ([2, 8, 60], 64),
    ],
)
def test_a_day_recommends_half_as_many_again_as_the_best_of_three_before_at_most(days: list[int], allowed: int) -> None:
    log = MemoryLog()
    for day, number in enumerate(days):
        decided(log, day, about("rain", 70, seed=day), number)
    assert most(30, log.today(NOW + len(days) * DAY).before) == allowed


@pytest.mark.parametrize("days", [1, 2, 3, 4, 6])
def test_what_was_hidden_for_three_days_must_be_clearly_better(days: int) -> None:
    log = MemoryLog()
    decided(log, 0, [*about("rain", 5), *about("gold", 40), *about("ships", 40)], 0)
    for row, text in enumerate(about("rain", 12, seed=1)):
        log.add_verdict(9000 + row, terms(text), True, SHOWN)
    for row, text in enumerate(about("ships", 12, seed=1)):
        log.add_verdict(9100 + row, terms(text), False, SHOWN)
    new = arrived(about("gold", 10, seed=2), days)
    made = Filter(new_model(), log).decide(candidates(new, 1 + 1000 * days), NOW + days * DAY)
    of_hidden, of_new = ({each.threshold for each in part} for part in (made.decisions[:85], made.decisions[85:]))
    (threshold,), (usual,) = of_hidden, of_new
    assert threshold - usual == pytest.approx(OLD_MARGIN if days * DAY > OLD else 0.0)
    late = [each.score for _, each in made.late() if each.interesting]
    assert late == [each.score for each in made.decisions[:85] if each.score >= threshold]
    assert late
