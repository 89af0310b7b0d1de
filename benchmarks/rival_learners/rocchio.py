"""Incremental Rocchio: how near an article is to the middle of the liked ones, and how far from that of the others.

    score = cos(d, β·mean(I) - γ·mean(N))

over the tf-idf of the articles so far. Sources: Rocchio 1971; Buckley, Salton, Allan 1994, for β = 4γ.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from extractors.numba_kernel import compiled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


def scores(tfidf: csr_matrix, liked: Bools, beta: float = 1.0, gamma: float = 0.25) -> Floats:
    """Return the cosine of each row of ``tfidf`` (m, words), of length 1, before it is learned; 0 before any like."""
    found = np.zeros(tfidf.shape[0])
    sums = np.zeros((tfidf.shape[1], 2))
    _follow(tfidf.indptr, tfidf.indices, tfidf.data, liked, beta, gamma, sums, found)
    return found


@compiled
def _follow(
    indptr: Ints, indices: Ints, data: Floats, liked: Bools, beta: float, gamma: float, sums: Floats, found: Floats
) -> None:
    articles = np.zeros(2)
    products = np.zeros((2, 2))  # of the two sums with themselves and each other
    for row in range(len(found)):
        start, end = indptr[row], indptr[row + 1]
        if articles[1] > 0.0:
            near = beta / articles[1]
            far = gamma / articles[0] if articles[0] > 0.0 else 0.0
            length = near * near * products[1, 1] - 2.0 * near * far * products[0, 1] + far * far * products[0, 0]
            product = 0.0
            for place in range(start, end):
                word = indices[place]
                product += data[place] * (near * sums[word, 1] - far * sums[word, 0])
            if length > 0.0:
                found[row] = product / math.sqrt(length)
        label = 1 if liked[row] else 0
        articles[label] += 1.0
        for place in range(start, end):
            word = indices[place]
            own, other = sums[word, label], sums[word, 1 - label]
            products[label, label] += data[place] * (2.0 * own + data[place])
            products[0, 1] += data[place] * other
            sums[word, label] = own + data[place]
