"""No feature depends on the article's own verdict or on later articles: for every registered extractor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from extractors import EXTRACTORS, Extractor
from extractors.base import BatchReaderExtractor, BatchStreamExtractor
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import learning_context
from iscore.filtering.model import ReaderModel
from iscore.learners import KernelNaiveBayes

NOW = 30
"""The article that is tested; as many follow."""


def made(name: str) -> Extractor:
    return EXTRACTORS[name](learning_context(seed=7))


READER = [name for name in EXTRACTORS if isinstance(made(name), BatchReaderExtractor)]
ARRIVAL = [name for name in EXTRACTORS if name not in READER]


class Listener(KernelNaiveBayes):
    """A classifier that records what it learns."""

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        self.__dict__.setdefault("heard", []).append(x.copy())
        return super().learn_one(x, interesting, weight)


def frozen_values(extractor: Extractor, documents: Sequence[Any]) -> np.ndarray:
    """The values of each article at arrival, computed in one batch."""
    return np.array([article.values for article in ArticleFeatures({"one": extractor}).analyse_many(documents)])


def vectors_of(names: Sequence[str], documents: Sequence[Any], labels: Sequence[bool]) -> np.ndarray:
    """The vectors from which a reader's classifier learned these verdicts, one after the other."""
    extractors = {name: made(name) for name in EXTRACTORS}
    arrivals = ArticleFeatures(extractors)
    listener = Listener()
    chosen = {name: extractors[name] for name in names}
    model = ReaderModel(arrivals.names, chosen, listener)
    for article, interesting in zip(arrivals.analyse_many(documents), labels, strict=True):
        model.learn(article, interesting)
    return np.array(listener.__dict__["heard"])[:, len(arrivals.names) :]


@pytest.mark.parametrize("name", ARRIVAL)
def test_features_of_the_arrival_do_not_depend_on_later_articles(name: str, pieces) -> None:
    before = pieces[: NOW + 1]
    one = frozen_values(made(name), [*before, *pieces[NOW + 1 : 2 * NOW]])
    other = frozen_values(made(name), [*before, *reversed(pieces[2 * NOW : 3 * NOW])])
    alone = frozen_values(made(name), before)
    assert one[: NOW + 1].tobytes() == other[: NOW + 1].tobytes() == alone.tobytes()
    assert one[NOW + 1 :].tobytes() != other[NOW + 1 :].tobytes()


@pytest.mark.parametrize("name", READER)
def test_features_do_not_depend_on_their_own_or_later_verdicts(name: str, pieces) -> None:
    documents = [replace(piece, tags=(f"tag {number % 4}",)) for number, piece in enumerate(pieces[: 2 * NOW])]
    labels = [number % 3 == 0 for number in range(len(documents))]
    vectors = vectors_of([name], documents, labels)
    for changed in (NOW, NOW + 1):
        others = vectors_of([name], documents, [label != (number >= changed) for number, label in enumerate(labels)])
        assert others[: changed + 1].tobytes() == vectors[: changed + 1].tobytes()
    assert others.tobytes() != vectors.tobytes()


class Foresight(BatchStreamExtractor):
    """Uses the number of later articles, which must be detected."""

    features: ClassVar = ("ahead",)
    meanings: ClassVar = {"ahead": "many articles follow"}

    def extract_and_observe(self, documents, texts):  # noqa: ARG002 -- the base class's parameters
        return np.arange(len(documents), 0.0, -1.0).reshape(-1, 1)

    def state(self):
        return {}

    def restore(self, _):
        pass


def test_an_extractor_that_looks_ahead_is_detected(pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRACTORS, "foresight", lambda _: Foresight())
    with pytest.raises(AssertionError):
        test_features_of_the_arrival_do_not_depend_on_later_articles("foresight", pieces)
