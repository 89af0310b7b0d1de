"""A model that adapts to changes of interest: competing models, as a function of the log alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from extractors import Extractor
from extractors.article_features import AnalysedArticle
from extractors.base import Verdicts
from iscore.filtering import drift_adaptation
from iscore.filtering.decision.adaptive_threshold import AdaptiveThreshold
from iscore.filtering.drift_adaptation import DriftAdaptiveModel
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.model import ReaderModel
from iscore.filtering.serialization import pack, unpack
from iscore.learners import WeightedNaiveBayes
from tests.iscore.conftest import Archive, Piece
from tests.iscore.conftest import made_extractors as all_extractors

AT = datetime(2026, 3, 2, tzinfo=UTC)
TOPICS = ("oil tanker barrel refinery crude", "wheat maize harvest grain farm", "goal striker league match keeper")
BEFORE, AFTER = 300, 300
EXTRACTORS = ("length", "neighbourhood", "rocchio", "words_nb", "source_reputation")
"""Enough to tell topics: to learn a verdict with all of them takes several times as long."""


def made_extractors() -> dict[str, Extractor]:
    """Make those of each scope that tell topics."""
    return {name: each for name, each in all_extractors().items() if name in EXTRACTORS}


@pytest.fixture
def make_extractors() -> Callable[[], dict[str, Extractor]]:
    return made_extractors


def written(n: int) -> Iterator[tuple[Piece, int]]:
    """Articles on one of three topics each, in words of their topic and words of all."""
    random = np.random.default_rng(8)
    common = [f"word{number}" for number in range(200)]
    for number in range(n):
        topic = int(random.integers(len(TOPICS)))
        words = [*random.choice(TOPICS[topic].split(), 12), *random.choice(common, 30)]
        text = " ".join(random.permutation(words).tolist())
        yield Piece(str(number), text[:40], text, "", "wire", "", "", (), "en", AT, AT), topic


@pytest.fixture(scope="module")
def stream() -> tuple[list[AnalysedArticle], tuple[str, ...], list[int]]:
    arrivals = ArticleFeatures(made_extractors())
    pieces, topics = zip(*written(BEFORE + AFTER), strict=True)
    return arrivals.analyse_many(pieces), arrivals.names, list(topics)


@pytest.fixture
def make(stream, make_extractors: Callable[[], dict[str, Extractor]]) -> Callable[[], DriftAdaptiveModel]:
    """Return a function that makes a model that has learned nothing."""
    _, names, _ = stream
    return lambda: DriftAdaptiveModel(names, make_extractors, WeightedNaiveBayes, AdaptiveThreshold)


@pytest.fixture(scope="module")
def settled(stream) -> bytes:
    """The state of a model that has learned the interest before the change."""
    articles, names, topics = stream
    model = DriftAdaptiveModel(names, made_extractors, WeightedNaiveBayes, AdaptiveThreshold)
    model.learn_many(articles[:BEFORE], verdicts(changing(topics)[:BEFORE]))
    return pack(model.state())


@pytest.fixture
def make_settled(make, settled: bytes) -> Callable[[], DriftAdaptiveModel]:
    """Return a function that makes a model with that state."""

    def made() -> DriftAdaptiveModel:
        model = make()
        model.restore(unpack(settled))
        assert not model.adapting
        return model

    return made


@pytest.fixture
def short_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift_adaptation, "TRIAL", 150)


def right(model: ReaderModel, articles: list[AnalysedArticle], liked: list[bool]) -> list[bool]:
    """Judge and learn articles; return whether each was decided as the user would."""
    found = []
    for article, like in zip(articles, liked, strict=True):
        found.append(model.judge(article).interesting == like)
        model.learn(article, like)
    return found


def verdicts(liked: list[bool]) -> Verdicts:
    return Verdicts(np.array(liked), np.ones(len(liked)))


def changing(topics: list[int]) -> list[bool]:
    return [topic == (0 if number < BEFORE else 1) for number, topic in enumerate(topics)]


def test_without_a_change_it_equals_a_plain_model(make, stream, make_extractors) -> None:
    articles, names, topics = stream
    liked = [topic == 0 for topic in topics]
    model = make()
    plain = ReaderModel(names, make_extractors(), WeightedNaiveBayes(), AdaptiveThreshold())
    for article, like in zip(articles, liked, strict=True):
        assert model.learn(article, like) == plain.learn(article, like)
        assert model.threshold == plain.threshold
        assert not model.adapting
    assert pack({key: model.state()[key] for key in plain.state()}) == pack(plain.state())


def test_a_change_is_learned_sooner_than_by_a_plain_model(make_settled, stream, settled, make_extractors) -> None:
    articles, names, topics = stream
    liked = changing(topics)
    model = make_settled()
    plain = ReaderModel(names, make_extractors(), WeightedNaiveBayes(), AdaptiveThreshold())
    plain.restore(unpack(settled))
    before = articles[:60]
    assert [model.judge(each).interesting for each in before] == [plain.judge(each).interesting for each in before]
    ours = right(model, articles[BEFORE:], liked[BEFORE:])
    others = right(plain, articles[BEFORE:], liked[BEFORE:])
    assert model.adapting
    assert sum(ours) > sum(others)
    assert np.mean(ours[50:]) > 0.95


def test_the_other_models_are_dropped_after_the_trial(make_settled, stream, short_trial) -> None:
    articles, _, topics = stream
    model = make_settled()
    adapting = [False] * BEFORE
    for article, like in zip(articles[BEFORE:], changing(topics)[BEFORE:], strict=True):
        model.learn(article, like)
        adapting.append(model.adapting)
    began = adapting.index(True)
    assert BEFORE <= began < BEFORE + 40
    assert adapting[began : began + 150] == [True] * 150
    assert not adapting[began + 150]
    # It is the second memory that stayed: the first has learned every verdict, this one only those since.
    assert model.features.state()["rocchio"]["weights"].sum() == BEFORE + AFTER - began - 1


def test_wrong_verdicts_do_not_lose_the_old_interests(make_settled, stream) -> None:
    articles, _, topics = stream
    model = make_settled()
    wrong = range(BEFORE, BEFORE + 60)
    liked = [(topic == 0) != (number in wrong) for number, topic in enumerate(topics)]
    found = right(model, articles[BEFORE:], liked[BEFORE:])
    assert model.adapting
    assert np.mean(found[90:]) > 0.95


def test_the_kept_copy_learns_nothing_until_wrong_verdicts_end_and_then_is_active(make_settled, stream) -> None:
    articles, _, topics = stream
    model = make_settled()
    end = BEFORE + 60
    liked = [(topic == 0) != (number in range(BEFORE, end)) for number, topic in enumerate(topics)]
    known = None
    for article, like in zip(articles[BEFORE:end], liked[BEFORE:end], strict=True):
        model.learn(article, like)
        if model.adapting and known is None:
            known = pack(model.state()["others"]["kept"])
    state = model.state()
    assert known is not None
    assert state["speaks"] != "kept"
    assert pack(state["others"]["kept"]) == known
    found = right(model, articles[end:], liked[end:])
    assert np.mean(found[10:]) > 0.97
    state = model.state()
    assert state["speaks"] == "kept"
    # Less than all, and more than it had learned when it was kept.
    weight = state["features"]["rocchio"]["weights"].sum()
    assert unpack(known)["features"]["rocchio"]["weights"].sum() + 200 < weight < len(articles) - 50


def test_state_is_a_function_of_the_verdicts_and_continues_when_restored(make, stream, settled) -> None:
    """The models are made one after the other: each takes a hundred megabytes."""
    articles, _, topics = stream
    middle, end = BEFORE + 60, BEFORE + 120
    liked = changing(topics)[:end]

    def state_after(start: int, snapshot: bytes) -> bytes:
        model = make()
        if snapshot:
            model.restore(unpack(snapshot))
            assert pack(model.state()) == snapshot
        model.learn_many(articles[start:end], verdicts(liked[start:]))
        return pack(model.state())

    model = make()
    model.restore(unpack(settled))
    for number in range(BEFORE, middle):
        model.learn(articles[number], liked[number])
    snapshot = pack(model.state())
    for number in range(middle, end):
        model.learn(articles[number], liked[number])
    assert model.adapting
    state = pack(model.state())
    # A model that has two memories becomes one that has one.
    model.restore(unpack(settled))
    assert not model.adapting
    del model
    assert state == state_after(0, b"") == state_after(BEFORE, settled) == state_after(middle, snapshot)


def test_imported_items_reach_all_models(make_settled, stream) -> None:
    articles, _, topics = stream
    model = make_settled()
    model.learn_many(articles[BEFORE : BEFORE + 60], verdicts(changing(topics)[BEFORE : BEFORE + 60]))
    assert model.adapting
    before = model.state()
    model.learn_imported(replace(articles[-1]), weight=0.5)
    after = model.state()
    assert len(before["others"]) == 2
    for old, new in [(before, after), *((before["others"][role], new) for role, new in after["others"].items())]:
        assert new["features"]["rocchio"]["weights"][1] == old["features"]["rocchio"]["weights"][1] + 0.5
    assert after["imported"] == before["imported"] + 1


def test_the_setting_makes_a_model_of_its_own_kind_and_snapshot(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Archive(tmp_path / "plain").news.models
    assert type(plain.new_model()) is ReaderModel
    monkeypatch.setenv("ISCORE_FOLLOW_CHANGES", "true")
    following = Archive(tmp_path / "following").news.models
    assert type(following.new_model()) is DriftAdaptiveModel
    assert plain.fingerprint != following.fingerprint


def test_the_second_model_has_the_classifier_and_no_profiles(make, make_settled, stream) -> None:
    articles, _, topics = stream
    model = make_settled()
    for article, like in zip(articles[BEFORE:], changing(topics)[BEFORE:], strict=True):
        model.learn(article, like)
        if model.adapting:
            break
    state = model.state()
    other = state["others"]["second"]
    assert pack(other["classifier"]) == pack(state["classifier"])
    assert pack(other["features"]) == pack(make().features.state())
    assert pack(other["thresholder"]) == pack(AdaptiveThreshold().state())
    assert state["features"]["rocchio"]["weights"].sum() > BEFORE


def test_a_change_during_a_trial_restarts_it(make, stream) -> None:
    articles, _, topics = stream
    model = make()
    slips = range(BEFORE - 60, BEFORE - 58)
    liked = [like != (number in slips) for number, like in enumerate(changing(topics))]
    trials = {}
    model.learn_many(articles[: slips.start], verdicts(liked[: slips.start]))
    for number in range(slips.start, BEFORE + 50):
        model.learn(articles[number], liked[number])
        if number in (BEFORE - 1, BEFORE + 40):
            assert model.adapting
            trials[number] = model.state()["trial"]
    assert trials[BEFORE - 1] > 40
    assert trials[BEFORE + 40] <= 40
