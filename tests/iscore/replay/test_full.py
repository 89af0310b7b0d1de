"""The full protocol gives what the pipeline gives that judges and learns article by article."""

from __future__ import annotations

import pytest

from iscore.decision import AdaptiveThreshold
from iscore.learners import LEARNERS
from iscore.measures import make_measures
from iscore.pipeline import Pipeline
from iscore.replay import measuring
from iscore.replay.article import LabelledArticle
from iscore.replay.full import live_full
from iscore.replay.measured import Measured
from iscore.turning import TurningReader


@pytest.mark.parametrize("reader", ["simulated", "wire ∧ short"])
def test_decisions_are_those_of_the_pipeline(measured_week: Measured, week: list[LabelledArticle], reader: str) -> None:
    names = ("weighted-naive-bayes", "subset-naive-bayes", "v-pa")
    told: list[int] = []
    lived = live_full(measured_week, reader, names, advanced=told.append)
    assert sum(told) == 3 * len(week)
    assert lived.problems == {}
    for name, outcome in zip(names, lived.outcomes, strict=True):
        pipeline = Pipeline(make_measures().extractors, LEARNERS[name](), AdaptiveThreshold())
        expected, liked = [], []
        for article in week:
            judgement = pipeline.judge(article, at=article.arrived)
            if reader in article.labels:
                expected.append((judgement.score, judgement.threshold, judgement.interesting, judgement.warm))
                liked.append(article.labels[reader])
                pipeline.learn(article, liked[-1], at=article.arrived)
        found = zip(
            *(getattr(outcome, n).tolist() for n in ("scores", "thresholds", "recommended", "warm")), strict=True
        )
        assert list(found) == expected
        assert outcome.liked.tolist() == liked
        assert outcome.warm.any()
        assert not outcome.warm.all()
        assert (outcome.stream, outcome.reader, outcome.classifier) == ("week", reader, name)
        assert (outcome.protocol, outcome.verdicts) == ("full", len(liked))
        assert not outcome.explored.any()
        assert outcome.seconds > 0


def test_a_model_that_does_more_is_asked_itself(measured_week: Measured, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader with a second memory whose interests do not change decides like a plain one, but by itself."""
    (plain,) = live_full(measured_week, "wire ∧ short", ["subset-naive-bayes"]).outcomes
    asked = []

    class Watched(TurningReader):
        def judge(self, article, *, at=None):
            asked.append(article.metadata.id)
            return super().judge(article, at=at)

    def make(names, make_extractors, classifier):
        return Watched(names, make_extractors, LEARNERS[classifier], AdaptiveThreshold)

    monkeypatch.setattr(measuring, "make_reader", make)
    told: list[int] = []
    (turning,) = live_full(measured_week, "wire ∧ short", ["subset-naive-bayes"], advanced=told.append).outcomes
    assert len(asked) == len(plain.liked)
    assert sum(told) == measured_week.articles
    for name in ("liked", "scores", "thresholds", "recommended", "explored", "warm"):
        assert getattr(turning, name).tolist() == getattr(plain, name).tolist()
    assert (turning.verdicts, turning.protocol) == (plain.verdicts, "full")
