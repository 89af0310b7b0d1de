"""How likely an article is under the language of what the user liked: unigrams, and pairs of words.

Both models are smoothed with the language of all articles that have a verdict (Jelinek & Mercer 1980; Zhai & Lafferty
2004, "A study of smoothing methods for language models applied to information retrieval"), and strongly. In naive Bayes
over words a single word can decide; here none adds more than ln(1 + (1 − λ)/(λ·share)), with the share of its class in
all verdicts, so that many words decide together.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt
from typing import ClassVar, Final

import numpy as np

from extractors.arrays import Bools, Float32s, Floats, Int32s, Int64s, State, array, filled
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.numba_kernel import compiled, inner
from extractors.reader.term_table import TermTable

BACKGROUND: Final = 0.9
"""λ, the share of the language of all articles with a verdict in the smoothed models. Of 0.1 to 0.99 it gave the best
threshold over single articles of Reuters; the correlation with the verdicts grows up to 0.99."""

N_PAIRS: Final = 1 << 18
"""Buckets of pairs. Most pairs come once and say nothing, so they may share: four times as many buckets raised F0.5 of
the feature alone by 0.01."""


class LanguageModel(BatchReaderExtractor):
    """Σ n_t ln(p(t | liked)/p(t | disliked))/√Σ n_t over the article's words, and the same over its different pairs of
    neighbouring words. Any size; positive means liked.

    p(t | c) = (1 − λ) n_tc/n_c + λ n_t/n, with n_tc how often the articles of class c have the term and n_t how often
    all have it; terms that no article with a verdict has count as 0. A sum of many independent terms varies as the root
    of their number, so dividing by it makes long and short articles comparable. Missing before there is a verdict of
    either kind, and without words, or pairs.

    Memory: that of ``term_table.py``, and two numbers of 4 bytes for each bucket of pairs, 2 MB; the state has those of
    articles with a verdict only.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now, titles = datetime(2026, 3, 2, tzinfo=UTC), ("Ferry strike", "Tram line")
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in titles)
    >>> extractor = LanguageModel()
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> [round(value, 3) for value in extractor.extract(ferry)]
    [0.401, 0.201]
    """

    features: ClassVar[tuple[str, ...]] = ("language_model", "language_model_pairs")
    meanings: ClassVar[Mapping[str, str]] = {
        "language_model": "overall wording similar to your likes",
        "language_model_pairs": "phrases typical of your likes",
    }
    low_value_meanings: ClassVar[Mapping[str, str]] = {
        "language_model": "overall wording similar to your dislikes",
        "language_model_pairs": "phrases typical of your dislikes",
    }
    limits: ClassVar[Mapping[str, tuple[float, float]]] = dict.fromkeys(features, (-0.25, 0.25))
    families: ClassVar[Mapping[str, str]] = dict.fromkeys(features, "topic relevance")

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._words = TermTable(2, np.float32)
        self._pairs = np.zeros((N_PAIRS, 2), dtype=np.float32)
        self._totals = np.zeros((2, 2))  # of words and of pairs, in disliked and liked articles

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        ratios = _missing(articles)
        if self._totals[0].all():
            terms = articles.terms
            of_terms = np.zeros(len(terms.vocabulary))
            _log_ratios(self._words.find(terms.vocabulary.terms), self._words.numbers, self._totals[0], of_terms)
            words = terms.lengths()
            known = words > 0.0
            ratios[0, known] = terms.sums(terms.counts, of_terms)[known] / np.sqrt(words[known])
        if self._totals[1].all():
            _compare_pairs(articles.pairs.indptr, _buckets(articles.pairs.ids), self._pairs, self._totals[1], ratios[1])
        return np.ascontiguousarray(ratios.T)

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        terms, pairs = articles.terms, articles.pairs
        ratios = _missing(articles)
        known = verdicts.interesting, verdicts.weights
        rows = self._words.claim(terms.ids)
        learned = self._words.numbers, self._totals[0]
        _extract_and_learn(terms.indptr, rows, terms.counts, *known, *learned, ratios[0])
        once = np.ones(len(pairs.ids), dtype=np.float32)
        _extract_and_learn(pairs.indptr, _buckets(pairs.ids), once, *known, self._pairs, self._totals[1], ratios[1])
        return np.ascontiguousarray(ratios.T)

    def state(self) -> State:
        words, word_counts = self._words.touched()
        pairs = filled(self._pairs).astype(np.int32)
        return {
            "words": words,
            "word_counts": word_counts,
            "pairs": pairs,
            "pair_counts": self._pairs[pairs],
            "totals": self._totals.copy(),
        }

    def restore(self, state: State) -> None:
        self._words = TermTable.of(array(state, "words", np.int32), array(state, "word_counts", np.float32), np.float32)
        self._pairs = np.zeros((N_PAIRS, 2), dtype=np.float32)
        self._pairs[array(state, "pairs", np.int32)] = array(state, "pair_counts", np.float32)
        self._totals = array(state, "totals", np.float64)


def _buckets(pairs: Int32s) -> Int32s:
    """Return the bucket of each pair."""
    return pairs & np.int32(N_PAIRS - 1)


def _missing(articles: AnalysedBatch) -> Floats:
    """Return missing values of both features. Each has a row: columns are of another type to numba than that of one
    article, and kernels would be compiled for both."""
    return np.full((2, len(articles)), np.nan)


@inner
def _log_ratio(disliked: float, liked: float, totals: Floats) -> float:
    """Return ln(p(t | liked)/p(t | disliked)) of a term with these counts; 0 for an unknown term."""
    if disliked <= 0.0 and liked <= 0.0:
        return 0.0
    smooth = BACKGROUND / (totals[0] + totals[1]) * (disliked + liked)
    of_disliked, of_liked = (1.0 - BACKGROUND) / totals[0], (1.0 - BACKGROUND) / totals[1]
    return log((of_liked * liked + smooth) / (of_disliked * disliked + smooth))


@compiled
def _log_ratios(
    rows: Int32s,
    learned: Float32s,
    totals: Floats,
    ratios: Floats,
) -> None:
    for place in range(len(rows)):
        ratios[place] = _log_ratio(np.float64(learned[rows[place], 0]), np.float64(learned[rows[place], 1]), totals)


@compiled
def _compare_pairs(
    indptr: Int64s,
    buckets: Int32s,
    learned: Float32s,
    totals: Floats,
    ratios: Floats,
) -> None:
    for row in range(len(indptr) - 1):
        n, total = indptr[row + 1] - indptr[row], 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            bucket = buckets[entry]
            total += _log_ratio(np.float64(learned[bucket, 0]), np.float64(learned[bucket, 1]), totals)
        if n > 0:
            ratios[row] = total / sqrt(n)


@compiled
def _extract_and_learn(
    indptr: Int64s,
    places: Int32s,
    counts: Float32s,
    interesting: Bools,
    amounts: Floats,
    learned: Float32s,
    totals: Floats,
    ratios: Floats,
) -> None:
    for row in range(len(amounts)):
        begin, end = indptr[row], indptr[row + 1]
        if totals[0] != 0.0 and totals[1] != 0.0:
            n, total = 0.0, 0.0
            for entry in range(begin, end):
                place, often = places[entry], np.float64(counts[entry])
                n += often
                total += often * _log_ratio(np.float64(learned[place, 0]), np.float64(learned[place, 1]), totals)
            if n > 0.0:
                ratios[row] = total / sqrt(n)
        label = 1 if interesting[row] else 0
        for entry in range(begin, end):
            often = amounts[row] * counts[entry]
            learned[places[entry], label] += often
            totals[label] += often
