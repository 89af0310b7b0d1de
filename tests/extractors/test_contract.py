"""What every registered extractor promises. A new one is tested by being registered."""

from __future__ import annotations

import doctest
import math
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

from extractors import (
    EXTRACTORS,
    AnalysedArticle,
    AnalysedBatch,
    BatchDocumentExtractor,
    BatchReaderExtractor,
    BatchStreamExtractor,
    DocumentExtractor,
    Extractor,
    Verdicts,
    analyse_many,
)
from extractors.document.style import Style
from extractors.text.frequencies import Frequencies
from extractors.text.terms import TermVector
from iscore.filtering.features.factory import learning_context
from iscore.filtering.serialization import pack, unpack

CONTEXT = learning_context(seed=7)
BASES = {"document": BatchDocumentExtractor, "stream": BatchStreamExtractor, "reader": BatchReaderExtractor}
SCOPES = {name: kind.scope for name, kind in EXTRACTORS.items()}
STATELESS, STREAM, READER = ([name for name in SCOPES if SCOPES[name] == scope] for scope in BASES)
ODD = (
    ("", ""),
    ("!", "?!…"),
    ("日本銀行が金利を上げた", "東京は大きい。日本銀行が金利を上げた。"),
    ("ธนาคารกลาง", "ธนาคารกลางขึ้นดอกเบี้ย"),
    ("🎉🎉", "🎉 👩‍👩‍👧 🎉"),
    ("\ud800 lone", "half \udfff a pair \x00 and a nul"),
    ("x" * 300, "y" * 5000),
)
NOTHING = {"url": "", "source": "", "site": "", "author": "", "categories": (), "tags": (), "language": ""}


def _made(name: str) -> Extractor:
    return EXTRACTORS[name](CONTEXT)


@pytest.fixture
def articles(stream, piece):
    """Forty usual articles, with odd ones among them that lack everything that may be missing."""
    odd = [piece(title=t, text=x, published=None, links=0, pictures=0, **NOTHING) for t, x in ODD]
    return [*odd[:2], *stream[:20], *odd, *stream[20:]]


def _analysed(documents) -> AnalysedBatch:
    """What reader scope receives; the features of style vary with the article."""
    texts = analyse_many(documents)
    styles = Style().extract_many(documents, texts)
    return AnalysedBatch(documents, texts.terms, texts.pairs, Style.features, styles)


def _verdicts(n: int) -> Verdicts:
    numbers = np.arange(n)
    return Verdicts(numbers % 3 == 2, np.where(numbers % 4 == 1, 2.5, 1.0))


def _part(verdicts: Verdicts, begin: int, end: int) -> Verdicts:
    return Verdicts(verdicts.interesting[begin:end], verdicts.weights[begin:end])


def _values(extractor: Extractor, documents, cuts=()) -> np.ndarray:
    """The features of consecutive articles, in batches that end at ``cuts``; whatever has a state learns them."""
    frequencies, analysed, verdicts = Frequencies(), _analysed(documents), _verdicts(len(documents))
    blocks = []
    for begin, end in pairwise((0, *cuts, len(documents))):
        if isinstance(extractor, BatchReaderExtractor):
            batch = AnalysedBatch.of([analysed[row] for row in range(begin, end)])
            blocks.append(extractor.extract_and_learn(batch, _part(verdicts, begin, end)))
        else:
            texts = analyse_many(documents[begin:end], frequencies)
            method = "extract_many" if isinstance(extractor, BatchDocumentExtractor) else "extract_and_observe"
            blocks.append(getattr(extractor, method)(documents[begin:end], texts))
    return np.concatenate(blocks)


def _bytes(state: object) -> int:
    if isinstance(state, Mapping):
        return sum(map(_bytes, state.values()))
    if isinstance(state, np.ndarray):
        return state.nbytes
    return sum(map(_bytes, state)) if isinstance(state, list) else len(state) if isinstance(state, str) else 8


def test_feature_names_are_unique_over_the_registry() -> None:
    names = [feature for name in EXTRACTORS for feature in _made(name).features]
    assert len(names) == len(set(names))


def _check_description(extractor: Extractor) -> None:
    assert isinstance(extractor, BASES[extractor.scope])
    assert extractor.features
    assert tuple(extractor.meanings) == extractor.features
    assert all(1 <= len(phrase) <= 50 for phrase in extractor.meanings.values())


@pytest.mark.parametrize("name", EXTRACTORS)
class TestEveryExtractor:
    def test_describes_its_features(self, name: str) -> None:
        extractor = _made(name)
        _check_description(extractor)
        assert tuple(extractor.low_value_meanings) == tuple(extractor.families) == extractor.features
        assert all(1 <= len(phrase) <= 50 for phrase in extractor.low_value_meanings.values())

    def test_has_an_example_that_runs(self, name: str) -> None:
        kind = type(_made(name))
        names = vars(import_module(kind.__module__))
        (found,) = doctest.DocTestFinder(recurse=False).find(kind, kind.__name__, globs=dict(names))
        assert found.examples
        assert doctest.DocTestRunner().run(found).failed == 0

    def test_gives_finite_numbers_or_missing_ones_and_they_vary(self, name: str, articles) -> None:
        extractor = _made(name)
        values = _values(extractor, articles)
        assert values.shape == (len(articles), len(extractor.features))
        assert values.dtype == np.float64
        assert not np.isinf(values).any()
        assert np.isfinite(values[10:]).any(axis=0).all(), "a feature is always missing"
        assert (np.nanstd(values[10:], axis=0) > 0).all(), "a feature never varies"

    def test_gives_the_same_in_batches_of_any_size(self, name: str, articles) -> None:
        whole, parts = _made(name), _made(name)
        cuts = (1, 2, 2, 22, 23)
        assert _values(whole, articles).tobytes() == _values(parts, articles, cuts).tobytes()
        if name not in STATELESS:
            assert pack(dict(whole.state())) == pack(dict(parts.state()))

    def test_does_not_change_its_input(self, name: str, articles) -> None:
        batch = _analysed(articles)
        before = [batch[row].terms.to_bytes() for row in range(len(batch))], batch.values.tobytes()
        extractor = _made(name)
        if isinstance(extractor, BatchReaderExtractor):
            extractor.extract_and_learn(batch, _verdicts(len(batch)))
            extractor.extract_many(batch)
        else:
            _values(extractor, articles)
        assert ([batch[row].terms.to_bytes() for row in range(len(batch))], batch.values.tobytes()) == before


@pytest.mark.parametrize("name", STATELESS)
def test_one_article_gives_its_row_of_a_batch(name: str, articles) -> None:
    texts = analyse_many(articles)
    extractor = _made(name)
    rows = [extractor.extract(article, texts[row]) for row, article in enumerate(articles)]
    assert np.array(rows).tobytes() == extractor.extract_many(articles, texts).tobytes()


@pytest.mark.parametrize("name", STATELESS + STREAM)
def test_features_for_all_users_do_not_depend_on_one_user_s_tags(name: str, articles) -> None:
    bare = [replace(article, tags=()) for article in articles]
    assert _values(_made(name), articles).tobytes() == _values(_made(name), bare).tobytes()


@pytest.mark.parametrize("name", STREAM + READER)
class TestEveryExtractorWithState:
    def test_a_restored_extractor_continues_bit_for_bit(self, name: str, articles) -> None:
        original, twin = _made(name), _made(name)
        empty = pack(dict(twin.state()))
        _values(original, articles[:25])
        stored = pack(dict(original.state()))
        _values(twin, articles[5:15])  # what it knew before does not matter
        assert pack(dict(twin.state())) != empty
        twin.restore(unpack(stored))
        assert pack(dict(twin.state())) == stored
        assert _values(twin, articles[25:]).tobytes() == _values(original, articles[25:]).tobytes()
        assert pack(dict(twin.state())) == pack(dict(original.state()))
        twin.restore(unpack(empty))
        assert pack(dict(twin.state())) == empty

    def test_the_state_is_a_copy(self, name: str, articles) -> None:
        extractor = _made(name)
        _values(extractor, articles[:20])
        state = extractor.state()
        before = pack(dict(state))
        _values(extractor, articles[20:])
        assert pack(dict(state)) == before

    def test_the_state_stays_small(self, name: str, stream) -> None:
        extractor = _made(name)
        texts, batch, verdicts = analyse_many(stream, Frequencies()), _analysed(stream), _verdicts(len(stream))
        for first in range(0, 6000, len(stream)):
            new = [replace(each, author=f"Author {n}", source=f"Paper {n}") for n, each in enumerate(stream, first)]
            if isinstance(extractor, BatchReaderExtractor):
                extractor.extract_and_learn(replace(batch, metadata=new), verdicts)
            else:
                extractor.extract_and_observe(new, texts)
        assert _bytes(extractor.state()) < 5_000_000


@pytest.mark.parametrize("name", READER)
class TestEveryReaderExtractor:
    def test_extract_changes_nothing_and_gives_what_learning_gives(self, name: str, articles) -> None:
        learned, in_turn = _made(name), _made(name)
        batch, verdicts = _analysed(articles), _verdicts(len(articles))
        expected = learned.extract_and_learn(batch, verdicts)
        for row in range(len(batch)):
            article = batch[row]
            before = pack(dict(in_turn.state())) if row % 10 == 5 else b""
            assert np.array(in_turn.extract(article)).tobytes() == expected[row].tobytes()
            if before:
                many = in_turn.extract_many(batch)
                assert many[row].tobytes() == expected[row].tobytes()
                assert pack(dict(in_turn.state())) == before
            in_turn.learn(article, bool(verdicts.interesting[row]), float(verdicts.weights[row]))
        assert pack(dict(in_turn.state())) == pack(dict(learned.state()))

    def test_an_empty_batch_gives_no_rows(self, name: str) -> None:
        extractor = _made(name)
        shape = (0, len(extractor.features))
        assert extractor.extract_and_learn(AnalysedBatch.of([]), _verdicts(0)).shape == shape
        assert extractor.extract_many(AnalysedBatch.of([])).shape == shape

    def test_learns_the_same_from_stored_articles(self, name: str, stream) -> None:
        fresh, stored = _made(name), _made(name)
        batch, verdicts = _analysed(stream[:10]), _verdicts(10)
        read = AnalysedBatch.of([_read_back(batch[row]) for row in range(10)])
        values = (fresh.extract_and_learn(batch, verdicts), stored.extract_and_learn(read, verdicts))
        assert values[0].tobytes() == values[1].tobytes()
        assert pack(dict(stored.state())) == pack(dict(fresh.state()))

    def test_likes_raise_and_dislikes_lower_the_next_value(self, name: str, stream) -> None:
        batch = _analysed([article for article in stream if article.author and article.categories][:2])

        def after(interesting: bool) -> float:
            extractor = _made(name)
            for number in range(6):
                extractor.learn(batch[0], interesting, 1.0)
                extractor.learn(batch[1], not interesting if number < 5 else True, 1.0)
            return float(extractor.extract(batch[0])[0])

        assert after(interesting=True) > after(interesting=False)


def _read_back(article: AnalysedArticle) -> AnalysedArticle:
    terms = TermVector.from_bytes(article.terms.to_bytes())
    return replace(article, terms=terms, pairs=np.frombuffer(article.pairs.tobytes(), dtype="<i4"))


class Shouting(DocumentExtractor):
    """An extractor of another package, with nothing but what it needs."""

    features = ("exclamations",)
    meanings: Mapping[str, str] = {"exclamations": "shouted"}

    def extract(self, document, text):  # noqa: ARG002 -- the base class's parameters
        return [float(document.text.count("!"))] if document.text else [math.nan]


def test_an_extractor_for_one_article_at_a_time_works_in_batches(stream, piece) -> None:
    _check_description(Shouting())
    documents = [*stream[:3], piece(text="Stop! Now!"), piece(text="")]
    values = Shouting().extract_many(documents, analyse_many(documents))
    np.testing.assert_array_equal(values[:, 0], [0.0, 0.0, 0.0, 2.0, np.nan])
