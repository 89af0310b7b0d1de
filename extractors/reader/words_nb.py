"""Which words speak for the reader's liking: multinomial naive Bayes over the terms."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.numba_kernel import compiled
from extractors.state import State, array, filled
from extractors.text.terms import N_TERMS, TermVector

ALPHA = 1.0
"""Laplace's smoothing: every term known counts once more in either class."""


class WordsNaiveBayes(ReaderExtractor):
    """Mean over the article's words of ln p(term | liked) − ln p(term | disliked); positive speaks for
    liking.

    p(t | c) = (n_tc + α) / (Σ_t n_tc + αV), V the number of different terms in judged articles (McCallum &
    Nigam 1998, "A comparison of event models for naive Bayes text classification"). Words in no judged
    article count as 0. The sum is divided by the number of words because its size would otherwise be the
    article's length, and a density over such sums would be one over lengths. Missing before there is a
    verdict of either kind, and without terms.
    """

    features: ClassVar[tuple[str, ...]] = ("words_nb",)
    meanings: ClassVar[Mapping[str, str]] = {"words_nb": "uses words of articles you liked"}

    def __init__(self) -> None:
        self._counts = np.zeros((N_TERMS, 2), dtype=np.float64)
        self._totals = np.zeros(2, dtype=np.float64)
        self._known = 0

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        terms = articles.terms
        ratios = np.full((len(articles), 1), np.nan)
        if self._totals.all():
            of_terms = np.zeros(len(terms.vocabulary))
            _log_ratios(terms.vocabulary.terms, self._counts, _offset(self._totals, self._known), of_terms)
            words = terms.lengths()
            known = words > 0.0
            ratios[known, 0] = terms.sums(terms.counts, of_terms)[known] / words[known]
        return ratios

    def evidence(self, terms: TermVector) -> npt.NDArray[np.float64]:
        if not self._totals.all():
            return np.zeros(len(terms))
        disliked, liked = self._counts[terms.ids].T
        smoothed = self._totals + ALPHA * self._known
        ratios = np.log((liked + ALPHA) / smoothed[1]) - np.log((disliked + ALPHA) / smoothed[0])
        return np.where((disliked > 0.0) | (liked > 0.0), ratios, 0.0)

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        label = int(interesting)
        self._known += _add(article.terms.ids, article.terms.counts, label, float(weight), self._counts, self._totals)

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        terms = articles.terms
        ratios = np.full((len(articles), 1), np.nan)
        self._known = _follow(
            *(terms.indptr, terms.ids, terms.counts, verdicts.interesting, verdicts.weights),
            *(self._counts, self._totals, self._known, ratios),
        )
        return ratios

    def state(self) -> State:
        ids = filled(self._counts).astype(np.int32)
        return {"ids": ids, "counts": self._counts[ids], "totals": self._totals.copy()}

    def restore(self, state: State) -> None:
        ids = array(state, "ids", np.int32)
        self._counts = np.zeros((N_TERMS, 2), dtype=np.float64)
        self._counts[ids] = array(state, "counts", np.float64)
        self._totals = array(state, "totals", np.float64)
        self._known = len(ids)


@compiled
def _offset(totals: npt.NDArray[np.float64], known: int) -> float:
    """Return what both kinds having different numbers of words makes of every ratio."""
    return log(totals[0] + ALPHA * known) - log(totals[1] + ALPHA * known)


@compiled
def _log_ratio(disliked: float, liked: float, offset: float) -> float:
    """Return how much a term speaks for liking; 0 for one that is in no judged article."""
    if disliked > 0.0 or liked > 0.0:
        return log((liked + ALPHA) / (disliked + ALPHA)) + offset
    return 0.0


@compiled
def _log_ratios(
    ids: npt.NDArray[np.int32], learned: npt.NDArray[np.float64], offset: float, ratios: npt.NDArray[np.float64]
) -> None:
    for place in range(len(ids)):
        ratios[place] = _log_ratio(learned[ids[place], 0], learned[ids[place], 1], offset)


@compiled
def _add(
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.float32],
    label: int,
    weight: float,
    learned: npt.NDArray[np.float64],
    totals: npt.NDArray[np.float64],
) -> int:
    # Returns how many of the terms were in no article before.
    new = 0
    for i in range(len(ids)):
        new += learned[ids[i], 0] == 0.0 and learned[ids[i], 1] == 0.0
        learned[ids[i], label] += weight * counts[i]
        totals[label] += weight * counts[i]
    return new


@compiled
def _follow(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.float32],
    interesting: npt.NDArray[np.bool_],
    amounts: npt.NDArray[np.float64],
    learned: npt.NDArray[np.float64],
    totals: npt.NDArray[np.float64],
    known: int,
    ratios: npt.NDArray[np.float64],
) -> int:
    # Returns how many terms are known at the end.
    for row in range(len(amounts)):
        begin, end = indptr[row], indptr[row + 1]
        if totals[0] != 0.0 and totals[1] != 0.0:
            offset, words, total = _offset(totals, known), 0.0, 0.0
            for entry in range(begin, end):
                words += counts[entry]
                total += counts[entry] * _log_ratio(learned[ids[entry], 0], learned[ids[entry], 1], offset)
            if words > 0.0:
                ratios[row, 0] = total / words
        label = 1 if interesting[row] else 0
        known += _add(ids[begin:end], counts[begin:end], label, amounts[row], learned, totals)
    return known
