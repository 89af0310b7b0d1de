"""Anomaly: how unlike the recent articles on the whole this one is, and how far from the nearest recent topic."""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from extractors.arrays import Floats, Int64s, UInt32s
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


MEMBERS: Final = 4
"""Minimum size of a topic. With single articles and pairs the feature repeats ``novelty`` (correlation 0.9 on Reuters,
more on Italian feeds); with topics the correlation is 0.5, and it predicts verdicts better."""


@inner
def anomaly_cluster(likeness: Floats, sizes: Int64s) -> float:
    """Return 1 − max cos(d, c) over the centroids c of clusters of at least ``MEMBERS`` recent articles; in [0, 1].

    ``likeness`` has the squared cosines in steps of 1/``ONE`` (``clusters.py``), ``sizes`` the members. Missing (NaN)
    while there is no such cluster. The distance to the nearest centroid is the usual measure of an outlier when normal
    data lie in clusters (Chandola, Banerjee & Kumar 2009, "Anomaly detection: a survey", section 6).
    """
    bits = likeness.view(np.int64)  # in the same order as floats that are not negative, and faster to compare
    largest, members = np.int64(0), np.int64(0)
    for cluster in range(len(sizes)):
        members = max(members, sizes[cluster])
        largest = max(largest, bits[cluster] if sizes[cluster] >= MEMBERS else np.int64(0))
    if members < MEMBERS:
        return np.nan
    nearest = 0
    while sizes[nearest] < MEMBERS or bits[nearest] != largest:
        nearest += 1
    return max(0.0, 1.0 - sqrt(likeness[nearest] / ONE))
