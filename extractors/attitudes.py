"""What the sentences of articles express, computed once for all the measures of affect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractors.sentence_classifier import polarity_classifier, subjectivity_classifier
from extractors.sentences import body_sentences
from extractors.text import Texts

Floats = npt.NDArray[np.float64]

LANGUAGE = "en"
"""The classifiers' language."""


@dataclass(frozen=True, slots=True, eq=False)
class Attitudes:
    """The sentences of the bodies of many articles, in order; arrays have one element per sentence."""

    n_articles: int
    article: npt.NDArray[np.int64]
    """Row of the article."""
    subjective: Floats
    """Probability that the sentence is subjective, in [0, 1]."""
    positive: Floats
    """p(positive) − p(negative), in [−1, 1]."""
    speech: npt.NDArray[np.bool_]
    """Whether it quotes or reports speech."""

    def counts(self) -> Floats:
        """Return each article's number of sentences, NaN for none; shape (articles,)."""
        counts = np.bincount(self.article, minlength=self.n_articles)
        return np.where(counts > 0, counts, np.nan)

    def sums(self, values: Floats) -> Floats:
        """Return the sum over each article's sentences, added in their order, NaN without any; shape (articles,)."""
        return np.where(np.isnan(self.counts()), np.nan, np.bincount(self.article, values, self.n_articles))

    def means(self, values: Floats) -> Floats:
        """Return the mean over each article's sentences, NaN where there are none; shape (articles,)."""
        return self.sums(values) / self.counts()


def attitudes(texts: Texts) -> Attitudes:
    """Return what the sentences of the articles in English express; there are none of the others.

    Raises ``OSError`` and ``ValueError`` when the weights that are shipped with iScore are missing or damaged.
    """
    sentences = body_sentences(texts, np.array([language == LANGUAGE for language in texts.languages], dtype=np.bool_))
    if len(sentences.article) == 0:
        return Attitudes(len(texts), sentences.article, np.empty(0), np.empty(0), sentences.speech)
    words = (texts.word_hashes, sentences.starts, sentences.ends)
    return Attitudes(
        n_articles=len(texts),
        article=sentences.article,
        subjective=0.5 + 0.5 * subjectivity_classifier().leanings(*words),
        positive=polarity_classifier().leanings(*words),
        speech=sentences.speech,
    )
