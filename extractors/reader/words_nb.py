"""Which words indicate what the user likes: multinomial naive Bayes over the terms."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import ClassVar

import numpy as np

from extractors.arrays import Bools, Floats, Int32s, State, array
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.numba_kernel import compiled, inner
from extractors.reader.term_table import TermTable
from extractors.text.terms import TermRows, TermVector

ALPHA = 1.0
"""Laplace's smoothing: every known term counts once more in either class."""


class WordsNaiveBayes(BatchReaderExtractor):
    """Mean over the article's words of ln p(term | liked) − ln p(term | disliked); positive means liked.

    p(t | c) = (n_tc + α) / (Σ_t n_tc + αV), V the number of different terms in the articles with a verdict (McCallum &
    Nigam 1998, "A comparison of event models for naive Bayes text classification"). Words in no such article count as
    0. The sum is divided by the number of words, since it would otherwise grow with the article's length. Missing
    before there is a verdict of either kind, and without terms.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> extractor = WordsNaiveBayes()
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> [round(extractor.extract(article)[0], 3) for article in (ferry, tram)]
    [1.099, -1.099]
    """

    features: ClassVar[tuple[str, ...]] = ("words_nb",)
    meanings: ClassVar[Mapping[str, str]] = {"words_nb": "words more common in your likes"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"words_nb": "words more common in your dislikes"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"words_nb": (-0.25, 0.25)}
    families: ClassVar[Mapping[str, str]] = {"words_nb": "topic relevance"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._counts = TermTable(2, np.float64)
        """How often the disliked and the liked articles have each term."""
        self._totals = np.zeros(2)
        self._known = 0
        """Number of different terms."""

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        terms = articles.terms
        ratios = np.full((len(articles), 1), np.nan)
        if self._totals.all():
            of_terms = np.zeros(len(terms.vocabulary))
            rows, counts = self._counts.find(terms.vocabulary.terms), self._counts.numbers
            _log_ratios(rows, counts, _offset(self._totals, self._known), of_terms)
            words = terms.lengths()
            known = words > 0.0
            ratios[known, 0] = terms.sums(terms.counts, of_terms)[known] / words[known]
        return ratios

    def evidence(self, terms: TermVector) -> Floats:
        if not self._totals.all():
            return np.zeros(len(terms))
        disliked, liked = self._counts.numbers[self._counts.find(terms.ids)].T
        smoothed = self._totals + ALPHA * self._known
        ratios = np.log((liked + ALPHA) / smoothed[1]) - np.log((disliked + ALPHA) / smoothed[0])
        return np.where((disliked > 0.0) | (liked > 0.0), ratios, 0.0)

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        ratios = np.full((len(articles), 1), np.nan)
        rows, labels, weights = articles.terms.rows(), verdicts.interesting, verdicts.weights
        rows = rows._replace(ids=self._counts.claim(rows.ids))
        learned = self._counts.numbers, self._totals, self._known
        self._known = _extract_and_learn(rows, labels, weights, *learned, ratios[:, 0])
        return ratios

    def state(self) -> State:
        ids, counts = self._counts.touched()
        return {"ids": ids, "counts": counts, "totals": self._totals.copy()}

    def restore(self, state: State) -> None:
        ids = array(state, "ids", np.int32)
        self._counts = TermTable.of(ids, array(state, "counts", np.float64), np.float64)
        self._totals = array(state, "totals", np.float64)
        self._known = len(ids)


@inner
def _offset(totals: Floats, known: int) -> float:
    """Return the part of every log-ratio that comes from the two classes' different numbers of words."""
    return log(totals[0] + ALPHA * known) - log(totals[1] + ALPHA * known)


@inner
def _log_ratio(disliked: float, liked: float, offset: float) -> float:
    """Return ln p(t | liked) − ln p(t | disliked); 0 for a term without a verdict."""
    if disliked > 0.0 or liked > 0.0:
        return log((liked + ALPHA) / (disliked + ALPHA)) + offset
    return 0.0


@compiled
def _log_ratios(rows: Int32s, learned: Floats, offset: float, ratios: Floats) -> None:
    for place in range(len(rows)):
        ratios[place] = _log_ratio(learned[rows[place], 0], learned[rows[place], 1], offset)


@compiled
def _extract_and_learn(
    rows: TermRows, interesting: Bools, amounts: Floats, learned: Floats, totals: Floats, known: int, ratios: Floats
) -> int:
    """Return how many terms are known at the end. ``rows`` have rows of the table instead of terms."""
    ids, counts = rows.ids, rows.counts
    for row in range(len(amounts)):
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        if totals[0] != 0.0 and totals[1] != 0.0:
            offset, words, total = _offset(totals, known), 0.0, 0.0
            for entry in range(begin, end):
                words += counts[entry]
                total += counts[entry] * _log_ratio(learned[ids[entry], 0], learned[ids[entry], 1], offset)
            if words > 0.0:
                ratios[row] = total / words
        label = 1 if interesting[row] else 0
        for entry in range(begin, end):
            known += learned[ids[entry], 0] == 0.0 and learned[ids[entry], 1] == 0.0
            learned[ids[entry], label] += amounts[row] * counts[entry]
            totals[label] += amounts[row] * counts[entry]
    return known
