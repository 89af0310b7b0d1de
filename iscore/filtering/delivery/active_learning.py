"""Select the articles to ask for verdicts on: those whose verdicts would teach most.

They are near the threshold, where the filter is least certain (uncertainty sampling: Lewis & Gale 1994, "A sequential
algorithm for training text classifiers"), and unlike one another, since a second verdict on one subject adds little.
No source has more than its fair share of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from extractors.text.terms import N_TERMS, TermVector
from iscore.filtering.delivery.diverse_selection import fair_share, first_fair
from iscore.filtering.delivery.tuning import ASKED, NEAR


def most_informative(
    distances: Mapping[int, float], terms: Mapping[int, TermVector], sources: Mapping[int, str], count: int
) -> list[int]:
    """Return the numbers (``seq``) of up to ``count`` articles, the most informative first.

    Each choice is the article with the largest exp(−distance) · (1 − cosine to the nearest chosen one); of equals the
    newest.

    Parameters
    ----------
    distances
        How far each article's score is from its threshold, in log-odds, by number; not negative.
    terms
        The terms of every article by number; their weights have Euclidean length 1.
    sources
        The source of every article by number.
    """
    by_distance = sorted(distances, key=lambda seq: (distances[seq], -seq))
    names = [sources[seq] for seq in by_distance]
    places = first_fair(range(len(by_distance)), names, ASKED)
    nearest, names = [by_distance[place] for place in places], [names[place] for place in places]
    share = fair_share(count, names)
    interest = np.array([math.exp(-min(distances[seq] / NEAR, 50.0)) for seq in nearest])
    similarity = np.zeros(len(nearest))
    chosen: list[int] = []
    while len(chosen) < min(count, len(nearest)):
        value = interest * (1.0 - similarity)
        taken = Counter(sources[seq] for seq in chosen)
        full = [seq in chosen or taken[name] == share for seq, name in zip(nearest, names, strict=True)]
        value[full] = -1.0
        best = nearest[int(np.argmax(value))]
        chosen.append(best)
        profile = np.zeros(N_TERMS, dtype=np.float32)
        profile[terms[best].ids] = terms[best].weights
        cosines = [float(profile[terms[seq].ids] @ terms[seq].weights) for seq in nearest]
        similarity = np.minimum(np.maximum(similarity, cosines), 1.0)
    return chosen
