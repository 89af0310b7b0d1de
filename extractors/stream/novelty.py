"""Novelty: the distance to the most similar recent article."""

from __future__ import annotations

import numpy as np

from extractors.arrays import UInt32s
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
