"""Novelty and freshness: the distance to the most similar recent article, and how long ago similar ones appeared."""

from __future__ import annotations

from math import log1p
from typing import Final

import numpy as np

from extractors.arrays import Floats, Int32s, UInt32s
from extractors.numba_kernel import inner
from extractors.stream.article_ring import ONE


@inner
def novelty(cosines: UInt32s) -> float:
    """Return 1 − max cos(d, e) over the recent articles e, given their cosines in steps of 1/``ONE``; in [0, 1], 0 for
    a repetition.

    Missing (NaN) when there are none. Zhang, Callan & Minka (2002), "Novelty and redundancy detection in
    adaptive filtering", found this cosine distance best.
    """
    if len(cosines) == 0:
        return np.nan
    largest = np.uint32(0)
    for row in range(len(cosines)):
        largest = max(largest, cosines[row])
    return max(0.0, 1.0 - largest / ONE)


K: Final = 3
"""Number of similar articles that count: a single one may be similar by chance."""


@inner
def freshness(cosines: Floats, hours: Floats) -> float:
    """Return ln(1 + h), h the mean hours since the (up to) K most similar articles with the same topic; ≥ 0.

    The arrays have one element per similar article: its cosine, and the hours since it arrived. Missing (NaN) when
    there is none: a new topic and one that is long over look the same, and ``novelty`` covers
    both. Of equally similar articles the most recent ones count.
    """
    if len(cosines) == 0:
        return np.nan
    nearest = np.empty(K + 1, dtype=np.int64)
    n = 0
    for i in range(len(cosines)):
        at = n
        while at > 0 and (
            cosines[i] > cosines[nearest[at - 1]]
            or (cosines[i] == cosines[nearest[at - 1]] and hours[i] < hours[nearest[at - 1]])
        ):
            nearest[at] = nearest[at - 1]
            at -= 1
        nearest[at] = i
        n = min(n + 1, K)
    total = 0.0
    for at in range(n):
        total += hours[nearest[at]]
    return log1p(total / n)


SAME_TOPIC: Final = 0.2
"""Cosine from which two articles have a topic in common."""

_LIMIT: Final = int(SAME_TOPIC * ONE)


@inner
def neighbours_of(cosines: UInt32s, rows: Int32s) -> int:
    """Write the rows whose cosine, in steps of 1/``ONE``, is at least ``SAME_TOPIC``; return how many there are.

    ``rows`` has room for one more than there are cosines.
    """
    n = 0
    for row in range(len(cosines)):
        rows[n] = row  # overwritten unless it counts: no branch to predict
        n += cosines[row] >= _LIMIT
    return n
