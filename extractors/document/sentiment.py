"""Subjectivity, polarity and intensity of an article, and its speech events by subjectivity.

s is the probability that a sentence is subjective and v = p(positive) − p(negative), both from the sentence classifier.
It learned from film reviews (``training/sentence_weights.py``): in news it separates comment from report, and says
little about who is praised for what.

The classifier is linear, with 64 KB of weights for each question. A sentence's features are its words and its pairs of
neighbouring words, all in lower case. A weight lies in the slot that its feature's hash names, beside a tag of 8 more
bits of the hash. A feature whose tag is another one has no weight: most pairs of words in the news were never seen in
training, and must not pick up the weights of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt, tanh
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from extractors.arrays import Bools, Floats, Int64s, UInt64s
from extractors.article import Document
from extractors.base import BatchDocumentExtractor
from extractors.numba_kernel import compiled
from extractors.text.sentences import body_sentences
from extractors.text.text import Texts

QUESTIONS: Final = ("subjectivity", "polarity")
"""Subjective against objective, and positive against negative; in English."""

SLOT_BITS: Final = 15
TAG_BITS: Final = 8
N_SLOTS: Final = 1 << SLOT_BITS

PAIR_FACTOR: Final = 0xC2B2AE3D27D4EB4F
"""A pair of words is hashed to the first word's hash times this, plus the second's."""
SPREAD: Final = 0x9E3779B97F4A7C15
"""2⁶⁴ divided by the golden ratio. The topmost bits of a hash times this are the slot, those below it the tag (Knuth,
"The Art of Computer Programming" 3, section 6.4)."""

WEIGHTS: Final = Path(__file__).with_name("sentence_weights.npz")
"""Written by ``training/sentence_weights.py``."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceClassifier:
    """Answers two questions about a sentence in one pass; the answer to each is one of two kinds."""

    entries: npt.NDArray[np.int16]
    """256 · weight + tag; a positive weight indicates the first kind. Shape (N_SLOTS, 2)."""
    units: Floats
    """A sentence's log-odds are its unit · (sum of its features' weights)/√words; shape (2,). Divided by the
    root of the length, because neighbouring words are correlated and plain sums are far too confident in long
    sentences."""

    def sums(self, hashes: UInt64s, starts: Int64s, ends: Int64s) -> Int64s:
        """Return the sums of the weights of the sentences, which have the words ``hashes[starts:ends]``; shape
        (sentences, 2)."""
        sums = np.empty((len(starts), 2), dtype=np.int64)
        _add_up(hashes, starts, ends, self.entries, sums)
        return sums

    def leanings(self, hashes: UInt64s, starts: Int64s, ends: Int64s) -> Floats:
        """Return p(first kind) − p(second kind), in [−1, 1]; shape (2, sentences)."""
        leanings = np.empty((2, len(starts)), dtype=np.float64)
        _lean(self.sums(hashes, starts, ends), ends - starts, self.units, leanings)
        return leanings


@cache
def sentence_classifier() -> SentenceClassifier:
    """Return the one that comes with iScore, which answers ``QUESTIONS``; read once per process.

    Raises ``OSError`` when its file cannot be read, and ``ValueError`` when it is damaged.
    """
    return read(WEIGHTS)


def read(path: Path) -> SentenceClassifier:
    """Return the classifier in a file. Raises ``OSError`` and ``ValueError`` as above."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            classifier = SentenceClassifier(arrays["entries"], arrays["units"])
    except OSError:
        raise
    except Exception as error:  # numpy and zipfile have many ways to say that this is not what was written
        raise ValueError(f"{path} is damaged, install iScore again: {error}") from error
    found = [(array.dtype.name, array.shape) for array in (classifier.entries, classifier.units)]
    if found != [("int16", (N_SLOTS, 2)), ("float64", (2,))]:
        raise ValueError(f"{path} is damaged, install iScore again: it holds {found}")
    return classifier


@compiled
def _add_up(
    hashes: UInt64s,
    starts: Int64s,
    ends: Int64s,
    entries: npt.NDArray[np.int16],
    sums: Int64s,
) -> None:
    # Both questions by name, and the word before in a variable: as loops over arrays the compiler makes of them gathers
    # of single elements, which take twice the time.
    slot_shift, tag_shift = np.uint64(64 - SLOT_BITS), np.uint64(64 - SLOT_BITS - TAG_BITS)
    tag_mask = np.uint64((1 << TAG_BITS) - 1)
    for sentence in range(len(starts)):
        first, second = 0, 0
        previous = np.uint64(0)
        for word in range(starts[sentence], ends[sentence]):
            spread = hashes[word] * np.uint64(SPREAD)
            slot, tag = spread >> slot_shift, np.int64((spread >> tag_shift) & tag_mask)
            one, other = np.int64(entries[slot, 0]), np.int64(entries[slot, 1])
            first += (one >> TAG_BITS) * ((one & 255) == tag)
            second += (other >> TAG_BITS) * ((other & 255) == tag)
            if word > starts[sentence]:
                spread = (previous * np.uint64(PAIR_FACTOR) + hashes[word]) * np.uint64(SPREAD)
                slot, tag = spread >> slot_shift, np.int64((spread >> tag_shift) & tag_mask)
                one, other = np.int64(entries[slot, 0]), np.int64(entries[slot, 1])
                first += (one >> TAG_BITS) * ((one & 255) == tag)
                second += (other >> TAG_BITS) * ((other & 255) == tag)
            previous = hashes[word]
        sums[sentence, 0], sums[sentence, 1] = first, second


@compiled
def _lean(
    sums: Int64s,
    words: Int64s,
    units: Floats,
    leanings: Floats,
) -> None:
    for sentence in range(len(sums)):
        root = sqrt(max(words[sentence], 1))
        for question in range(2):
            leanings[question, sentence] = tanh(0.5 * units[question] * sums[sentence, question] / root)


LANGUAGE = "en"
"""The classifier's language."""

NEUTRAL = 1.0
"""One neutral, subjective sentence is added to the polarity, so that an article without opinions stays near 0."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceScores:
    """Scores of the sentences of many articles' bodies, in order; arrays have one element per sentence."""

    article: Int64s
    """Row of the article."""
    subjective: Floats
    """s, in [0, 1]."""
    positive: Floats
    """v, in [−1, 1]."""
    speech: Bools
    """Whether the sentence quotes or reports speech."""
    counts: Floats
    """The article's number of sentences, NaN for none; shape (articles,)."""

    def sums(self, values: Floats) -> Floats:
        """Return the sum over each article's sentences, added in their order, 0 without any; shape (articles,)."""
        return np.asarray(np.bincount(self.article, values, len(self.counts)), dtype=np.float64)

    def means(self, values: Floats) -> Floats:
        """Return the mean over each article's sentences, NaN without any; shape (articles,)."""
        return self.sums(values) / self.counts


def sentence_scores(texts: Texts) -> SentenceScores:
    """Score the sentences of the English articles; the others have none.

    Raises ``OSError`` and ``ValueError`` when the classifier's file is missing or damaged.
    """
    sentences = body_sentences(texts, np.array([language == LANGUAGE for language in texts.languages], dtype=np.bool_))
    if len(sentences.article) > 0:
        subjective, positive = sentence_classifier().leanings(texts.word_hashes, sentences.starts, sentences.ends)
    else:  # the classifier's file is not needed
        subjective, positive = np.empty(0), np.empty(0)
    counts = np.bincount(sentences.article, minlength=len(texts))
    return SentenceScores(
        article=sentences.article,
        subjective=0.5 + 0.5 * subjective,
        positive=positive,
        speech=sentences.speech,
        counts=np.where(counts > 0, counts, np.nan),
    )


class Sentiment(BatchDocumentExtractor):
    """Five features of the sentences of an English body; missing in other languages and without sentences.

    ``subjectivity``: the mean of s, in [0, 1] (Pang & Lee 2004, "A sentimental education", section 3: judgements in
    reviews against retold plots). ``polarity``: Σ s·v/(``NEUTRAL`` + Σ s), in (−1, 1); weighted by s because the
    classifier of polarity learned from opinions only (section 2: leave out what is objective, then classify the rest).
    ``intensity``: the mean of s·|v|, in [0, 1] and at most the subjectivity. ``speech_events_objective`` and
    ``speech_events_subjective``: the means over all sentences of 1 − s and s where a sentence reports speech, and 0
    where not (Pon et al. 2008); in [0, 1], together ``speech_events``.

    >>> from datetime import UTC, datetime
    >>> from extractors import Article, analyse
    >>> text = "A wonderful and moving film."
    >>> article = Article(id="1", arrived=datetime(2026, 3, 2, tzinfo=UTC), title="Film", text=text, language="en")
    >>> [round(value, 2) for value in Sentiment().extract(article, analyse(article))]
    [0.98, 0.49, 0.98, 0.0, 0.0]
    """

    features: ClassVar[tuple[str, ...]] = (
        "subjectivity",
        "polarity",
        "intensity",
        "speech_events_objective",
        "speech_events_subjective",
    )
    meanings: ClassVar[Mapping[str, str]] = {
        "subjectivity": "reads like opinion",
        "polarity": "a favourable tone",
        "intensity": "an emotional tone",
        "speech_events_objective": "quotes people on facts",
        "speech_events_subjective": "quotes people's opinions",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "subjectivity": "reads like a factual report",
        "polarity": "a critical tone",
        "intensity": "a calm tone",
        "speech_events_objective": "quotes nobody on facts",
        "speech_events_subjective": "quotes no opinions",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {
        "subjectivity": (0.3, 0.6),
        "polarity": (-0.25, 0.15),
        "intensity": (0.08, 0.3),
        "speech_events_objective": (0.01, 0.2),
        "speech_events_subjective": (0.01, 0.2),
    }
    families: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(features[:3], "feeling"),
        **dict.fromkeys(features[3:], "speech events"),
    }

    def extract_many(self, documents: Sequence[Document], texts: Texts) -> Floats:  # noqa: ARG002 -- the base class's parameters
        return features_of(sentence_scores(texts))


def polarity(scores: SentenceScores) -> Floats:
    """Return Σ s·v/(``NEUTRAL`` + Σ s) of each article, NaN without sentences; shape (articles,)."""
    feelings = scores.sums(scores.subjective * scores.positive)
    return np.where(scores.counts > 0, feelings / (NEUTRAL + scores.sums(scores.subjective)), np.nan)


def features_of(scores: SentenceScores) -> Floats:
    """Return the five features of each article; shape (articles, 5)."""
    return np.column_stack([
        scores.means(scores.subjective),
        polarity(scores),
        scores.means(scores.subjective * np.abs(scores.positive)),
        scores.means(np.where(scores.speech, 1.0 - scores.subjective, 0.0)),
        scores.means(np.where(scores.speech, scores.subjective, 0.0)),
    ])  # fmt: skip
