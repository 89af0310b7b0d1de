"""How long after an article's arrival its verdict is given."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections.abc import Iterable
from datetime import timedelta

from iscore.services.views.history import DelayBin, Delays
from storage.records.history import PastVerdict

HOURS = (1.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 168.0)
"""Upper bounds of the bins, themselves included."""


def delays(verdicts: Iterable[PastVerdict]) -> Delays:
    """Count likes, dislikes and skips by delay; a verdict before the arrival has delay 0."""
    hours = [max(0.0, (each.at - each.arrived) / timedelta(hours=1)) for each in verdicts]
    counts = [0] * (len(HOURS) + 1)
    for each in hours:
        counts[bisect_left(HOURS, each)] += 1
    bins = tuple(DelayBin(bound, count) for bound, count in zip((*HOURS, None), counts, strict=True))
    return Delays(bins, statistics.median(hours) if hours else None)
