"""How often Python looks for garbage in cycles: seldom, since thousands of articles and modules in memory are none.

A search goes through all new objects. With Python's own thresholds, (700, 10, 10), it takes a tenth of a poll.
"""

from __future__ import annotations

import gc

SERVER = (10_000, 20, 20)
"""Of the web server. A request leaves some two hundred objects in circles, which are those of SQLAlchemy's statements:
up to 35 kB. They are found at the same cost when there are fewer, and so are those that later searches find."""
SERVICE = (100_000, 50, 50)
"""Of other processes that run for days and must stay small: what polls and mails, and what learns for the pages."""
COMMAND = (500_000, 50, 50)
"""Of a command, which ends within seconds. Loading everything with which one learns makes 300,000 objects; searching
them took 90 ms and found 1,400."""


def set_thresholds(thresholds: tuple[int, int, int]) -> None:
    """Let this process look for garbage as often as one of the constants says."""
    gc.set_threshold(*thresholds)
