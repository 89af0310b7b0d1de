"""Whether an article reads as if written in the language of what the reader liked: unigrams, and pairs of words.

Both models are smoothed with the language of all judged articles (Jelinek & Mercer 1980; Zhai & Lafferty 2004, "A study
of smoothing methods for language models applied to information retrieval"), with much of it. Naive Bayes over words
lets a single word speak loudly; here none says more than ln(1 + (1 − λ)/(λ·share)), with the share of its kind in all
that was judged, and it is many words together that speak.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.numba_kernel import compiled
from extractors.state import State, array, filled
from extractors.text.terms import N_TERMS

BACKGROUND: Final = 0.9
"""λ, the share of the language of all judged articles in the smoothed models. Of 0.1 to 0.99 it gave the best cut over
single articles of Reuters; the correlation with the verdicts grows up to 0.99."""

N_PAIRS: Final = 1 << 18
"""Buckets of pairs. Most pairs come once and say nothing, so that they may share: four times as many gave F0.5 of the
feature alone 0.01 more, for four times the memory."""


class LanguageModel(ReaderExtractor):
    """Σ n_t ln(p(t | liked)/p(t | disliked))/√Σ n_t over the article's words, and the same over its different pairs of
    neighbouring words. Any size; positive speaks for liking.

    p(t | c) = (1 − λ) n_tc/n_c + λ n_t/n, with n_tc how often the articles of kind c have the term and n_t how often
    all have it; terms that no judged article has count as 0. A sum of many independent terms varies as the root of
    their number; divided by that, long and short articles compare, and a long one may be surer than a short one.
    Missing before there is a verdict of either kind, and without words, or pairs.

    Memory: two numbers of 4 bytes for each possible term and for each bucket of pairs, 8 + 2 MB; the state has those of
    judged articles only.
    """

    features: ClassVar[tuple[str, ...]] = ("language_model", "language_model_pairs")
    meanings: ClassVar[Mapping[str, str]] = {
        "language_model": "worded on the whole like what you liked",
        "language_model_pairs": "uses phrases of articles you liked",
    }

    def __init__(self) -> None:
        self._words = np.zeros((N_TERMS, 2), dtype=np.float32)
        self._pairs = np.zeros((N_PAIRS, 2), dtype=np.float32)
        self._totals = np.zeros((2, 2))  # of words and of pairs, in disliked and liked articles

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        ratios = np.full((len(articles), 2), np.nan)
        if self._totals[0].all():
            terms = articles.terms
            of_terms = np.zeros(len(terms.vocabulary))
            _log_ratios(terms.vocabulary.terms, self._words, self._totals[0], of_terms)
            words = terms.lengths()
            known = words > 0.0
            ratios[known, 0] = terms.sums(terms.counts, of_terms)[known] / np.sqrt(words[known])
        if self._totals[1].all():
            _compare_pairs(articles.pairs.indptr, articles.pairs.ids, self._pairs, self._totals[1], ratios[:, 1])
        return ratios

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        label = int(interesting)
        _add(article.terms.ids, article.terms.counts, label, float(weight), self._words, self._totals[0])
        _add(article.pairs, _once(article.pairs), label, float(weight), self._pairs, self._totals[1])

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        terms, pairs = articles.terms, articles.pairs
        ratios = np.full((len(articles), 2), np.nan)
        said = verdicts.interesting, verdicts.weights
        _follow(terms.indptr, terms.ids, terms.counts, *said, self._words, self._totals[0], ratios[:, 0])
        _follow(pairs.indptr, pairs.ids, _once(pairs.ids), *said, self._pairs, self._totals[1], ratios[:, 1])
        return ratios

    def state(self) -> State:
        words = filled(self._words).astype(np.int32)
        pairs = filled(self._pairs).astype(np.int32)
        return {
            "words": words,
            "word_counts": self._words[words],
            "pairs": pairs,
            "pair_counts": self._pairs[pairs],
            "totals": self._totals.copy(),
        }

    def restore(self, state: State) -> None:
        self._words = np.zeros((N_TERMS, 2), dtype=np.float32)
        self._words[array(state, "words", np.int32)] = array(state, "word_counts", np.float32)
        self._pairs = np.zeros((N_PAIRS, 2), dtype=np.float32)
        self._pairs[array(state, "pairs", np.int32)] = array(state, "pair_counts", np.float32)
        self._totals = array(state, "totals", np.float64)


def _once(ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    return np.ones(len(ids), dtype=np.float32)


@compiled
def _log_ratio(disliked: float, liked: float, totals: npt.NDArray[np.float64]) -> float:
    """Return ln(p(t | liked)/p(t | disliked)) of what was judged so often; 0 for what never was."""
    if disliked <= 0.0 and liked <= 0.0:
        return 0.0
    smooth = BACKGROUND / (totals[0] + totals[1]) * (disliked + liked)
    of_disliked, of_liked = (1.0 - BACKGROUND) / totals[0], (1.0 - BACKGROUND) / totals[1]
    return log((of_liked * liked + smooth) / (of_disliked * disliked + smooth))


@compiled
def _log_ratios(
    ids: npt.NDArray[np.int32],
    learned: npt.NDArray[np.float32],
    totals: npt.NDArray[np.float64],
    ratios: npt.NDArray[np.float64],
) -> None:
    for place in range(len(ids)):
        ratios[place] = _log_ratio(np.float64(learned[ids[place], 0]), np.float64(learned[ids[place], 1]), totals)


@compiled
def _compare_pairs(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    learned: npt.NDArray[np.float32],
    totals: npt.NDArray[np.float64],
    ratios: npt.NDArray[np.float64],
) -> None:
    for row in range(len(indptr) - 1):
        n, total = indptr[row + 1] - indptr[row], 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            bucket = ids[entry] & (N_PAIRS - 1)
            total += _log_ratio(np.float64(learned[bucket, 0]), np.float64(learned[bucket, 1]), totals)
        if n > 0:
            ratios[row] = total / sqrt(n)


@compiled
def _add(
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.float32],
    label: int,
    weight: float,
    learned: npt.NDArray[np.float32],
    totals: npt.NDArray[np.float64],
) -> None:
    buckets = len(learned) - 1
    for i in range(len(ids)):
        often = weight * counts[i]
        learned[ids[i] & buckets, label] += often
        totals[label] += often


@compiled
def _follow(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.float32],
    interesting: npt.NDArray[np.bool_],
    amounts: npt.NDArray[np.float64],
    learned: npt.NDArray[np.float32],
    totals: npt.NDArray[np.float64],
    ratios: npt.NDArray[np.float64],
) -> None:
    buckets = len(learned) - 1
    for row in range(len(amounts)):
        begin, end = indptr[row], indptr[row + 1]
        if totals[0] != 0.0 and totals[1] != 0.0:
            n, total = 0.0, 0.0
            for entry in range(begin, end):
                bucket, often = ids[entry] & buckets, np.float64(counts[entry])
                n += often
                total += often * _log_ratio(np.float64(learned[bucket, 0]), np.float64(learned[bucket, 1]), totals)
            if n > 0.0:
                ratios[row] = total / sqrt(n)
        _add(ids[begin:end], counts[begin:end], 1 if interesting[row] else 0, amounts[row], learned, totals)
