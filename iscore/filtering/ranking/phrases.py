"""The votes of interests in words: how similar an article is to what the user typed.

    similarity = cosine of the stream vectors + (all words) / 16, or of the meanings + (all words) / 50
    log-odds   = slope · (similarity − middle) / deviation + offset      a line, fitted to verdicts and hidden articles

(All words) is, for the part of the phrase of which the article has most, s² / total: s is the idf of the part's words
that the article has, total that of all of them. So two words of two count for more than twice one of two, and an
enumeration need not be there as a whole. Before there are stream vectors it counts alone.

A phrase learns nothing: its similarities to articles with a verdict are as good as those to others, so its line is
fitted to them as they are. Few articles are about any one subject, so before there is evidence an article is even odds
if few of the pool are more similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import NamedTuple, Self

import numpy as np

from extractors.arrays import Bools, Floats, Int32s
from extractors.stream.word_vectors import Basis
from extractors.text.terms import TermBatch, TermVector
from iscore.filtering.ranking.calibration import Line, likely_score
from iscore.filtering.ranking.labelled import Phrase
from iscore.filtering.ranking.vectors import meant

ALL_WORDS, ALL_WORDS_BY_MEANING = 1 / 16, 1 / 50
"""Weight of the words that are there, where that of the cosine of stream vectors, or of meanings, is 1."""
MOST_OF_IT = 0.5
"""What an article must have of a part of a phrase to be about it for certain, by idf: the rare words count."""
NARROWEST = 4.0
"""The pool's mean is at most this many deviations below the middle, however few articles have any of the words."""


class Match(NamedTuple):
    """How articles match an interest in words; arrays of shape (articles,)."""

    similarities: Floats
    for_certain: Bools
    """Which have most words of a part of a phrase."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What the user said of one interest."""

    interest: int
    phrases: Sequence[Phrase]
    idf: dict[int, float]
    """Of all their words, by the pool."""
    basis: Basis | None
    centre: Floats | None
    """As in ``Vectors``: where there is one, meanings count instead of stream vectors."""

    @classmethod
    def of(
        cls, phrases: Sequence[Phrase], pool: TermBatch, basis: Basis | None, centre: Floats | None = None
    ) -> list[Self]:
        """Return what was said of each interest."""
        wanted = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *(each.terms.ids for each in phrases)]))
        found = np.bincount(np.searchsorted(wanted, pool.ids[np.isin(pool.ids, wanted)]), minlength=len(wanted))
        idf = np.log((len(pool) + 1) / (found + 1)) + 1.0
        by_word = dict(zip(wanted.tolist(), idf.tolist(), strict=True))
        numbers = sorted({each.interest for each in phrases})
        return [
            cls(number, [each for each in phrases if each.interest == number], by_word, basis, centre)
            for number in numbers
        ]

    @property
    def weight(self) -> float:
        """Less than 1 where the user has weakened it."""
        return sum(each.weight for each in self.phrases) / len(self.phrases)

    @property
    def terms(self) -> Int32s:
        """All their words."""
        return np.concatenate([each.terms.ids for each in self.phrases])

    def match(self, articles: TermBatch) -> Match:
        """Match articles with the most similar phrase: the one place where similarity is computed."""
        n = len(articles)
        vectors, weight = self._vectors(articles), ALL_WORDS if self.centre is None else ALL_WORDS_BY_MEANING
        best, certain = np.full(n, -np.inf), np.zeros(n, dtype=np.bool_)
        for phrase in self.phrases:
            found = np.zeros(n)
            for part in phrase.parts:
                total = sum(self.idf[word] for word in part.tolist())
                here = self._found(part, articles)
                found = np.maximum(found, weight * here * here / total)
                certain |= here >= MOST_OF_IT * total
            own = self._vectors(TermBatch.of([self._weighed(phrase)]))
            if vectors is not None and own is not None:
                found += vectors @ own[0]
            best = np.maximum(best, found)
        return Match(best, certain)

    def _vectors(self, terms: TermBatch) -> Floats | None:
        if self.centre is not None:
            return None if terms.meanings is None else meant(terms.meanings, self.centre)
        return None if self.basis is None else self.basis.project(terms)

    def _found(self, part: Int32s, articles: TermBatch) -> Floats:
        """Return Σ idf of the words of a part that each article has."""
        terms = articles.vocabulary.terms
        of_terms = np.zeros(len(terms))
        for word in part.tolist():
            of_terms[terms == word] = self.idf[word]
        return articles.sums(np.ones(len(articles.ids), dtype=np.float32), of_terms)

    def _weighed(self, phrase: Phrase) -> TermVector:
        terms = phrase.terms
        return replace(terms, weights=np.array([self.idf[word] for word in terms.ids.tolist()], np.float32))


class Scale(NamedTuple):
    """What similarities to an interest are measured by."""

    middle: float
    deviation: float

    @classmethod
    def of(cls, pool: Floats) -> Scale:
        """Take the scale of the pool's similarities."""
        if not len(pool):
            return cls(0.0, 1.0)
        falling = np.sort(pool)[::-1]
        middle = likely_score(falling)
        if middle <= 0.0:  # without vectors most have none of the words
            middle = float(falling[falling > 0.0].min(initial=1.0))
        return cls(middle, max(float(pool.std()), (middle - float(pool.mean())) / NARROWEST))

    def deviations(self, similarities: Floats) -> Floats:
        """Return by how many deviations each similarity is above the middle."""
        return (similarities - self.middle) / self.deviation


class WordVote(NamedTuple):
    """How the words of an interest count."""

    words: Words
    line: Line
    """From similarities to log-odds."""
    share: float
    """Of this vote; the rankers have the rest."""

    @classmethod
    def of(cls, words: Words, scale: Scale, line: Line, share: float, weight: float) -> WordVote:
        """Take a line from deviations to log-odds; ``weight`` is what the odds are multiplied by."""
        return cls(words, Line(line.slope / scale.deviation, scale.middle, line.offset + log(weight)), share)

    def added(self, rankers: Floats, similarities: Floats) -> Floats:
        """Return the log-odds by both."""
        return (1.0 - self.share) * rankers + self.share * self.line.log_odds(similarities)
