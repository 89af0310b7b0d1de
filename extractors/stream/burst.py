"""Burst and coverage: whether similar articles arrive faster now than before, and how many sources have the story."""

from __future__ import annotations

from math import log, log1p
from typing import Final

import numpy as np

from extractors.arrays import Floats, Int64s
from extractors.numba_kernel import inner

BURST_HOURS: Final = 24.0
"""What counts as recent: a day, so that the hour of the day plays no part."""

CAUTION: Final = 1.0
"""Added to the observed and the expected number, so that one or two articles make no burst."""


@inner
def burst(hours: Floats, articles: int, recent_articles: int) -> float:
    """Return ln((r + 1) / (e + 1)), r the similar articles of the last ``BURST_HOURS``, e how many were expected.

    ``hours`` since they arrived has one element per similar article of the window, R in all; of its ``articles``, n,
    ``recent_articles``, d, arrived in the last ``BURST_HOURS``. e = d · (R − r)/(n − d): the share that similar
    articles had before, times the recent ones, so that neither a pause nor a new feed looks like a burst. Positive
    when there are more than before. These are the batches, r of d, and the base rate of Kleinberg (2002), "Bursty and
    hierarchical structure in streams", section 4, compared as a ratio: his automaton needs to see the end of a burst.

    Missing (NaN) when nothing is similar, and when the whole window is of the last ``BURST_HOURS``: there is no before.
    """
    if len(hours) == 0 or recent_articles >= articles:
        return np.nan
    recent = 0
    for i in range(len(hours)):
        recent += hours[i] <= BURST_HOURS
    expected = recent_articles * (len(hours) - recent) / (articles - recent_articles)
    return log((recent + CAUTION) / (expected + CAUTION))


SAME_STORY: Final = 0.4
"""Cosine from which two articles are about the same events."""

STORY_HOURS: Final = 48.0
"""Articles further back are about another story."""


@inner
def coverage(cosines: Floats, hours: Floats, sources: Int64s, source: int) -> float:
    """Return ln(1 + n) for n other sources with an article of cosine ≥ ``SAME_STORY`` in the last ``STORY_HOURS``; ≥ 0.

    The arrays have one element per similar article: its cosine, the hours since it arrived, a number for its source;
    ``source`` is the number of the article's own.
    """
    found = np.empty(len(sources), dtype=np.int64)
    others = 0
    for i in range(len(sources)):
        if cosines[i] >= SAME_STORY and hours[i] <= STORY_HOURS and sources[i] != source:
            known = 0
            while known < others and found[known] != sources[i]:
                known += 1
            if known == others:
                found[others] = sources[i]
                others += 1
    return log1p(others)
