"""What the sentences of articles express, computed once for all the measures of affect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractors.document.sentence_classifier import sentence_classifier
from extractors.text.sentences import body_sentences
from extractors.text.text import Texts

Floats = npt.NDArray[np.float64]

LANGUAGE = "en"
"""The classifiers' language."""


@dataclass(frozen=True, slots=True, eq=False)
class Attitudes:
    """The sentences of the bodies of many articles, in order; arrays have one element per sentence."""

    article: npt.NDArray[np.int64]
    """Row of the article."""
    subjective: Floats
    """Probability that the sentence is subjective, in [0, 1]."""
    positive: Floats
    """p(positive) − p(negative), in [−1, 1]."""
    speech: npt.NDArray[np.bool_]
    """Whether it quotes or reports speech."""
    counts: Floats
    """The article's number of sentences, NaN for none; shape (articles,)."""

    def sums(self, values: Floats) -> Floats:
        """Return the sum over each article's sentences, added in their order, 0 without any; shape (articles,)."""
        return np.asarray(np.bincount(self.article, values, len(self.counts)), dtype=np.float64)

    def means(self, values: Floats) -> Floats:
        """Return the mean over each article's sentences, NaN where there are none; shape (articles,)."""
        return self.sums(values) / self.counts


def attitudes(texts: Texts) -> Attitudes:
    """Return what the sentences of the articles in English express; there are none of the others.

    Raises ``OSError`` and ``ValueError`` when the weights that are shipped with iScore are missing or damaged.
    """
    sentences = body_sentences(texts, np.array([language == LANGUAGE for language in texts.languages], dtype=np.bool_))
    if len(sentences.article) > 0:
        subjective, positive = sentence_classifier().leanings(texts.word_hashes, sentences.starts, sentences.ends)
    else:  # nothing to read the weights for
        subjective, positive = np.empty(0), np.empty(0)
    counts = np.bincount(sentences.article, minlength=len(texts))
    return Attitudes(
        article=sentences.article,
        subjective=0.5 + 0.5 * subjective,
        positive=positive,
        speech=sentences.speech,
        counts=np.where(counts > 0, counts, np.nan),
    )
