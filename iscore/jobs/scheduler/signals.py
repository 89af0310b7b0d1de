"""Being told to stop: what systemd sends (SIGTERM) becomes what Ctrl-C sends (SIGINT), for which all is prepared.

Everywhere that is ``KeyboardInterrupt``: what was begun is rolled back, feeds that were taken are given back. While
``asyncio`` runs it cancels the round first, which closes connections and ends the parsers.
"""

from __future__ import annotations

import signal
from types import FrameType


def stop_on_termination() -> None:
    """From now on SIGTERM interrupts. More of them change nothing: the first is being obeyed."""
    told = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal told
        if not told:
            told = True
            signal.raise_signal(signal.SIGINT)

    # A shell starts what stands before an "&" with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, interrupt)
