"""The sentence classifier against a plain one, and its file when it is missing or damaged."""

from __future__ import annotations

from itertools import pairwise
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pytest

from extractors.document import sentence_classifier as module
from extractors.document.sentence_classifier import N_SLOTS, WEIGHTS, SentenceClassifier, read, sentence_classifier
from extractors.text.analysis import analyse_many
from extractors.text.frequencies import Frequencies
from iscore.filtering.features.computation import ArticleFeatures

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
