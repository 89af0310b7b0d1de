"""Multinomial naive Bayes over words, learned one article at a time.

    S = log P(1)/P(0) + Σ_w n_w·(log p(w|1) - log p(w|0)),   p(w|c) = (N_wc + α)/(N_c + α·V)

P(c) is the share of the class among the verdicts so far, N_wc how often the word came in articles of class c, V how
many different words have come. Source: McCallum, Nigam 1998.
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


def scores(counts: csr_matrix, liked: Bools, alpha: float = 1.0) -> Floats:
    """Return the log-odds of each row of ``counts`` (m, words) before it is learned; 0 until both classes are known."""
    found = np.zeros(counts.shape[0])
    seen = np.zeros((counts.shape[1], 2))
    _follow(counts.indptr, counts.indices, counts.data, liked, alpha, seen, found)
    return found


@compiled
def _follow(indptr: Ints, indices: Ints, data: Floats, liked: Bools, alpha: float, seen: Floats, found: Floats) -> None:
    articles = np.zeros(2)
    totals = np.zeros(2)
    known = 0.0
    for row in range(len(found)):
        start, end = indptr[row], indptr[row + 1]
        if articles.min() > 0.0:
            score = math.log(articles[1] / articles[0])
            smoothing = math.log((totals[0] + alpha * known) / (totals[1] + alpha * known))
            for place in range(start, end):
                word = indices[place]
                if seen[word, 0] + seen[word, 1] > 0.0:
                    ratio = math.log((seen[word, 1] + alpha) / (seen[word, 0] + alpha))
                    score += data[place] * (ratio + smoothing)
            found[row] = score
        label = 1 if liked[row] else 0
        articles[label] += 1.0
        for place in range(start, end):
            word = indices[place]
            if seen[word, 0] + seen[word, 1] == 0.0:
                known += 1.0
            seen[word, label] += data[place]
            totals[label] += data[place]
