"""What each word of an article adds to its score, and what the classifier adds.

The rankers are linear functions of an article's vector, calibration is a line, and so is the sum with the classifier's
vote. So the log-odds that people see are a sum:

    log-odds = start + Σ words + classifier

A word counts by itself, and by its share of the article's topic: the LSA vector is a sum over words as well. Where an
article has several rankings (``ranking``), the words are those of the one that gives the largest log-odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from extractors.arrays import Floats
from extractors.lsa import Basis
from extractors.text.terms import TermVector
from iscore.filtering.decision.evidence import Articles, Evidence
from iscore.filtering.decision.probability import SLOPE, Level
from iscore.filtering.decision.ranking import Fitted, Ranking, fitted
from iscore.filtering.decision.vectors import TOPIC_LENGTH


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """The parts of an article's score, in log-odds."""

    start: float
    """Score of an article without words about which the classifier says even odds."""
    words: Floats
    """What each term of the article adds, in the order of its term vector; shape (terms,)."""
    classifier: float
    """What the feature classifier's vote adds; 0 where it has none."""
    share: float
    """The share of its vote, in [0, 1]; 0 where it has none."""
    factor: float
    """What one of the classifier's own log-odds adds, as of a feature."""


def contributions(articles: Articles, evidence: Evidence) -> list[Contributions]:
    """Return the parts of each article's score. There must be a like or an example."""
    fit, level = fitted(articles, evidence), Level.of(evidence.deliveries)
    return [
        _contributions(fit, level, row, articles.terms[row], float(vote), evidence.basis)
        for row, vote in enumerate(articles.votes)
    ]


def _contributions(
    fit: Fitted, level: Level, row: int, terms: TermVector, vote: float, basis: Basis | None
) -> Contributions:
    found = [(_words(fit, ranking, row, terms, basis), ranking.constant) for ranking in fit.rankings]
    words, constant = max(found, key=lambda each: float(each[0].sum()) + each[1])
    classifier = fit.classifier
    if classifier.share == 0.0 or np.isnan(vote):
        return Contributions(SLOPE * constant + level.offset, SLOPE * words, 0.0, 0.0, 0.0)
    slope = SLOPE * classifier.level.slope
    rest = SLOPE * (classifier.level.offset - classifier.level.slope * classifier.level.middle)
    others, factor = slope * (1.0 - classifier.share), slope * classifier.share
    return Contributions(
        start=others * constant + rest + level.offset,
        words=others * words,
        classifier=factor * (classifier.line.slope * (vote - classifier.line.middle) + classifier.line.offset),
        share=classifier.share,
        factor=factor * classifier.line.slope,
    )


def _words(fit: Fitted, ranking: Ranking, row: int, terms: TermVector, basis: Basis | None) -> Floats:
    """Return what each term of an article adds to a ranking's log-odds."""
    rows = fit.vectors.rows
    span = slice(rows.indptr[fit.first + row], rows.indptr[fit.first + row + 1])
    weights = terms.weights.astype(np.float64)
    found: Floats = weights * ranking.weights.words[rows.words[span]]
    if basis is None or len(basis.terms) == 0:
        return found
    places = np.minimum(np.searchsorted(basis.terms, terms.ids), len(basis.terms) - 1)
    known = np.flatnonzero(basis.terms[places] == terms.ids)
    vectors = weights[known, np.newaxis] * basis.vectors[places[known]]
    length = float(np.sqrt(np.square(vectors.sum(axis=0)).sum()))
    if length > 0.0:
        found[known] += TOPIC_LENGTH / length * (vectors * ranking.weights.topics).sum(axis=1)
    return found
