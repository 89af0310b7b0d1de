"""Coverage: how many other sources have carried the story lately."""

from __future__ import annotations

from math import log1p
from typing import Final

import numpy as np

from extractors.arrays import Floats, Int64s
from extractors.numba_kernel import compiled

SAME_STORY: Final = 0.4
"""Cosine from which two articles tell of the same events."""

HOURS: Final = 48.0
"""A story that has been told for longer has become another story."""


@compiled
def coverage(cosines: Floats, hours: Floats, sources: Int64s, source: int) -> float:
    """Return ln(1 + n) for n other sources with an article of cosine ≥ ``SAME_STORY`` in the last ``HOURS``; ≥ 0.

    The arrays have one element per similar article: its cosine, the hours since it arrived, a number for its source;
    ``source`` is the number of the article's own.
    """
    told = np.sort(sources[(cosines >= SAME_STORY) & (hours <= HOURS)])
    others = 0
    for i in range(len(told)):
        others += told[i] != source and (i == 0 or told[i] != told[i - 1])
    return log1p(others)
