"""Select the articles to ask for verdicts on: those whose verdicts would teach most.

They are near the threshold, where the filter is least certain (uncertainty sampling: Lewis & Gale 1994, "A sequential
algorithm for training text classifiers"), and unlike one another, since a second verdict on one subject adds little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from extractors.text.terms import N_TERMS, TermVector

NEAR = 1.0
"""Log-odds from the threshold at which the interest in a verdict has fallen to 1/e, as in exploration."""
CANDIDATES = 300
"""Articles nearest to the threshold that are compared with one another."""


def most_informative(distances: Mapping[int, float], terms: Mapping[int, TermVector], count: int) -> list[int]:
    """Return the numbers (``seq``) of up to ``count`` articles, the most informative first.

    Each choice is the article with the largest exp(−distance) · (1 − cosine to the nearest chosen one); of equals the
    newest.

    Parameters
    ----------
    distances
        How far each article's score is from its threshold, in log-odds, by number; not negative.
    terms
        The terms of every article by number; their weights have Euclidean length 1.
    """
    nearest = sorted(distances, key=lambda seq: (distances[seq], -seq))[:CANDIDATES]
    interest = np.array([math.exp(-min(distances[seq] / NEAR, 50.0)) for seq in nearest])
    similarity = np.zeros(len(nearest))
    chosen: list[int] = []
    while len(chosen) < min(count, len(nearest)):
        value = interest * (1.0 - similarity)
        value[[place for place, seq in enumerate(nearest) if seq in chosen]] = -1.0
        best = nearest[int(np.argmax(value))]
        chosen.append(best)
        profile = np.zeros(N_TERMS, dtype=np.float32)
        profile[terms[best].ids] = terms[best].weights
        cosines = [float(profile[terms[seq].ids] @ terms[seq].weights) for seq in nearest]
        similarity = np.minimum(np.maximum(similarity, cosines), 1.0)
    return chosen
