"""Anomaly: how unlike the recent articles on the whole this one is."""

from __future__ import annotations

import numpy as np

from extractors.arrays import UInt32s
from extractors.numba_kernel import inner
from extractors.stream.article_ring import ONE


@inner
def anomaly_mean(cosines: UInt32s) -> float:
    """Return 1 − mean cos(d, e) over the recent articles e, given their cosines in steps of 1/``ONE``; in [0, 1].

    Missing (NaN) when there are none. Pon et al. (2007), "iScore", with recent articles instead of all.
    """
    if len(cosines) == 0:
        return np.nan
    total = np.uint64(0)
    for row in range(len(cosines)):
        total += np.uint64(cosines[row])
    return max(0.0, 1.0 - total / (ONE * len(cosines)))
