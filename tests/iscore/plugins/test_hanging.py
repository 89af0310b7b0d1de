"""An extractor of another package that hangs, in every way and at every verb, is stopped once and then left out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from extractors import Extractor, published
from extractors.article_features import AnalysedBatch
from extractors.extractor import Verdicts
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.features.factory import load_extractors
from iscore.filtering.features.fault_isolation import ApartError
from iscore.filtering.serialization import StateError, pack, unpack
from iscore.plugins import process, proxies
from tests.iscore.plugins.hanging import WAYS, publish

LIMIT = 0.5
STOPPED = "took longer than 0.5 s and was stopped"
WELL = ("document_well", "stream_well", "reader_well")
HANGING = (
    *(f"document_extract_{way}" for way in WAYS),
    *("stream_extract_asleep", "stream_observe_for_ever", "stream_state_asleep", "stream_restore_for_ever"),
    *("reader_extract_searching", "reader_learn_asleep", "reader_state_for_ever", "reader_evidence_compiled"),
    *("reader_learn_for_ever", "absent_1", "reader_restore_asleep"),
)


def reason(name: str) -> str:
    return "its process has died" if name.endswith("dead") else STOPPED


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., dict[str, Extractor]]]:
    """Publishes extractors, and makes each of them with the limit, or with plenty of time if it is well."""
    publish(tmp_path, *HANGING, *WELL)
    monkeypatch.syspath_prepend(tmp_path)
    entries = {entry.name: entry for entry in published().entries}

    def make(*names: str) -> dict[str, Extractor]:
        seconds = {name: LIMIT if name in HANGING else 60.0 for name in names}
        return {
            name: proxies.make(entries[name], "iscore.filtering.features.factory:learning_context", 7, seconds[name])
            for name in names
        }

    yield make
    process.end_all()


def test_what_hangs_in_any_way_is_missing_and_all_else_is_measured(made, pieces) -> None:
    names = [f"document_extract_{way}" for way in WAYS]
    began = time.monotonic()

    def alone(name: str) -> tuple[ArticleFeatures, list[float]]:
        features = ArticleFeatures(made(name, "document_well"))
        articles = features.analyse_many(pieces[:300])  # in three portions
        assert [article.value("document_well") > 0 for article in articles] == [True] * 300
        return features, [article.value(name) for article in articles]

    with ThreadPoolExecutor(len(names)) as threads:  # none of them is the main thread
        for name, (features, values) in zip(names, threads.map(alone, names), strict=True):
            assert np.isnan(values).all(), name
            assert features.failures.reasons == {name: reason(name)}
            # Asked again by somebody else it costs nothing any more.
            again = ArticleFeatures(made(name))
            asked = time.monotonic()
            assert np.isnan(again.analyse(pieces[0]).value(name))
            assert time.monotonic() - asked < LIMIT
            assert again.failures.reasons == {name: reason(name)}
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("name", ["stream_extract_asleep", "stream_observe_for_ever"])
def test_a_stream_extractor_that_hangs(made, pieces, name: str) -> None:
    features = ArticleFeatures(made(name, "stream_well"))
    articles = features.analyse_many(pieces[:200])
    assert [article.value("stream_well") for article in articles] == list(range(200))
    assert np.isnan([article.value(name) for article in articles]).all()
    assert features.failures.reasons == {name: STOPPED}
    assert set(features.state()["extractors"]) == {"stream_well"}


def test_a_stream_extractor_that_hangs_over_its_memory(made, pieces) -> None:
    names = ("stream_state_asleep", "stream_restore_for_ever", "stream_well")
    features = ArticleFeatures(made(*names))
    features.analyse_many(pieces[:5])
    state = unpack(pack(features.state()))
    assert features.failures.reasons == {"stream_state_asleep": STOPPED}
    assert set(state["extractors"]) == {"stream_restore_for_ever", "stream_well"}
    again = ArticleFeatures(made(*names))
    again.restore(state)
    article = again.analyse(pieces[5])
    assert article.value("stream_well") == 5.0
    assert np.isnan([article.value(name) for name in names[:2]]).all()
    assert again.failures.reasons == dict.fromkeys(names[:2], STOPPED)


def test_a_reader_extractor_that_hangs_at_any_verb(made, load_extractors, pieces) -> None:
    names = ("reader_extract_searching", "reader_learn_asleep", "reader_state_for_ever", "reader_evidence_compiled")
    articles = ArticleFeatures(load_extractors()).analyse_many(pieces[:140])
    features = ReaderFeatures(made(*names, "reader_well"))
    for article in articles[:3]:
        features.learn(article, True, 2.0)
    values = dict(zip(features.names, features.extract_many(AnalysedBatch.of(articles)).T.tolist(), strict=True))
    assert values["reader_well"] == [6.0] * 140
    assert np.isnan(values["reader_extract_searching"]).all()
    assert np.isnan(values["reader_learn_asleep"]).all()
    assert values["reader_state_for_ever"] == values["reader_evidence_compiled"] == [6.0] * 140
    assert features.evidence(articles[0]).tolist() == [12.0] * len(articles[0].terms)  # of two
    state = features.state()
    assert set(state) == {"reader_well"}
    assert features.failures.reasons == dict.fromkeys(names, STOPPED)
    # What cannot say what it has learned is learned again from the log; what goes well goes on.
    with pytest.raises(StateError, match="reader_extract_searching"):
        ReaderFeatures(made(names[0], "reader_well")).restore(state)
    well = ReaderFeatures(made("reader_well"))
    well.restore(unpack(pack(state)))
    assert well.extract(articles[0]).tolist() == [6.0]


def test_many_verdicts_are_learned_at_once_as_one_by_one(made, load_extractors, pieces) -> None:
    names = ("reader_learn_for_ever", "reader_well")
    batch = AnalysedBatch.of(ArticleFeatures(load_extractors()).analyse_many(pieces[:300]))
    verdicts = Verdicts(np.arange(300) % 3 == 0, np.linspace(0.5, 2.0, 300))
    one_by_one, at_once = ReaderFeatures(made("reader_well")), ReaderFeatures(made(*names))
    values = dict(zip(at_once.names, at_once.follow(batch, verdicts).T.tolist(), strict=True))
    expected = []
    for row in range(300):
        expected.append(float(one_by_one.extract(batch[row])[0]))
        one_by_one.learn(batch[row], bool(verdicts.interesting[row]), float(verdicts.weights[row]))
    assert values["reader_well"] == expected
    assert at_once.state() == one_by_one.state()
    assert np.isnan(values["reader_learn_for_ever"]).all()
    assert at_once.failures.reasons == {"reader_learn_for_ever": STOPPED}


def test_a_reader_extractor_that_hangs_when_it_is_given_its_state(made) -> None:
    features = ReaderFeatures(made("reader_restore_asleep"))
    with pytest.raises(StateError, match="reader_restore_asleep"):
        features.restore(features.state())
    assert features.failures.reasons == {"reader_restore_asleep": STOPPED}


def test_a_package_that_hangs_when_it_is_imported_is_left_out(made) -> None:
    for _ in range(2):
        with pytest.raises(ApartError, match=STOPPED):
            made("absent_1")


def test_everything_is_made_but_what_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, "absent_2", "document_well")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        loaded = load_extractors(seconds=3.0)
        assert loaded.failed == {"absent_2": "took longer than 3 s and was stopped"}
        assert list(loaded.extractors)[-1] == "document_well"
        assert isinstance(loaded.extractors["document_well"], proxies.DocumentProxy)
        began = time.monotonic()
        assert load_extractors(seconds=3.0).failed == loaded.failed
        assert time.monotonic() - began < 3.0
    finally:
        process.end_all()


def children() -> Mapping[int, str]:
    """The processes below this one, with their names."""
    found, waiting = {}, [os.getpid()]
    while waiting:
        number = waiting.pop()
        for child in Path(f"/proc/{number}/task/{number}/children").read_text().split():
            try:
                found[int(child)] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            waiting.append(int(child))
    return {number: line for number, line in found.items() if "iscore.plugins.host" in line}


def test_nothing_goes_on_when_it_has_been_stopped_or_all_has_ended(made, pieces) -> None:
    before = set(children())
    features = ArticleFeatures(made("document_extract_deaf", "document_extract_for_ever", "document_well"))
    assert len(set(children()) - before) == 4
    features.analyse(pieces[0])
    until = time.monotonic() + 10
    while len(set(children()) - before) > 2 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(set(children()) - before) == 2, "the host and what is well"
    process.end_all()
    while set(children()) - before and time.monotonic() < until:
        time.sleep(0.02)
    assert set(children()) == before
