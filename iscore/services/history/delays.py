"""How long it takes from an article's arrival to what is said of it."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections.abc import Iterable
from datetime import timedelta

from iscore.services.views.history import DelayBin, Delays
from storage.records.history import Said

HOURS = (1.0, 3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 168.0)
"""Upper bounds of the bins, themselves included."""


def delays(said: Iterable[Said]) -> Delays:
    """Count likes, dislikes and skips by their delay; what was said before the arrival counts as at once."""
    hours = [max(0.0, (each.at - each.arrived) / timedelta(hours=1)) for each in said]
    counts = [0] * (len(HOURS) + 1)
    for each in hours:
        counts[bisect_left(HOURS, each)] += 1
    bins = tuple(DelayBin(bound, count) for bound, count in zip((*HOURS, None), counts, strict=True))
    return Delays(bins, statistics.median(hours) if hours else None)
