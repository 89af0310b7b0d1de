"""The contract of the loop where every verdict is known: deciding changes nothing, no label leaks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.base import Verdicts
from iscore.filtering.delivery.decide import Decision
from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_reader
from iscore.filtering.paper import AdaptiveThreshold, Thresholder
from iscore.filtering.pipeline import Pipeline
from iscore.filtering.serialization import pack, unpack
from iscore.learners import LEARNERS
from tests.iscore.conftest import made_extractors

CLASSIFIERS = (
    *("stacking", "kernel-naive-bayes", "averaged-logistic-regression"),
    *(
        pytest.param(name, marks=pytest.mark.long)
        for name in ("weighted-naive-bayes", "subset-naive-bayes", "passive-aggressive", "v-mbw")
    ),
)
"""One of each kind; ``tests/iscore/learners/test_contract.py`` asks the same of all of them."""
TAUGHT = 60
"""So many articles the taught pipelines know."""

AT = datetime(2026, 3, 9, tzinfo=UTC)

Taught = Callable[[], Pipeline]


def make() -> Pipeline:
    """Return a pipeline that has learned nothing."""
    return Pipeline(made_extractors(), LEARNERS["weighted-naive-bayes"](), AdaptiveThreshold())


def liked(number: int, piece) -> bool:
    """An interest that depends on topic, source and chance."""
    return piece.source in ("orrery", "longview") or number % 5 == 0


def after_verdicts(pipeline: Pipeline, pieces, *, weight: float = 1.0) -> Pipeline:
    for number, piece in enumerate(pieces):
        pipeline.decide(piece, at=AT)
        pipeline.learn(piece, liked(number, piece), at=AT, weight=weight)
    return pipeline


def frozen(pipeline: Pipeline, piece) -> AnalysedArticle:
    """What the pipeline keeps of an article."""
    return pipeline._known[piece.id].article


def thresholder(pipeline: Pipeline) -> Thresholder:
    assert pipeline._paper is not None
    return pipeline._paper.thresholder


def bits(decision: Decision) -> tuple[object, ...]:
    """All of a decision, comparable bit for bit."""
    assert decision.features is not None
    return decision.names, decision.features.tobytes(), decision.score, decision.threshold, decision.interesting


@pytest.fixture(scope="module")
def taught(pieces) -> Taught:
    """Return a function that makes a pipeline with sixty verdicts: each restored, as learning them takes longer."""
    original = after_verdicts(make(), pieces[:TAUGHT])
    arrivals, reader = pack(original.arrivals.state()), pack(original.reader.state())
    threshold = pack(thresholder(original).state())

    def restored() -> Pipeline:
        pipeline = make()
        pipeline.arrivals.restore(unpack(arrivals))
        pipeline.reader.restore(unpack(reader))
        thresholder(pipeline).restore(unpack(threshold))
        return pipeline

    return restored


class Arrived:
    """140 articles with the features of their arrival, the same for every reader, and their verdicts."""

    def __init__(self, pieces) -> None:
        arrivals = ArticleFeatures(made_extractors())
        self.names = arrivals.names
        self.articles = arrivals.analyse_many(pieces[:140])
        self.interesting = np.array([liked(number, piece) for number, piece in enumerate(pieces[:140])])

    def reader(self, classifier: str) -> ReaderModel:
        """Return one that has learned nothing."""
        return ReaderModel(self.names, made_extractors(), LEARNERS[classifier]())

    def teach(self, reader: ReaderModel, begin: int, end: int) -> None:
        """Give the verdicts on the articles from ``begin`` to ``end``."""
        if begin < end:
            reader.learn_many(self.articles[begin:end], Verdicts(self.interesting[begin:end], np.ones(end - begin)))


@pytest.fixture(scope="module")
def arrived(pieces) -> Arrived:
    return Arrived(pieces)


@pytest.mark.parametrize("verdicts", [3, TAUGHT])
def test_deciding_does_not_change_the_model(taught: Taught, pieces, verdicts: int) -> None:
    pipeline = taught() if verdicts == TAUGHT else after_verdicts(make(), pieces[:verdicts])
    before = pack(pipeline.reader.state())
    first = [bits(pipeline.decide(piece, at=AT)) for piece in pieces[80:100]]
    assert pack(pipeline.reader.state()) == before
    assert [bits(pipeline.decide(piece, at=AT)) for piece in pieces[80:100]] == first


def test_an_article_decided_twice_joins_the_stream_once(pieces) -> None:
    once, twice = make(), make()
    for piece in pieces[:30]:
        once.decide(piece, at=AT)
        twice.decide(piece, at=AT)
        twice.decide(piece, at=AT)
    assert pack(once.arrivals.state()) == pack(twice.arrivals.state())


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_batch_has_the_scores_of_single_articles_bit_for_bit(arrived: Arrived, classifier: str) -> None:
    reader = arrived.reader(classifier)
    known = 0
    for verdicts in (0, 3, 80):
        arrived.teach(reader, known, verdicts)
        known = verdicts
        batch = arrived.articles[80:140]
        expected = [float(reader.score_many([article])[0]) for article in batch]
        np.testing.assert_array_equal(reader.score_many(batch), expected)
        assert reader.score_many([]).tolist() == []
    assert reader.trained


def test_learning_a_batch_equals_learning_one_by_one_bit_for_bit(make_extractors, pieces) -> None:
    arrivals = ArticleFeatures(make_extractors())
    articles = arrivals.analyse_many(pieces[:60])

    def made() -> ReaderModel:
        return make_reader(arrivals.names, make_extractors(), "stacking")

    one_by_one, together = made(), made()
    verdicts = Verdicts(np.arange(60) % 3 == 0, np.where(np.arange(60) % 5 == 0, 1.5, 1.0))
    expected = [
        one_by_one.learn(article, liked, weight=weight)
        for article, liked, weight in zip(
            articles, verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True
        )
    ]
    scores = []
    for begin, end in ((0, 1), (1, 25), (25, 60)):
        part = Verdicts(verdicts.interesting[begin:end], verdicts.weights[begin:end])
        scores += together.learn_many(articles[begin:end], part).tolist()
    assert scores == expected
    assert pack(together.state()) == pack(one_by_one.state())
    assert together.score_many(articles).tolist() == [float(one_by_one.score_many([each])[0]) for each in articles]


def test_no_feature_of_an_article_changes_when_others_arrive_later(taught: Taught, pieces) -> None:
    """Over the whole registry: only verdicts move reader features, and nothing moves the others."""
    alone, followed = (after_verdicts(taught(), pieces[TAUGHT : TAUGHT + 5]) for _ in range(2))
    for piece in pieces[70:90]:
        alone.decide(piece, at=AT)
    for piece in (*pieces[70:90], *pieces[150:180]):
        followed.decide(piece, at=AT)
    for piece in (*pieces[TAUGHT : TAUGHT + 5], *pieces[70:90]):
        assert bits(alone.decide(piece, at=AT)) == bits(followed.decide(piece, at=AT))


def test_verdicts_do_not_affect_features_of_the_arrival(pieces) -> None:
    """Over the whole registry: contrary readers of one stream share document and stream features bit for bit."""
    pipelines = make(), make()
    shared = len(pipelines[0].arrivals.names)
    for number, piece in enumerate(pieces[:40]):
        first, second = (pipeline.decide(piece, at=AT).features[:shared].tobytes() for pipeline in pipelines)
        assert first == second
        for pipeline, label in zip(pipelines, (liked(number, piece), not liked(number, piece)), strict=True):
            pipeline.learn(piece, label, at=AT)
    assert pack(pipelines[0].arrivals.state()) == pack(pipelines[1].arrivals.state())


def test_learning_takes_reader_features_from_the_state_without_its_own_verdict(taught: Taught, pieces) -> None:
    """What the classifier is after_verdicts is what ``decide`` shows just before, whichever the label is."""
    for label in (True, False):
        pipeline = taught()
        seen = []
        learn_one = pipeline.reader.classifier.learn_one

        def listening(vector, interesting, weight, learn_one=learn_one, seen=seen):
            seen.append(vector.copy())
            return learn_one(vector, interesting, weight)

        pipeline.reader.classifier.learn_one = listening  # type: ignore[method-assign]
        shown = pipeline.decide(pieces[70], at=AT).features
        pipeline.learn(pieces[70], label, at=AT)
        assert [vector.tobytes() for vector in seen] == [shown.tobytes()]
        # And the verdict does teach: the same article looks different now.
        assert pipeline.decide(pieces[70], at=AT).features.tobytes() != shown.tobytes()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_restored_model_continues_as_the_original(arrived: Arrived, classifier: str) -> None:
    first, second = arrived.reader(classifier), arrived.reader(classifier)
    arrived.teach(first, 0, 60)
    second.restore(first.state())
    assert pack(second.state()) == pack(first.state())
    for number in range(60, 80):
        article, interesting = arrived.articles[number], bool(arrived.interesting[number])
        assert first.vector(article).tobytes() == second.vector(article).tobytes()
        np.testing.assert_array_equal(first.score_many([article]), second.score_many([article]))
        assert first.learn(article, interesting) == second.learn(article, interesting)
    assert pack(second.state()) == pack(first.state())


def test_a_restored_pipeline_continues_as_the_original(pieces) -> None:
    first, second = after_verdicts(make(), pieces[:TAUGHT]), make()
    second.arrivals.restore(first.arrivals.state())
    second.reader.restore(first.reader.state())
    thresholder(second).restore(thresholder(first).state())
    for number, piece in enumerate(pieces[TAUGHT:80]):
        assert bits(first.decide(piece, at=AT)) == bits(second.decide(piece, at=AT))
        first.learn(piece, liked(number, piece), at=AT)
        second.learn(piece, liked(number, piece), at=AT)
    assert pack(second.reader.state()) == pack(first.reader.state())
    assert pack(second.arrivals.state()) == pack(first.arrivals.state())


def test_late_verdicts_use_the_features_of_the_arrival(pieces) -> None:
    """Verdicts come in the order of the log; when articles arrived in between makes no difference."""
    prompt, late = make(), make()
    for piece in pieces[:50]:
        prompt.decide(piece, at=AT)
    order = [7, 3, 41, 12, 0, 33, 8, 25, 19, 48, 2, 30]
    for number in order:
        prompt.learn(pieces[number], number % 2 == 0, at=AT)
    for piece in pieces[:50]:
        late.decide(piece, at=AT)
    for piece in pieces[50:120]:
        late.decide(piece, at=AT)
    for number in order:
        late.learn(pieces[number], number % 2 == 0, at=AT)
    assert pack(prompt.reader.state()) == pack(late.reader.state())


def test_a_verdict_on_a_new_article_adds_it_to_the_stream(pieces) -> None:
    pipeline = make()
    pipeline.learn(pieces[0], True, at=AT)
    assert pipeline.reader.likes == 1
    decision = pipeline.decide(pieces[0], at=AT)
    assert decision.features[decision.names.index("rocchio")] == pytest.approx(1.0, abs=1e-6)


def test_a_verdict_of_double_weight_teaches_more(taught: Taught, pieces) -> None:
    once, heavy = after_verdicts(make(), pieces[:10]), after_verdicts(make(), pieces[:10], weight=2.0)
    assert (once.reader.likes, once.reader.dislikes) == (heavy.reader.likes, heavy.reader.dislikes)
    plain, light, strong = taught(), taught(), taught()
    light.learn(pieces[61], True, at=AT, weight=1.0)
    strong.learn(pieces[61], True, at=AT, weight=10.0)
    rocchio = light.reader.names.index("rocchio")
    likeness = [p.decide(pieces[61], at=AT).features[rocchio] for p in (plain, light, strong)]
    assert likeness[0] < likeness[1] < likeness[2]
    assert pack(light.reader.state()) != pack(strong.reader.state())


def test_the_classifier_scores_from_five_verdicts_of_each_kind_on(pieces) -> None:
    pipeline = make()
    for number in range(2 * MIN_VERDICTS):
        assert pipeline.decide(pieces[number], at=AT).threshold == 0.0
        assert not pipeline.reader.trained
        pipeline.learn(pieces[number], number % 2 == 0, at=AT)
    pipeline.decide(pieces[20], at=AT)
    assert pipeline.reader.trained
    vector = pipeline.reader.vector(frozen(pipeline, pieces[20]))
    assert pipeline.decide(pieces[20], at=AT).score == pipeline.reader.classifier.score_one(vector)


def test_the_fields_of_a_decision_are_consistent(taught: Taught, pieces) -> None:
    pipeline = taught()
    for piece in pieces[80:100]:
        decision = pipeline.decide(piece, at=AT)
        assert len(decision.names) == len(decision.features) == len(set(decision.names))
        assert decision.interesting == (decision.score >= decision.threshold)
        assert not np.isinf(decision.features).any()
        assert decision.posterior == pytest.approx(1 / (1 + np.exp(-decision.score)))
        assert decision.at == AT
