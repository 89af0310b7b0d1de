"""What an extractor's process is told arrives as it was, and nothing that is read can run anything."""

from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import extractors
import iscore
import storage
from extractors.article_features import AnalysedBatch
from extractors.text.analysis import analyse_many
from extractors.text.frequencies import Frequencies
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.serialization import StateError, pack
from iscore.plugins.carried import carried_article, carried_batch, carried_documents
from iscore.plugins.letters import Introduction, Request, read, written

READS_CODE = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle"}


def plain(value: Any) -> Any:
    """Values as they can be compared: arrays with their types, sequences of any kind alike."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if is_dataclass(value):
        told = [field.name for field in fields(value) if not field.name.startswith("_")]
        return (type(value), {name: plain(getattr(value, name)) for name in told})
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


@pytest.fixture
def letters(make_extractors, pieces) -> dict[str, Introduction | Request]:
    articles = ArticleFeatures(make_extractors()).analyse_many(pieces[:20])
    texts = analyse_many(pieces[:20], Frequencies())
    documents = carried_documents(pieces[:20])
    batch = carried_batch(AnalysedBatch.of(articles), 3, 9)
    _ = batch.terms.vocabulary  # worked out here, and not told
    state = {"is": "state", "seen": np.arange(3), "names": ["a"], "at": {"is": 1}}
    return {
        "introduction": Introduction(
            ("name", "package:maker", "group"), "iscore.filtering.features.factory:learning_context", ("/a",)
        ),
        "make": Request("make", 1, (7,), 20.0, (2, 3)),
        "values": Request("values", 1, (documents, texts), 0.5),
        "one": Request("extract", 1, (documents[0], texts[4]), 0.5),
        "batch": Request("values", 1, (batch,), 1.0),
        "learn": Request("learn", 1, (carried_article(articles[0]), True, 0.25), 1.0),
        "evidence": Request("evidence", 1, (articles[1].terms,), 1.0),
        "restore": Request("restore", 1, (state,), 1.0),
    }


@pytest.mark.parametrize("about", ["introduction", "make", "values", "one", "batch", "learn", "evidence", "restore"])
def test_a_letter_arrives_as_it_was(letters: dict[str, Any], about: str) -> None:
    sent = letters[about]
    came = read(written(sent))
    if about == "restore":
        (state,), (arrived,) = sent.about, came.about
        assert arrived["seen"].tolist() == state["seen"].tolist()
        assert {**arrived, "seen": 0} == {**state, "seen": 0}
    else:
        assert plain(came) == plain(sent)


def test_times_keep_their_zone_and_arrays_can_be_written(letters: dict[str, Any]) -> None:
    documents, texts = read(written(letters["values"])).about
    assert isinstance(documents[0].arrived, datetime)
    assert documents[0].arrived.utcoffset() is not None
    assert texts.word_hashes.flags.writeable  # compiled code is made anew for arrays that are not
    assert texts.word_hashes.dtype == np.uint64


def test_what_cannot_be_carried_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        written(Request("extract", 1, (object(),), 1.0))


@pytest.mark.parametrize("told", [{"is": "Path"}, {"is": "Popen", "args": ["true"]}, {"name": 1}])
def test_nothing_else_is_made(told: dict[str, Any]) -> None:
    with pytest.raises(StateError):
        read(pack(told))


def test_no_module_of_the_house_reads_what_could_run() -> None:
    found = []
    for package in (iscore, extractors, storage):
        for file in Path(str(package.__file__)).parent.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                found += [f"{file}: {name}" for name in names if name.split(".")[0] in READS_CODE]
                if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                    assert isinstance(node.value, ast.Constant), file
                    assert node.value.value is False, file
    assert found == []
