"""Subjectivity, polarity, intensity and the two kinds of speech events, by hand."""

from __future__ import annotations

from itertools import pairwise
from math import exp, isnan, sqrt
from pathlib import Path

import numpy as np
import pytest

from extractors.document import sentiment as module
from extractors.document.sentiment import (
    N_SLOTS,
    WEIGHTS,
    SentenceClassifier,
    SentenceScores,
    Sentiment,
    features_of,
    read,
    sentence_classifier,
    sentence_scores,
)
from extractors.document.style import SpeechEvents
from extractors.text.analysis import analyse, analyse_many
from extractors.text.frequencies import Frequencies
from extractors.text.sentences import body_sentences
from iscore.filtering.features.computation import ArticleFeatures


@pytest.fixture
def by_hand() -> SentenceScores:
    """Three articles: of two sentences, of none, of one."""
    return SentenceScores(
        article=np.array([0, 0, 2]),
        subjective=np.array([0.25, 0.75, 0.5]),
        positive=np.array([1.0, -0.5, 0.5]),
        speech=np.array([False, True, True]),
        counts=np.array([2.0, np.nan, 1.0]),
    )


def _values(article) -> dict[str, float]:
    values = Sentiment().extract(article, analyse(article, Frequencies()))
    return dict(zip(Sentiment.features, values, strict=True))


def test_the_formulas_by_hand(by_hand: SentenceScores) -> None:
    values = dict(zip(Sentiment.features, features_of(by_hand).T, strict=True))
    np.testing.assert_array_equal(values["subjectivity"], [0.5, np.nan, 0.5])
    # (0.25 · 1 − 0.75 · 0.5)/(1 + 0.25 + 0.75), and 0.5 · 0.5/(1 + 0.5)
    np.testing.assert_allclose(values["polarity"], [-0.0625, np.nan, 1 / 6])
    # (0.25 · 1 + 0.75 · 0.5)/2, and 0.5 · 0.5
    np.testing.assert_array_equal(values["intensity"], [0.3125, np.nan, 0.25])
    np.testing.assert_array_equal(values["speech_events_objective"], [0.125, np.nan, 0.5])
    np.testing.assert_array_equal(values["speech_events_subjective"], [0.375, np.nan, 0.5])


class TestArticles:
    def test_opinions_differ_from_reports(self, piece) -> None:
        report = _values(piece(text="The man leaves town. Two boys find him in the house of his brother."))
        opinion = _values(piece(text="This is a wonderful and moving film. It is never dull, and often funny."))
        assert report["subjectivity"] < 0.2
        assert opinion["subjectivity"] > 0.8
        assert opinion["intensity"] > 3 * report["intensity"]

    @pytest.mark.parametrize(
        ("text", "sign"),
        [
            ("The phone is a beautiful, powerful and honest piece of work. It is one of the best of the year.", 1.0),
            ("The phone is dull, tired and pointless. It is too bad that nobody tried to fix the mess.", -1.0),
        ],
    )
    def test_praise_differs_from_blame(self, piece, text: str, sign: float) -> None:
        values = _values(piece(text=text))
        assert sign * values["polarity"] > 0.3
        assert abs(values["polarity"]) <= values["intensity"] <= values["subjectivity"]

    def test_the_kinds_of_speech_add_up_to_speech_events(self, piece) -> None:
        article = piece(text="It rained. The mayor said it was a silly, dull idea. “We saw the boys,” she said. Fin.")
        values = _values(article)
        (both,) = SpeechEvents().extract(article, analyse(article, Frequencies()))
        assert both == 0.5
        assert values["speech_events_objective"] + values["speech_events_subjective"] == pytest.approx(both)
        fact = _values(piece(text="The mayor said that the boys leave town with his brother."))
        view = _values(piece(text="The mayor said it is too clever, too long and never funny."))
        assert fact["speech_events_objective"] > 0.8
        assert view["speech_events_subjective"] > 0.8

    @pytest.mark.parametrize(
        "odd",
        [
            {"title": "A wonderful film", "text": ""},
            {"text": "…!"},
            {"text": "Un film meraviglioso e commovente. Non è mai noioso.", "language": "it"},
            {"text": "En film som er god.", "language": "no"},
        ],
    )
    def test_all_are_missing_without_a_body_and_in_other_languages(self, piece, odd) -> None:
        assert all(isnan(value) for value in _values(piece(**odd)).values())

    def test_the_title_does_not_count(self, piece) -> None:
        text = "The man leaves town. Two boys find him."
        assert _values(piece(title="A wonderful film! Never dull!", text=text)) == _values(piece(title="", text=text))

    def test_each_sentence_is_scored_by_itself(self, piece) -> None:
        pages = ["This is a wonderful and moving film.", "The man leaves town."]
        apart = [sentence_scores(analyse_many([piece(text=page)], Frequencies())) for page in pages]
        together = sentence_scores(analyse_many([piece(text=" ".join(pages))], Frequencies()))
        assert together.subjective.tolist() == [float(one.subjective[0]) for one in apart]
        assert together.positive.tolist() == [float(one.positive[0]) for one in apart]


def test_sentences_of_wanted_bodies_are_found(piece) -> None:
    texts = analyse_many(
        [
            piece(title="Two words", text="One two three. “Four,” five. Six said so."),
            piece(title="Not wanted", text="One. Two."),
            piece(title="Title only", text=""),
            piece(title="", text="One two."),
        ],
        Frequencies(),
    )
    found = body_sentences(texts, np.array([True, False, True, True]))
    assert found.article.tolist() == [0, 0, 0, 3]
    assert found.speech.tolist() == [False, True, True, False]
    # Titles take the words 0–1, 10–11 and 14–15.
    assert found.starts.tolist() == [2, 5, 7, 16]
    assert found.ends.tolist() == [5, 7, 10, 18]


ALL_BITS = (1 << 64) - 1


def _word_hash(word: str) -> int:
    value = 0xCBF29CE484222325
    for character in word:
        value = (value ^ ord(character)) * 0x100000001B3 & ALL_BITS
    return value


def _place(key: int) -> tuple[int, int]:
    """The slot and tag of a feature, by arithmetic on whole numbers."""
    spread = key * 0x9E3779B97F4A7C15 & ALL_BITS
    return spread // 2**49, spread // 2**41 % 2**8


def _features(words: list[str]) -> list[int]:
    hashes = [_word_hash(word) for word in words]
    pairs = pairwise(hashes)
    return hashes + [(one * 0xC2B2AE3D27D4EB4F + other) & ALL_BITS for one, other in pairs]


def _sum(classifier: SentenceClassifier, question: int, words: list[str]) -> int:
    total = 0
    for key in _features(words):
        slot, tag = _place(key)
        weight, found = divmod(int(classifier.entries[slot, question]), 256)
        total += weight if found == tag else 0
    return total


def _words(*sentences: str):
    hashes = np.array([_word_hash(word) for sentence in sentences for word in sentence.split()], dtype=np.uint64)
    ends = np.cumsum([len(sentence.split()) for sentence in sentences])
    return hashes, np.concatenate([[0], ends[:-1]]), ends


SENTENCES = ("a wonderful and moving film", "the man leaves town", "zyxw vutsr", "not", "too bad it is not a good film")


def test_sums_and_leanings_are_those_of_a_plain_loop() -> None:
    classifier = sentence_classifier()
    sums, leanings = classifier.sums(*_words(*SENTENCES)), classifier.leanings(*_words(*SENTENCES))
    for number, sentence in enumerate(SENTENCES):
        words = sentence.split()
        for question in (0, 1):
            expected = _sum(classifier, question, words)
            assert sums[number, question] == expected
            odds = exp(float(classifier.units[question]) * expected / sqrt(len(words)))
            assert leanings[question, number] == pytest.approx((odds - 1) / (odds + 1), abs=1e-12)
    assert sums[0, 0] > 0 > sums[1, 0]
    assert sums[0, 1] > 0 > sums[4, 1]


def test_a_feature_with_another_tag_has_no_weight() -> None:
    entries = np.zeros((N_SLOTS, 2), dtype=np.int16)
    (slot, tag), (pair_slot, pair_tag) = _place(_word_hash("good")), _place(_features(["good", "film"])[2])
    entries[slot] = (-3 * 256 + tag, 5 * 256 + (tag + 1) % 256)
    entries[pair_slot] = (7 * 256 + pair_tag, 11 * 256 + pair_tag)
    sums = SentenceClassifier(entries, np.ones(2)).sums(*_words("good film", "film good", "good good"))
    assert sums.tolist() == [[4, 11], [-3, 0], [-6, 0]]


def test_the_tokeniser_s_words_are_the_classifier_s(piece) -> None:
    texts = analyse_many([piece(title="", text="A Wonderful and moving FILM.")], Frequencies())
    assert texts.word_hashes.tolist() == [_word_hash(word) for word in SENTENCES[0].split()]


def test_the_file_is_small() -> None:
    assert WEIGHTS.stat().st_size < 150_000


@pytest.fixture
def other_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The path from which the classifier is read in this test."""
    path = tmp_path / "weights.npz"
    monkeypatch.setattr(module, "WEIGHTS", path)
    sentence_classifier.cache_clear()
    yield path
    sentence_classifier.cache_clear()


def _truncated(path: Path) -> None:
    path.write_bytes(WEIGHTS.read_bytes()[:50_000])


def _flipped(path: Path) -> None:
    content = bytearray(WEIGHTS.read_bytes())
    content[70_000] ^= 1
    path.write_bytes(content)


def _no_archive(path: Path) -> None:
    path.write_text("404 not found")


def _other_names(path: Path) -> None:
    np.savez(path, weights=np.zeros(3))


def _other_shape(path: Path) -> None:
    classifier = read(WEIGHTS)
    np.savez(path, entries=classifier.entries[:, :1], units=classifier.units)


def _objects(path: Path) -> None:
    np.savez(path, entries=np.array([{}]), units=np.ones(2))


@pytest.mark.parametrize("damage", [_truncated, _flipped, _no_archive, _other_names, _other_shape, _objects])
def test_a_damaged_file_is_refused(other_weights: Path, damage) -> None:
    damage(other_weights)
    with pytest.raises(ValueError, match="is damaged, install iScore again"):
        sentence_classifier()


@pytest.mark.parametrize("damage", [None, _truncated])
def test_without_the_file_only_its_own_features_are_missing(other_weights: Path, damage, piece) -> None:
    from extractors import EXTRACTORS, Context

    if damage:
        damage(other_weights)
    made = {name: EXTRACTORS[name](Context()) for name in ("style", "speech_events", "affect", "neighbourhood")}
    features = ArticleFeatures(made)
    (article,) = features.analyse_many([piece(text="The mayor said that it rained on all of us today.")])
    missing = {name for name in features.names if np.isnan(article.value(name))}
    assert missing - set(made["neighbourhood"].features) == set(made["affect"].features)
    (reason,) = features.failures.reasons.values()
    assert "weights.npz" in reason


def test_an_article_in_another_language_does_not_read_the_file(other_weights: Path, piece) -> None:
    from extractors.document.sentiment import Sentiment

    texts = analyse_many([piece(text="Il sindaco ha detto che non piove.", language="it")], Frequencies())
    assert not other_weights.exists()
    assert np.isnan(Sentiment().extract_many([piece()], texts)).all()
