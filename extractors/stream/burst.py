"""Burst: whether articles like this one have been coming faster lately than before."""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from extractors.arrays import Floats
from extractors.numba_kernel import compiled

HOURS: Final = 24.0
"""What counts as lately: a day, so that the hour of the day plays no part."""

CAUTION: Final = 1.0
"""Added to what came and to what was to be expected, so that one article or two make no burst."""


@compiled
def burst(hours: Floats, articles: int, articles_lately: int) -> float:
    """Return ln((r + 1) / (e + 1)), r the similar articles of the last ``HOURS``, e how many were to be expected.

    ``hours`` since they arrived has one element per similar article of the window, R in all; of its ``articles``, n,
    ``articles_lately``, d, came in the last ``HOURS``. e = d · (R − r)/(n − d): the share that such articles had
    before, times what has come lately, so that neither a pause nor a new feed looks like a burst. Positive when there
    are more than before. These are the batches, r of d, and the base rate of Kleinberg (2002), "Bursty and hierarchical
    structure in streams", section 4, compared as a ratio: his automaton has to see a burst's end.

    Missing (NaN) when nothing is similar, and when the whole window is of the last ``HOURS``: there is no before.
    """
    if len(hours) == 0 or articles_lately >= articles:
        return np.nan
    lately = 0
    for i in range(len(hours)):
        lately += hours[i] <= HOURS
    expected = articles_lately * (len(hours) - lately) / (articles - articles_lately)
    return log((lately + CAUTION) / (expected + CAUTION))
