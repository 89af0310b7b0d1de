"""What every registered extractor promises. A new one is tested by being registered."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from extractors import EXTRACTORS, Context
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.document.style import Style
from extractors.extractor import DocumentExtractor, Extractor, ReaderExtractor, StreamExtractor, Verdicts
from extractors.text.analysis import analyse, analyse_many
from extractors.text.frequencies import Frequencies
from extractors.text.terms import TermVector
from iscore.filtering.features.factory import learning_context
from iscore.filtering.serialization import pack, unpack

NAMES = sorted(EXTRACTORS)
CONTEXT = learning_context(seed=7)


def _made(name: str) -> Extractor:
    return EXTRACTORS[name](CONTEXT)


DOCUMENT = [name for name in NAMES if isinstance(_made(name), DocumentExtractor)]
STREAM = [name for name in NAMES if isinstance(_made(name), StreamExtractor)]
READER = [name for name in NAMES if isinstance(_made(name), ReaderExtractor)]


def _same(one: object, other: object) -> bool:
    """Equal states: names, kinds, shapes and bits."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and one == other


def _bits(values: object) -> bytes:
    return np.asarray(values, dtype=np.float64).tobytes()


def _bytes(state: object) -> int:
    if isinstance(state, Mapping):
        return sum(map(_bytes, state.values()))
    if isinstance(state, np.ndarray):
        return state.nbytes
    if isinstance(state, list):
        return sum(map(_bytes, state))
    return len(state) if isinstance(state, str) else 8


def _ask(extractor: Extractor, document, text) -> list[float]:
    if isinstance(extractor, ReaderExtractor):
        return list(extractor.extract(_frozen(document, text)))
    return list(extractor.extract(document, text))


def _tell(extractor: Extractor, document, text, number: int) -> None:
    if isinstance(extractor, StreamExtractor):
        extractor.observe(document, text)
    elif isinstance(extractor, ReaderExtractor):
        extractor.learn(_frozen(document, text), number % 3 != 1, 1.0 + number % 2)


def _frozen(document, text) -> AnalysedArticle:
    """What reader scope is given; the measures of style vary with the article."""
    names = tuple(Style.features)
    return AnalysedArticle(document, text.terms, text.pairs, names, np.array(Style().extract(document, text)))


def _analysed(documents):
    frequencies = Frequencies()
    for document in documents:
        text = analyse(document, frequencies)
        frequencies.observe(text.terms)
        yield document, text


def test_feature_names_are_unique_over_the_registry() -> None:
    names = [feature for name in NAMES for feature in _made(name).features]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", NAMES)
class TestEveryExtractor:
    def test_has_one_scope_and_a_meaning_for_each_feature(self, name: str) -> None:
        extractor = _made(name)
        bases = {"document": DocumentExtractor, "stream": StreamExtractor, "reader": ReaderExtractor}
        assert isinstance(extractor, bases[extractor.scope])
        assert extractor.features
        assert tuple(extractor.meanings) == extractor.features
        assert all(1 <= len(phrase) <= 50 for phrase in extractor.meanings.values())

    def test_answers_before_and_while_learning_with_finite_numbers_or_missing(self, name: str, stream) -> None:
        extractor = _made(name)
        seen = []
        for number, (document, text) in enumerate(_analysed(stream)):
            values = _ask(extractor, document, text)
            assert len(values) == len(extractor.features)
            assert all(isinstance(value, float) and not math.isinf(value) for value in values)
            seen.append(values)
            _tell(extractor, document, text, number)
        assert np.isfinite(np.array(seen)[10:]).any(axis=0).all(), "a feature is never there"
        assert (np.nanstd(np.array(seen)[10:], axis=0) > 0).all(), "a feature never varies"

    def test_asking_changes_neither_state_nor_input(self, name: str, stream) -> None:
        extractor = _made(name)
        for number, (document, text) in enumerate(_analysed(stream)):
            before = extractor.state() if hasattr(extractor, "state") else {}
            terms = text.terms.to_bytes()
            first = _ask(extractor, document, text)
            assert _bits(_ask(extractor, document, text)) == _bits(first)
            assert _same(extractor.state() if hasattr(extractor, "state") else {}, before)
            assert text.terms.to_bytes() == terms
            _tell(extractor, document, text, number)
            assert text.terms.to_bytes() == terms

    @pytest.mark.parametrize(
        ("title", "text"),
        [
            ("", ""),
            ("!", "?!…"),
            ("日本銀行が金利を上げた", "東京は大きい。日本銀行が金利を上げた。"),
            ("ธนาคารกลาง", "ธนาคารกลางขึ้นดอกเบี้ย"),
            ("🎉🎉", "🎉 👩‍👩‍👧 🎉"),
            ("\ud800 lone", "half \udfff a pair \x00 and a nul"),
            ("x" * 300, "y" * 5000),
        ],
    )
    def test_survives_odd_articles_with_everything_missing(self, name: str, piece, stream, title, text) -> None:
        extractor = _made(name)
        odd = piece(
            title=title,
            text=text,
            url="",
            source="",
            site="",
            author="",
            categories=(),
            tags=(),
            language="",
            published=None,
            links=0,
            pictures=0,
        )
        for number, (document, analysis) in enumerate(_analysed([odd, *stream[:4], odd])):
            values = _ask(extractor, document, analysis)
            assert len(values) == len(extractor.features)
            assert not np.isinf(values).any()
            _tell(extractor, document, analysis, number)


@pytest.mark.parametrize("name", DOCUMENT + STREAM)
def test_a_batch_is_measured_like_its_articles_one_by_one(name: str, stream, piece) -> None:
    one_by_one, at_once = _made(name), _made(name)
    documents = [*stream[:25], piece(text="", title=""), *stream[25:]]
    expected = []
    for document, text in _analysed(documents):
        expected.append(_ask(one_by_one, document, text))
        _tell(one_by_one, document, text, 0)
    frequencies = Frequencies()
    got = []
    for part in (documents[:30], documents[30:]):
        texts = analyse_many(part, frequencies)
        got += list(at_once.follow(part, texts) if name in STREAM else at_once.extract_many(part, texts))
    assert _bits(got) == _bits(expected)
    if name in STREAM:
        assert _same(at_once.state(), one_by_one.state())


@pytest.mark.parametrize("name", DOCUMENT + STREAM)
def test_what_is_the_same_for_everybody_does_not_see_one_reader_s_tags(name: str, stream) -> None:
    plain, tagged = _made(name), _made(name)
    for number, (document, text) in enumerate(_analysed(stream)):
        bare = replace(document, tags=())
        assert _bits(_ask(tagged, document, text)) == _bits(_ask(plain, bare, text))
        _tell(tagged, document, text, number)
        _tell(plain, bare, text, number)


@pytest.mark.parametrize("name", STREAM + READER)
class TestEveryExtractorThatRemembers:
    def test_a_restored_twin_has_the_same_state_and_goes_on_bit_for_bit(self, name: str, stream) -> None:
        original, twin = _made(name), _made(name)
        for number, (document, text) in enumerate(_analysed(stream)):
            if number == 25:
                state = original.state()
                twin.restore(unpack(pack(dict(state))))  # as it is stored
                assert _same(twin.state(), state)
            if number >= 25:
                assert _bits(_ask(twin, document, text)) == _bits(_ask(original, document, text))
                _tell(twin, document, text, number)
            _tell(original, document, text, number)
        assert _same(twin.state(), original.state())

    def test_restoring_forgets_what_was_known_before(self, name: str, stream) -> None:
        extractor, fresh = _made(name), _made(name)
        empty = fresh.state()
        for number, (document, text) in enumerate(_analysed(stream)):
            _tell(extractor, document, text, number)
        assert not _same(extractor.state(), empty)
        extractor.restore(empty)
        assert _same(extractor.state(), empty)
        document, text = next(iter(_analysed(stream)))
        assert _bits(_ask(extractor, document, text)) == _bits(_ask(fresh, document, text))

    def test_the_state_handed_out_is_a_copy(self, name: str, stream) -> None:
        extractor = _made(name)
        articles = list(_analysed(stream))
        for number, (document, text) in enumerate(articles[:20]):
            _tell(extractor, document, text, number)
        handed, expected = extractor.state(), extractor.state()
        for number, (document, text) in enumerate(articles[20:], start=20):
            _tell(extractor, document, text, number)
        assert _same(handed, expected)

    def test_state_stays_small(self, name: str, stream) -> None:
        extractor = _made(name)
        articles = list(_analysed(stream))
        frozen = [_frozen(*each) for each in articles] if isinstance(extractor, ReaderExtractor) else []
        for number in range(6000):
            document, text = articles[number % len(articles)]
            document = replace(document, author=f"Author {number}")
            if isinstance(extractor, ReaderExtractor):
                article = replace(frozen[number % len(articles)], metadata=document)
                extractor.learn(article, number % 3 != 1, 1.0 + number % 2)
            else:
                _tell(extractor, document, text, number)
        assert _bytes(extractor.state()) < 5_000_000


@pytest.mark.parametrize("name", READER)
class TestEveryReaderExtractor:
    def test_many_at_once_equal_one_by_one(self, name: str, stream) -> None:
        extractor = _made(name)
        articles = list(_analysed(stream))
        batch = AnalysedBatch.of([_frozen(document, text) for document, text in articles])
        for number, (document, text) in enumerate(articles[:30]):
            if number in (0, 1, 2, 29):
                one_by_one = np.array([_ask(extractor, d, t) for d, t in articles])
                assert _bits(extractor.extract_many(batch)) == _bits(one_by_one)
            _tell(extractor, document, text, number)

    def test_following_verdicts_equals_extracting_and_learning_in_turn(self, name: str, stream, piece) -> None:
        in_turn, following = _made(name), _made(name)
        nothing = piece(title="", text="", source="", author="", categories=())
        articles = [_frozen(*each) for each in _analysed([*stream[:20], nothing, *stream[20:], nothing, *stream[:30]])]
        said = Verdicts(
            np.arange(len(articles)) % 3 == 2, np.where(np.arange(len(articles)) % 4 == 1, 2.5, 1.0).astype(np.float64)
        )
        expected = []
        for article, liked, weight in zip(articles, said.interesting.tolist(), said.weights.tolist(), strict=True):
            expected.append(list(in_turn.extract(article)))
            in_turn.learn(article, liked, weight)
        told = []
        cuts = [0, 1, 2, 22, 23, len(articles)]
        for begin, end in pairwise(cuts):
            part = Verdicts(said.interesting[begin:end], said.weights[begin:end])
            told += following.follow(AnalysedBatch.of(articles[begin:end]), part).tolist()
        assert _bits(told) == _bits(expected)
        assert _same(following.state(), in_turn.state())
        some = AnalysedBatch.of(articles[:9])
        assert _bits(following.extract_many(some)) == _bits(in_turn.extract_many(some))

    def test_no_articles_give_no_rows(self, name: str) -> None:
        extractor = _made(name)
        nobody = Verdicts(np.empty(0, dtype=np.bool_), np.empty(0))
        assert extractor.follow(AnalysedBatch.of([]), nobody).shape == (0, len(extractor.features))
        assert extractor.extract_many(AnalysedBatch.of([])).shape == (0, len(extractor.features))

    def test_learns_from_terms_read_back_from_storage(self, name: str, stream) -> None:
        fresh, stored = _made(name), _made(name)
        for number, (document, text) in enumerate(_analysed(stream[:10])):
            frozen = _frozen(document, text)
            read = replace(
                frozen,
                terms=TermVector.from_bytes(text.terms.to_bytes()),
                pairs=np.frombuffer(text.pairs.tobytes(), dtype="<i4"),
            )
            assert _bits(stored.extract(read)) == _bits(_ask(fresh, document, text))
            stored.learn(read, number % 3 != 1, 1.0 + number % 2)
            _tell(fresh, document, text, number)
        assert _same(stored.state(), fresh.state())

    def test_likes_raise_and_dislikes_lower_the_next_value(self, name: str, stream) -> None:
        articles = [(document, text) for document, text in _analysed(stream) if document.author and document.categories]
        document, text = articles[0]
        other, other_text = articles[1]

        def after(interesting: bool) -> float:
            extractor = _made(name)
            for number in range(6):
                extractor.learn(_frozen(document, text), interesting, 1.0)
                extractor.learn(_frozen(other, other_text), not interesting if number < 5 else True, 1.0)
            return float(extractor.extract(_frozen(document, text))[0])

        assert after(interesting=True) > after(interesting=False)


def test_a_megabyte_of_new_words_is_measured_within_three_seconds(piece) -> None:
    words = " ".join(f"w{number:x}ation" for number in range(90_000))
    huge = piece(title="Dump", text=words)
    start = time.process_time()
    for document, text in _analysed([huge]):
        for name in NAMES:
            extractor = _made(name)
            _ask(extractor, document, text)
            _tell(extractor, document, text, 0)
    assert len(words) > 1_000_000
    assert time.process_time() - start < 3.0


def _shouted(_: Context) -> Extractor:
    class Shouting(DocumentExtractor):
        """An extractor of somebody else's."""

        features = ("exclamations",)
        meanings: Mapping[str, str] = {"exclamations": "shouted"}

        def extract(self, document, text):  # noqa: ARG002
            return [float(document.text.count("!"))]

    return Shouting()


def test_an_extension_passes_through_the_same_door(monkeypatch: pytest.MonkeyPatch, piece, stream) -> None:
    monkeypatch.setitem(EXTRACTORS, "shouting", _shouted)
    suite = TestEveryExtractor()
    suite.test_has_one_scope_and_a_meaning_for_each_feature("shouting")
    suite.test_asking_changes_neither_state_nor_input("shouting", stream)
    document, text = next(iter(_analysed([piece(text="Stop! Now!")])))
    assert _ask(_made("shouting"), document, text) == [2.0]
