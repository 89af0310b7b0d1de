"""What each word of an article adds to its score, and what the classifier adds.

The rankers are linear functions of an article's vector, calibration is a line, and so is the sum with the classifier's
vote. So the log-odds that people see are a sum:

    log-odds = start + Σ words + meaning + classifier

A word counts by itself, and by its share of the article's stream vector, which is a sum over words as well. A meaning
is no sum over words: it is a part of its own. Where an article has several
rankings (``ranking``), these parts are those of the one that gives the largest log-odds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from extractors.arrays import Floats, Int32s, Int64s
from extractors.stream.word_vectors import Basis
from extractors.text.terms import TermVector
from iscore.filtering.ranking.calibration import SLOPE
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.labelled import Articles
from iscore.filtering.ranking.ranking import Fitted, Ranking, fitted
from iscore.filtering.ranking.vectors import STREAM_LENGTH, meant


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """The parts of an article's score, in log-odds."""

    start: float
    """Score of an article without words about which the classifier says even odds."""
    words: Floats
    """What each term of the article adds, in the order of its term vector; shape (terms,)."""
    meaning: float
    """What the meaning of the whole article adds."""
    classifier: float
    """What the feature classifier's vote adds; 0 where it has none."""
    share: float
    """The share of its vote, in [0, 1]; 0 where it has none."""
    factor: float
    """What one of the classifier's own log-odds adds, as of a feature."""


@dataclass(frozen=True, eq=False)
class Explainer:
    """Tells the parts of any article's score. It stays true until a verdict, a decision or a basis comes."""

    fit: Fitted
    basis: Basis | None

    @classmethod
    def of(cls, evidence: Evidence, fit: Fitted | None = None) -> Self:
        """Take what ``fitted`` returned for this evidence and any articles, or fit the rankings.

        There must be a like or an example.
        """
        return cls(fit or fitted(Articles.none(), evidence), evidence.basis)

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
        found = [(self._words(each, terms), self._meaning(each, terms), each.constant) for each in self.fit.rankings]
        words, meaning, constant = max(found, key=lambda each: float(each[0].sum()) + each[1] + each[2])
        classifier, offset = self.fit.classifier, self.fit.offsets.offset
        if classifier.share == 0.0 or np.isnan(vote):
            return Contributions(SLOPE * constant + offset, SLOPE * words, SLOPE * meaning, 0.0, 0.0, 0.0)
        slope = SLOPE * classifier.correction.slope
        rankers, factor = slope * (1.0 - classifier.share), slope * classifier.share
        return Contributions(
            start=rankers * constant
            + SLOPE * classifier.correction.offset
            - slope * classifier.correction.middle
            + offset,
            words=rankers * words,
            meaning=rankers * meaning,
            classifier=factor * (classifier.line.slope * (vote - classifier.line.middle) + classifier.line.offset),
            share=classifier.share,
            factor=factor * classifier.line.slope,
        )

    def _words(self, ranking: Ranking, terms: TermVector) -> Floats:
        """Return what each term of an article adds to a ranking's log-odds."""
        weights = terms.weights.astype(np.float64)
        known, places = _found(self._ascending, terms.ids)
        found = np.zeros(len(weights))
        found[known] = weights[known] * ranking.weights.words[self._order[places]]
        if self.basis is not None:
            known, places = _found(self.basis.terms, terms.ids)
            vectors = weights[known, np.newaxis] * self.basis.vectors[places]
            length = float(np.sqrt(np.square(vectors.sum(axis=0)).sum()))
            if length > 0.0:
                found[known] += STREAM_LENGTH / length * (vectors * ranking.weights.stream[self._meant :]).sum(axis=1)
        return found

    def _meaning(self, ranking: Ranking, terms: TermVector) -> float:
        """Return what an article's meaning adds to a ranking's log-odds."""
        if self.fit.centre is None or terms.meaning is None:
            return 0.0
        return float(
            (meant(terms.meaning[np.newaxis], self.fit.centre)[0] * ranking.weights.stream[: self._meant]).sum()
        )


def _found(ascending: Int32s, terms: Int32s) -> tuple[Int64s, Int64s]:
    """Return which terms are among the ascending ones, and where there."""
    places = np.searchsorted(ascending, terms)
    known = np.flatnonzero(np.append(ascending, -1)[places] == terms)
    return known, places[known]
