"""SIGTERM, which systemd sends to stop a service, becomes SIGINT, which raises ``KeyboardInterrupt``.

Then transactions are rolled back and feeds are released. While ``asyncio`` runs, it first cancels the poll, which
closes connections and ends the parser processes.
"""

from __future__ import annotations

import signal
from types import FrameType


def stop_on_termination() -> None:
    """Make SIGTERM interrupt the process, once: further signals change nothing."""
    received = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal received
        if not received:
            received = True
            signal.raise_signal(signal.SIGINT)

    # A shell starts background jobs with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, interrupt)
