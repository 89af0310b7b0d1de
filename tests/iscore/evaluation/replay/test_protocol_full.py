"""The full protocol makes the decisions of a pipeline that decides and learns article by article."""

from __future__ import annotations

import pytest

from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.protocol_full import run_full
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model_factory import make_classifier
from iscore.filtering.paper import THRESHOLDERS, AdaptiveThreshold, usual_thresholder
from iscore.filtering.pipeline import Pipeline
from iscore.learners import LEARNERS

SOME = ("orrery", "longview", "bytewharf", "northwire")


@pytest.mark.parametrize(
    ("reader", "names"),
    [
        pytest.param("simulated", ["v-pa"], marks=pytest.mark.long, id="a verdict on each"),
        pytest.param("wire ∧ short", ["stacking"], id="on every third"),
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
            trained = pipeline.reader.trained
            decision = pipeline.decide(article, at=article.arrived)
            if reader in article.labels:
                expected.append((decision.score, decision.threshold, decision.interesting, trained))
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
