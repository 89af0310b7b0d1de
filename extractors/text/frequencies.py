"""Document frequencies: in how many of the articles so far each term occurs."""

from __future__ import annotations

from math import log

import numpy as np

from extractors.arrays import Float32s, Int32s, Int64s, State, array, number
from extractors.numba_kernel import compiled
from extractors.text.terms import N_TERMS, TermVector


class Frequencies:
    """Document frequencies of the stream so far.

    The weight of a term that occurs c times is (1 + ln c) · (ln((N + 1) / (df + 1)) + 1), N the number of
    articles before this one and df how many of them have the term; then the vector is scaled to Euclidean
    length 1 (Salton & Buckley 1988, "Term-weighting approaches in automatic text retrieval", in
    scikit-learn's smooth form). Adding 1 keeps the weights of the first articles above 0.
    """

    def __init__(self) -> None:
        self.articles = 0
        """Number of articles observed."""
        self._counts = np.zeros(N_TERMS, dtype=np.int32)

    def weigh(self, ids: Int32s, counts: Float32s) -> Float32s:
        """Return the tf-idf weights of an article's terms, of Euclidean length 1; shape as ``ids``."""
        weights = np.empty(len(ids), dtype=np.float32)
        _weigh(ids, counts, self._counts, self.articles, weights)
        return weights

    def observe(self, terms: TermVector) -> None:
        """Count one more article. Called once per article, after it has been weighed."""
        self._counts[terms.ids] += 1
        self.articles += 1

    def weigh_and_observe(self, indptr: Int64s, ids: Int32s, counts: Float32s) -> Float32s:
        """Weigh and then observe each article, given as rows of a sparse matrix; return the weights."""
        weights = np.empty(len(ids), dtype=np.float32)
        _weigh_and_observe(indptr, ids, counts, self._counts, self.articles, weights)
        self.articles += len(indptr) - 1
        return weights

    def state(self) -> State:
        """Return the number of articles, and the counts of the terms that have been seen."""
        ids = np.flatnonzero(self._counts).astype(np.int32)
        return {"articles": self.articles, "ids": ids, "counts": self._counts[ids]}

    def restore(self, state: State) -> None:
        """Become the frequencies that returned ``state``."""
        self.articles = int(number(state, "articles"))
        self._counts = np.zeros(N_TERMS, dtype=np.int32)
        self._counts[array(state, "ids", np.int32)] = array(state, "counts", np.int32)


@compiled
def _weigh(
    ids: Int32s,
    counts: Float32s,
    frequencies: Int32s,
    articles: int,
    weights: Float32s,
) -> None:
    squares = 0.0
    for i in range(len(ids)):
        weight = (1.0 + log(counts[i])) * (log((articles + 1) / (frequencies[ids[i]] + 1)) + 1.0)
        weights[i] = weight
        squares += weight * weight
    if squares > 0.0:
        scale = 1.0 / squares**0.5
        for i in range(len(ids)):
            weights[i] *= scale


@compiled
def _weigh_and_observe(
    indptr: Int64s,
    ids: Int32s,
    counts: Float32s,
    frequencies: Int32s,
    articles: int,
    weights: Float32s,
) -> None:
    for row in range(len(indptr) - 1):
        start, end = indptr[row], indptr[row + 1]
        _weigh(ids[start:end], counts[start:end], frequencies, articles + row, weights[start:end])
        for entry in range(start, end):
            frequencies[ids[entry]] += 1
