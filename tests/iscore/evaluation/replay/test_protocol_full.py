"""The full protocol makes the decisions of a pipeline that judges and learns article by article."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.decision.adaptive_threshold import AdaptiveThreshold
from iscore.filtering.drift_adaptation import DriftAdaptiveModel
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model_factory import THRESHOLDERS, make_classifier, usual_thresholder
from iscore.filtering.pipeline import Pipeline
from iscore.learners import LEARNERS

SOME = ("orrery", "longview", "bytewharf", "northwire")


@pytest.mark.parametrize(
    ("reader", "names"),
    [
        pytest.param("simulated", ["v-pa"], marks=pytest.mark.long, id="a verdict on each"),
        pytest.param("wire ∧ short", ["two-opinions"], id="on every third"),
    ],
)
def test_decisions_are_those_of_the_pipeline(
    cached_days: FeatureCache, days: list[LabelledArticle], reader: str, names: list[str]
) -> None:
    steps: list[int] = []
    lived = run_full(cached_days, reader, names, on_progress=steps.append)
    assert sum(steps) == len(names) * len(days)
    assert lived.problems == {}
    for name, outcome in zip(names, lived.outcomes, strict=True):
        names_of_features = Pipeline(make_extractors(), LEARNERS[name](), AdaptiveThreshold()).reader.names
        classifier = make_classifier(name, names_of_features)
        pipeline = Pipeline(make_extractors(), classifier, THRESHOLDERS[usual_thresholder(name)]())
        expected, liked = [], []
        for article in days:
            judgement = pipeline.judge(article, at=article.arrived)
            if reader in article.labels:
                expected.append((judgement.score, judgement.threshold, judgement.interesting, judgement.trained))
                liked.append(article.labels[reader])
                pipeline.learn(article, liked[-1], at=article.arrived)
        found = zip(
            *(getattr(outcome, n).tolist() for n in ("scores", "thresholds", "recommended", "trained")), strict=True
        )
        assert list(found) == expected
        assert outcome.liked.tolist() == liked
        assert outcome.trained.any()
        assert not outcome.trained.all()
        assert (outcome.stream, outcome.reader, outcome.classifier) == ("days", reader, name)
        assert (outcome.protocol, outcome.verdicts) == ("full", len(liked))
        assert not outcome.explored.any()
        assert outcome.seconds > 0


def test_without_a_change_following_changes_makes_no_difference(cached_days: FeatureCache) -> None:
    """Interests do not change here, so the second model never is active."""
    names = ["v-pa"]
    plain = run_full(cached_days, "wire ∧ short", names).outcomes
    steps: list[int] = []
    following = Protocol(follow_changes=True)
    turning = run_full(cached_days, "wire ∧ short", names, protocol=following, on_progress=steps.append).outcomes
    assert sum(steps) == cached_days.articles
    for one, other in zip(plain, turning, strict=True):
        for name in ("liked", "scores", "thresholds", "recommended", "explored", "trained"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
        assert (one.classifier, one.verdicts, one.protocol) == (other.classifier, other.verdicts, other.protocol)


@pytest.mark.long
def test_a_change_of_interest_activates_the_second_model(
    week: list[LabelledArticle], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What the model decides is taken from the model itself."""
    half = len(week) // 2
    switched = [
        replace(article, labels={"you": (article.source in SOME) == (number < half)})
        for number, article in enumerate(week)
    ]
    folder = tmp_path_factory.mktemp("switched")
    write_stream(folder / "switched.jsonl", switched)
    stream = cached_features(folder / "switched.jsonl", folder)
    (outcome,) = run_full(stream, "you", ["v-pa"], protocol=Protocol(follow_changes=True)).outcomes
    model = new_model(stream, "v-pa", seed=0, follow_changes=True)
    expected, torn = [], 0
    for chunk in stream.chunks():
        for row in range(len(chunk.articles)):
            article = chunk.articles[row]
            judgement = model.judge(article)
            expected.append((judgement.score, judgement.threshold))
            model.learn(article, switched[chunk.start + row].labels["you"])
            torn += isinstance(model, DriftAdaptiveModel) and model.adapting
    assert list(zip(outcome.scores.tolist(), outcome.thresholds.tolist(), strict=True)) == expected
    assert torn > 0
