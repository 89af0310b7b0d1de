"""Subjectivity, polarity and intensity of an article, and its speech events by subjectivity.

s is the probability that a sentence is subjective and v = p(positive) − p(negative), both from the sentence classifier.
It learned from film reviews (``training/sentence_weights.py``): in news it separates comment from report, and says
little about who is praised for what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from extractors.arrays import Bools, Floats, Int64s
from extractors.article import Document
from extractors.document.sentence_classifier import sentence_classifier
from extractors.extractor import BatchDocumentExtractor
from extractors.text.sentences import body_sentences
from extractors.text.text import Texts

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
