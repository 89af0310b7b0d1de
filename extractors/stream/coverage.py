"""Coverage: how many other sources have the same story."""

from __future__ import annotations

from math import log1p
from typing import Final

import numpy as np

from extractors.arrays import Floats, Int64s
from extractors.numba_kernel import inner

SAME_STORY: Final = 0.4
"""Cosine from which two articles are about the same events."""

HOURS: Final = 48.0
"""Articles further back are about another story."""


@inner
def coverage(cosines: Floats, hours: Floats, sources: Int64s, source: int) -> float:
    """Return ln(1 + n) for n other sources with an article of cosine ≥ ``SAME_STORY`` in the last ``HOURS``; ≥ 0.

    The arrays have one element per similar article: its cosine, the hours since it arrived, a number for its source;
    ``source`` is the number of the article's own.
    """
    found = np.empty(len(sources), dtype=np.int64)
    others = 0
    for i in range(len(sources)):
        if cosines[i] >= SAME_STORY and hours[i] <= HOURS and sources[i] != source:
            known = 0
            while known < others and found[known] != sources[i]:
                known += 1
            if known == others:
                found[others] = sources[i]
                others += 1
    return log1p(others)
