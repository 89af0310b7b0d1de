"""From text to numbers: one extractor's fault costs its own features, in every scope and in every way of failing.

The failing extractors are defined here, and join by the same door as all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import pytest

from extractors import Extractor
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, DocumentExtractor, ReaderExtractor, StreamExtractor, Verdicts
from extractors.reader.reputation import SourceReputation
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.serialization import pack, unpack

Answer = Callable[[], Sequence[float]]


def raises() -> Sequence[float]:
    raise RuntimeError("out of luck")


FAULTS: dict[str, Answer] = {
    "raises": raises,
    "too many": lambda: [1.0, 2.0, 3.0],
    "too few": lambda: [1.0],
    "no numbers": lambda: ["one", "two"],  # type: ignore[list-item]
    "nothing": lambda: None,  # type: ignore[return-value]
}


class Odd:
    """Gives the answers that it was made with."""

    features = ("odd_one", "odd_two")
    meanings: ClassVar = {"odd_one": "odd", "odd_two": "odder"}

    def __init__(self, answer: Answer) -> None:
        self.answer = answer


class FaultyDocument(Odd, DocumentExtractor):
    def extract(self, *_):
        return self.answer()


class FaultyStream(Odd, StreamExtractor):
    def extract(self, *_):
        return self.answer()

    def observe(self, *_):
        raise RuntimeError("cannot look")

    def state(self):
        return {}

    def restore(self, _):
        pass


class FaultyReader(Odd, ReaderExtractor):
    def extract(self, _):
        return self.answer()

    def evidence(self, _):
        return self.answer()

    def learn(self, *_):
        raise RuntimeError("cannot learn")

    def state(self):
        return {}

    def restore(self, _):
        pass


def among(extractors: dict[str, Extractor], odd: Extractor) -> dict[str, Extractor]:
    """Put one more in the middle of the others."""
    names = list(extractors)
    return {name: extractors[name] for name in names[:4]} | {"odd": odd} | {n: extractors[n] for n in names[4:]}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", [FaultyDocument, FaultyStream])
def test_a_failing_extractor_costs_its_own_features_only(make_extractors, pieces, kind, fault: str) -> None:
    whole = ArticleFeatures(make_extractors())
    broken = ArticleFeatures(among(make_extractors(), kind(FAULTS[fault])))
    assert set(broken.names) == {*whole.names, "odd_one", "odd_two"}
    odd = [name in ("odd_one", "odd_two") for name in broken.names]
    for piece in pieces[:12]:
        expected, got = whole.analyse(piece), broken.analyse(piece)
        assert np.isnan(got.values[odd]).all()
        others = dict(zip(broken.names, got.values, strict=True))
        assert np.array([others[name] for name in whole.names]).tobytes() == expected.values.tobytes()
        assert got.terms.to_bytes() == expected.terms.to_bytes()
    assert list(broken.failures.reasons) == ["odd"]
    assert whole.failures.reasons == {}


def test_the_reason_of_a_failure_is_kept(make_extractors, pieces) -> None:
    features = ArticleFeatures(among(make_extractors(), FaultyDocument(raises)))
    features.analyse(pieces[0])
    assert features.failures.reasons == {"odd": "RuntimeError: out of luck"}
    features = ArticleFeatures(among(make_extractors(), FaultyDocument(FAULTS["too few"])))
    features.analyse(pieces[0])
    assert features.failures.reasons == {"odd": "ValueError: returned 1 values instead of 2"}


def test_what_cannot_observe_still_answers(make_extractors, pieces) -> None:
    features = ArticleFeatures(among(make_extractors(), FaultyStream(lambda: [0.25, 0.5])))
    values = dict(zip(features.names, features.analyse(pieces[0]).values.tolist(), strict=True))
    assert (values["odd_one"], values["odd_two"]) == (0.25, 0.5)
    assert features.failures.reasons == {"odd": "RuntimeError: cannot look"}


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_value_that_is_no_number_is_missing(make_extractors, pieces, value: float) -> None:
    arrival = ArticleFeatures(among(make_extractors(), FaultyDocument(lambda: [value, 0.5])))
    article = arrival.analyse(pieces[0])
    values = dict(zip(arrival.names, article.values.tolist(), strict=True))
    assert math.isnan(values["odd_one"])
    assert values["odd_two"] == 0.5
    reader = ReaderFeatures({"odd": FaultyReader(lambda: [value, 0.5])})
    for answer in (reader.extract(article), reader.extract_many(AnalysedBatch.of([article]))[0]):
        assert math.isnan(answer[0])
        assert answer[1] == 0.5


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_reader_extractor_costs_its_own_features_only(make_extractors, pieces, fault: str) -> None:
    arrivals = ArticleFeatures(make_extractors())
    whole = ReaderFeatures(make_extractors())
    broken = ReaderFeatures(among(make_extractors(), FaultyReader(FAULTS[fault])))
    articles = [arrivals.analyse(piece) for piece in pieces[:12]]
    for number, article in enumerate(articles[:8]):
        whole.learn(article, number % 2 == 0, 1.0)
        broken.learn(article, number % 2 == 0, 1.0)
    assert broken.failures.reasons == {"odd": "RuntimeError: cannot learn"}
    odd = [name in ("odd_one", "odd_two") for name in broken.names]
    own = [broken.names.index(name) for name in whole.names]
    batch = AnalysedBatch.of(articles)
    many, expected_many = broken.extract_many(batch), whole.extract_many(batch)
    for row, article in enumerate(articles):
        one = broken.extract(article)
        assert np.isnan(one[odd]).all()
        assert one[own].tobytes() == whole.extract(article).tobytes()
        assert many[row].tobytes() == one.tobytes()
        assert expected_many[row].tobytes() == one[own].tobytes()
    assert list(broken.failures.reasons) == ["odd"]
    assert broken.failures.reasons["odd"] != "RuntimeError: cannot learn"


class Refusing(SourceReputation):
    """A batch extractor that cannot learn about one source."""

    def extract_and_learn(self, articles, verdicts):
        if any(article.id.endswith("3") for article in articles.metadata):
            raise RuntimeError("cannot learn")
        return super().extract_and_learn(articles, verdicts)


@pytest.mark.parametrize("odd", [lambda: FaultyReader(FAULTS["raises"]), Refusing])
def test_verdicts_in_a_batch_are_learned_like_one_by_one_whatever_fails(make_extractors, pieces, odd) -> None:
    articles = ArticleFeatures(make_extractors())
    in_turn, together = (ReaderFeatures(with_reputation(make_extractors(), odd())) for _ in range(2))
    batch = AnalysedBatch.of([articles.analyse(piece) for piece in pieces[:12]])
    verdicts = Verdicts(np.arange(12) % 3 == 0, np.ones(12))
    expected = [
        in_turn.extract_and_learn(
            AnalysedBatch.of([batch[row]]),
            Verdicts(verdicts.interesting[row : row + 1], verdicts.weights[row : row + 1]),
        )
        for row in range(12)
    ]
    assert together.extract_and_learn(batch, verdicts).tobytes() == np.concatenate(expected).tobytes()
    assert pack(together.state()) == pack(in_turn.state())
    assert list(together.failures.reasons) == ["odd"] == list(in_turn.failures.reasons)


def with_reputation(extractors: dict[str, Extractor], odd: Extractor) -> dict[str, Extractor]:
    """Put one in the place of the reputation of sources."""
    return {name: each for name, each in extractors.items() if name != "source_reputation"} | {"odd": odd}


def test_without_any_extractor_there_are_no_values(pieces) -> None:
    arrivals, reader = ArticleFeatures({}), ReaderFeatures({})
    article = arrivals.analyse(pieces[0])
    assert (arrivals.names, reader.names) == ((), ())
    assert article.values.shape == (0,)
    assert reader.extract(article).shape == (0,)
    assert reader.extract_many(AnalysedBatch.of([article, article])).shape == (2, 0)


def test_arrival_features_go_on_where_their_state_was_taken(make_extractors, pieces) -> None:
    first, second = ArticleFeatures(make_extractors()), ArticleFeatures(make_extractors())
    for piece in pieces[:40]:
        first.analyse(piece)
    second.restore(unpack(pack(first.state())))
    for piece in pieces[40:60]:
        one, other = first.analyse(piece), second.analyse(piece)
        assert one.values.tobytes() == other.values.tobytes()
        assert one.terms.to_bytes() == other.terms.to_bytes()
    fresh = ArticleFeatures(make_extractors())
    assert fresh.analyse(pieces[59]).values.tobytes() != one.values.tobytes()


def test_articles_in_one_go_are_frozen_like_one_by_one(make_extractors, pieces) -> None:
    one_by_one, at_once = ArticleFeatures(make_extractors()), ArticleFeatures(make_extractors())
    many = [*at_once.analyse_many(pieces[:150]), *at_once.analyse_many([]), *at_once.analyse_many(pieces[150:170])]
    assert len(many) == 170
    for piece, article in zip(pieces[:170], many, strict=True):
        alone = one_by_one.analyse(piece)
        assert article.metadata is piece
        assert article.values.tobytes() == alone.values.tobytes()
        assert article.terms.to_bytes() == alone.terms.to_bytes()
        assert article.pairs.tobytes() == alone.pairs.tobytes()


def test_an_extractor_that_an_old_state_does_not_know_starts_afresh(make_extractors, pieces) -> None:
    old = make_extractors()
    del old["neighbourhood"]
    before = ArticleFeatures(old)
    for piece in pieces[:10]:
        before.analyse(piece)
    after = ArticleFeatures(make_extractors())
    after.restore(before.state())
    shared = dict(zip(before.names, before.analyse(pieces[10]).values.tolist(), strict=True))
    values = dict(zip(after.names, after.analyse(pieces[10]).values.tolist(), strict=True))
    np.testing.assert_array_equal([values[name] for name in shared], list(shared.values()))
    assert after.failures.reasons == {}


@pytest.mark.parametrize("fault", FAULTS)
def test_failing_evidence_is_none(make_extractors, pieces, fault: str) -> None:
    article = ArticleFeatures(make_extractors()).analyse(pieces[0])
    odd = ReaderFeatures({"odd": FaultyReader(FAULTS[fault])})
    np.testing.assert_array_equal(odd.evidence(article), np.zeros(len(article.terms)))
    assert list(odd.failures.reasons) == ["odd"]
    odd = ReaderFeatures({"odd": FaultyReader(lambda: [math.inf] * len(article.terms))})
    np.testing.assert_array_equal(odd.evidence(article), np.zeros(len(article.terms)))


def test_evidence_adds_up_over_extractors(make_extractors, pieces) -> None:
    arrivals = ArticleFeatures(make_extractors())
    articles = [arrivals.analyse(piece) for piece in pieces[:30]]
    extractors = make_extractors()
    both = ReaderFeatures(extractors)
    for number, article in enumerate(articles):
        both.learn(article, number % 3 == 0, 1.0)
    expected = sum(
        extractor.evidence(articles[0].terms)
        for extractor in extractors.values()
        if isinstance(extractor, BatchReaderExtractor)
    )
    np.testing.assert_array_equal(both.evidence(articles[0]), expected)
    assert np.any(both.evidence(articles[0]) != 0)


def test_an_extractor_may_write_extract_many_over_the_base_class_for_one_article(pieces) -> None:
    class Questions(DocumentExtractor):
        features: ClassVar = ("questions",)
        meanings: ClassVar = {"questions": "asks"}

        def extract_many(self, documents, texts):  # noqa: ARG002 -- the base class's parameters
            return np.array([[float(document.text.count("?"))] for document in documents])

    class Verdict(ReaderExtractor):
        features: ClassVar = ("verdicts",)
        meanings: ClassVar = {"verdicts": "many verdicts"}
        count = 0

        def extract_many(self, articles):
            return np.full((len(articles), 1), float(self.count))

        def learn(self, article, interesting, weight):  # noqa: ARG002 -- the base class's parameters
            self.count += 1

        def state(self):
            return {"count": self.count}

        def restore(self, state):
            self.count = state["count"]

    articles, reader = ArticleFeatures({"questions": Questions()}), ReaderFeatures({"verdicts": Verdict()})
    batch = AnalysedBatch.of(articles.analyse_many(pieces[:5]))
    assert batch.values[:, 0].tolist() == [float(piece.text.count("?")) for piece in pieces[:5]]
    assert reader.extract_and_learn(batch, Verdicts(np.ones(5, dtype=np.bool_), np.ones(5)))[:, 0].tolist() == [
        *(0.0, 1.0, 2.0, 3.0, 4.0)
    ]
    assert (articles.failures.reasons, reader.failures.reasons) == ({}, {})
