"""Work in a child process: what it loads and learns, some hundred megabytes, goes with it when it is done.

The parent stays small, since it waits nearly always. The lock on the home is shared with the child; it is free when
both have ended. To be called while there is no other thread.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

CRASHED = 255
"""All has failed."""

_STOPPING = {signal.SIGINT, signal.SIGTERM}


def in_a_child(work: Callable[[], int]) -> int:
    """Return what ``work`` returns, 0 to 255; ``CRASHED`` when the child ended in another way.

    When the parent is interrupted, so is the child; the parent waits for its end before it goes on with its own.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)  # until both know who they are
    child = os.fork()
    if child == 0:
        os._exit(_worked(work, heard))
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        raise
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else CRASHED


def _worked(work: Callable[[], int], heard: set[int]) -> int:
    try:
        os.setpgrp()  # Ctrl-C is for the parent, who passes it on once
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        code = work()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return CRASHED
    except BaseException:  # nothing of the parent's may go on in the child
        traceback.print_exc()
        return CRASHED
    return code
