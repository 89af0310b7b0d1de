"""Which articles to ask a person about: those whose verdicts would teach most.

Near the threshold, where the filter is least sure (uncertainty sampling: Lewis & Gale 1994, "A sequential algorithm for
training text classifiers"), and unlike one another, since two verdicts on one subject tell little more than one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from extractors.text.terms import N_TERMS, TermVector
from storage.records import CurrentScore

NEAR = 1.0
"""Log-odds from the threshold at which the wish to know has fallen to 1/e, as in exploring."""
CANDIDATES = 300
"""So many of the nearest are compared with one another."""


def most_informative(standings: Sequence[CurrentScore], terms: Mapping[int, TermVector], count: int) -> list[int]:
    """Return the numbers (``seq``) of up to ``count`` articles, the most informative first.

    ``terms`` has the terms of every article; their weights have Euclidean length 1. Each choice is the article with the
    largest exp(−|score − threshold|) · (1 − likeness to the nearest chosen one); of equals the newest.
    """
    nearest = sorted(standings, key=lambda each: (abs(each.score - each.threshold), -each.seq))[:CANDIDATES]
    wish = np.array([math.exp(-min(abs(each.score - each.threshold) / NEAR, 50.0)) for each in nearest])
    likeness = np.zeros(len(nearest))
    chosen: list[int] = []
    while len(chosen) < min(count, len(nearest)):
        value = wish * (1.0 - likeness)
        value[[place for place, each in enumerate(nearest) if each.seq in chosen]] = -1.0
        best = nearest[int(np.argmax(value))].seq
        chosen.append(best)
        profile = np.zeros(N_TERMS, dtype=np.float32)
        profile[terms[best].ids] = terms[best].weights
        cosines = [float(profile[terms[each.seq].ids] @ terms[each.seq].weights) for each in nearest]
        likeness = np.minimum(np.maximum(likeness, cosines), 1.0)
    return chosen
