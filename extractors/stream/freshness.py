"""Freshness: how long ago the articles appeared that are most like this one."""

from __future__ import annotations

from math import log1p
from typing import Final

import numpy as np

from extractors.arrays import Floats
from extractors.numba_kernel import inner

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
