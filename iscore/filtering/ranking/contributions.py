"""What each word of an article adds to its score, and what an interest in words and the classifier add.

The rankers are linear functions of an article's vector, calibration is a line, and so is the sum with the other votes.
So the log-odds that people see are a sum:

    log-odds = start + Σ words + meaning + interest + classifier

A word counts by itself, and by its share of the article's stream vector, which is a sum over words as well. A meaning
is no sum over words: it is a part of its own. The vote of an interest in
words is about the article as a whole. People are told its name, and its own words that the article has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from extractors.arrays import Bools, Floats, Int32s, Int64s
from extractors.stream.word_vectors import Basis
from extractors.text.terms import TermBatch, TermVector
from iscore.filtering.ranking.calibration import SLOPE
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles
from iscore.filtering.ranking.phrases import WordVote
from iscore.filtering.ranking.ranking import Fitted, fitted
from iscore.filtering.ranking.typical_words import TypicalWords
from iscore.filtering.ranking.vectors import STREAM_LENGTH, meant


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """The parts of an article's score, in log-odds."""

    start: float
    """Score of an article without words about which the classifier says even odds."""
    words: Floats
    """What each term of the article adds by the rankers, in the order of its term vector; shape (terms,)."""
    meaning: float
    """What the meaning of the whole article adds."""
    classifier: float
    """What the feature classifier's vote adds; 0 where it has none."""
    share: float
    """The share of its vote, in [0, 1]; 0 where it has none."""
    factor: float
    """What one of the classifier's own log-odds adds, as of a feature."""
    interest: float
    """What the article's similarity to an interest in words adds; 0 without such interests."""
    number: int
    """The number of that interest, or ``NO_INTEREST``."""
    own_words: Bools
    """Which terms of the article are words of that interest; shape (terms,)."""


@dataclass(frozen=True, eq=False)
class Explainer:
    """Tells the parts of any article's score. It stays true until a verdict, a decision or a basis comes."""

    fit: Fitted
    basis: Basis | None
    typical: TypicalWords

    @classmethod
    def of(cls, evidence: Evidence, fit: Fitted | None = None) -> Self:
        """Take what ``fitted`` returned for this evidence and any articles, or fit the rankings.

        There must be a like or an example.
        """
        return cls(fit or fitted(Articles.none(), evidence), evidence.basis, TypicalWords.of(evidence))

    @cached_property
    def _order(self) -> Int64s:
        """What sorts ``fit.terms``."""
        return np.argsort(self.fit.terms)

    @cached_property
    def _ascending(self) -> Int32s:
        """``fit.terms``, sorted."""
        return self.fit.terms[self._order]

    @property
    def _meant(self) -> int:
        """How many dimensions before those of stream vectors are of meanings."""
        return 0 if self.fit.centre is None else len(self.fit.centre)

    def contributions(self, terms: TermVector, vote: float) -> Contributions:
        """Return the parts of an article's score; ``vote`` is the feature classifier's log-odds, NaN for none."""
        weights, constant = self._words(terms)
        start, words, interest, vote_of = constant, weights, 0.0, None
        if self.fit.votes:
            start, words, interest, vote_of = max(
                (self._with_interest(each, weights, constant, terms) for each in self.fit.votes),
                key=lambda each: each[0] + float(each[1].sum()) + each[2],
            )
        number = NO_INTEREST if vote_of is None else vote_of.words.interest
        own = np.zeros(len(terms), dtype=np.bool_) if vote_of is None else np.isin(terms.ids, vote_of.words.terms)
        classifier, offset = self.fit.classifier, self.fit.offsets.offset
        if classifier.share == 0.0 or np.isnan(vote):
            parts = SLOPE * start + offset, SLOPE * words[:-1], SLOPE * words[-1], 0.0, 0.0, 0.0, SLOPE * interest
            return Contributions(*parts, number, own)
        slope = SLOPE * classifier.correction.slope
        rankers, factor = slope * (1.0 - classifier.share), slope * classifier.share
        return Contributions(
            start=rankers * start
            + SLOPE * classifier.correction.offset
            - slope * classifier.correction.middle
            + offset,
            words=rankers * words[:-1],
            meaning=rankers * float(words[-1]),
            classifier=factor * (classifier.line.slope * (vote - classifier.line.middle) + classifier.line.offset),
            share=classifier.share,
            factor=factor * classifier.line.slope,
            interest=rankers * interest,
            number=number,
            own_words=own,
        )

    def _with_interest(
        self, vote: WordVote, words: Floats, constant: float, terms: TermVector
    ) -> tuple[float, Floats, float, WordVote]:
        """Return start, words and interest by one vote of an interest, and the vote."""
        rest, slope = 1.0 - vote.share, vote.share * vote.line.slope
        similarity = float(vote.words.match(TermBatch.of([terms])).similarities[0])
        nothing = float(vote.line.log_odds(np.zeros(1))[0])
        return rest * constant + vote.share * nothing, rest * words, slope * similarity, vote

    def _words(self, terms: TermVector) -> tuple[Floats, float]:
        """Return what each term of an article, and its meaning, add to the rankers' log-odds, and their constant."""
        ranking, weights = self.fit.base, terms.weights.astype(np.float64)
        found = np.zeros(len(weights) + 1)
        if ranking is None:
            return found, 0.0
        known, places = _found(self._ascending, terms.ids)
        found[known] = weights[known] * ranking.weights.words[self._order[places]]
        if self.fit.centre is not None and terms.meaning is not None:
            weights_of_meaning = ranking.weights.stream[: self._meant]
            found[-1] = (meant(terms.meaning[np.newaxis], self.fit.centre)[0] * weights_of_meaning).sum()
        if self.basis is not None:
            known, places = _found(self.basis.terms, terms.ids)
            vectors = weights[known, np.newaxis] * self.basis.vectors[places]
            length = float(np.sqrt(np.square(vectors.sum(axis=0)).sum()))
            if length > 0.0:
                found[known] += STREAM_LENGTH / length * (vectors * ranking.weights.stream[self._meant :]).sum(axis=1)
        return found, ranking.constant


def _found(ascending: Int32s, terms: Int32s) -> tuple[Int64s, Int64s]:
    """Return which terms are among the ascending ones, and where there."""
    places = np.searchsorted(ascending, terms)
    known = np.flatnonzero(np.append(ascending, -1)[places] == terms)
    return known, places[known]
