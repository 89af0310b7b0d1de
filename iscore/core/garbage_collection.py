"""How often Python looks for garbage in cycles: seldom, since thousands of articles and modules in memory are none.

A search goes through all new objects. With Python's own thresholds, (700, 10, 10), it takes a tenth of a poll.
"""

from __future__ import annotations

import gc

SERVICE = (100_000, 50, 50)
"""Of processes that run for days and must stay small: the server, and what runs its tasks."""
COMMAND = (500_000, 50, 50)
"""Of a command, which ends within seconds. Loading everything with which one learns makes 300,000 objects; searching
them took 90 ms and found 1,400."""


def set_thresholds(thresholds: tuple[int, int, int]) -> None:
    """Let this process look for garbage as often as one of the constants says."""
    gc.set_threshold(*thresholds)
