"""How often Python looks for garbage in cycles: seldom, since thousands of articles and modules in memory are none.

A search goes through all new objects. With Python's own thresholds, (700, 10, 10), it takes a tenth of a poll.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Any

SERVER = (10_000, 20, 20)
"""Of the web server. A request leaves some two hundred objects in circles, which are those of SQLAlchemy's statements:
up to 35 kB. They are found at the same cost when there are fewer, and so are those that later searches find."""
SERVICE = (100_000, 50, 50)
"""Of other processes that run for days and must stay small: what polls and mails, and what learns for the pages."""
COMMAND = (500_000, 50, 50)
"""Of a command, which ends within seconds. Loading everything with which one learns makes 300,000 objects; searching
them took 90 ms and found 1,400."""


def give_back_memory() -> None:
    """Give memory back to the system whenever Python has looked for garbage among objects that are not new.

    glibc keeps what threads have freed, and a server with many client apps frees much: of 198 MB, 80 were free. It
    takes some milliseconds, once in several hundred requests. Does nothing with another C library.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    malloc_trim = getattr(library, "malloc_trim", None)
    if malloc_trim is None:
        return

    def trim(phase: str, info: dict[str, Any]) -> None:
        if phase == "stop" and info["generation"] > 0:
            malloc_trim(0)

    gc.callbacks.append(trim)


def set_thresholds(thresholds: tuple[int, int, int]) -> None:
    """Let this process look for garbage as often as one of the constants says."""
    gc.set_threshold(*thresholds)
