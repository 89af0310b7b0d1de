"""Burst: whether similar articles arrive faster now than before."""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from extractors.arrays import Floats
from extractors.numba_kernel import inner

HOURS: Final = 24.0
"""What counts as recent: a day, so that the hour of the day plays no part."""

CAUTION: Final = 1.0
"""Added to the observed and the expected number, so that one or two articles make no burst."""


@inner
def burst(hours: Floats, articles: int, recent_articles: int) -> float:
    """Return ln((r + 1) / (e + 1)), r the similar articles of the last ``HOURS``, e how many were expected.

    ``hours`` since they arrived has one element per similar article of the window, R in all; of its ``articles``, n,
    ``recent_articles``, d, arrived in the last ``HOURS``. e = d · (R − r)/(n − d): the share that similar articles
    had before, times the recent ones, so that neither a pause nor a new feed looks like a burst. Positive when there
    are more than before. These are the batches, r of d, and the base rate of Kleinberg (2002), "Bursty and hierarchical
    structure in streams", section 4, compared as a ratio: his automaton needs to see the end of a burst.

    Missing (NaN) when nothing is similar, and when the whole window is of the last ``HOURS``: there is no before.
    """
    if len(hours) == 0 or recent_articles >= articles:
        return np.nan
    recent = 0
    for i in range(len(hours)):
        recent += hours[i] <= HOURS
    expected = recent_articles * (len(hours) - recent) / (articles - recent_articles)
    return log((recent + CAUTION) / (expected + CAUTION))
