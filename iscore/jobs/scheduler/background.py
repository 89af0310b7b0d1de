"""The scheduler in a thread of another program, such as ``iscore serve``.

Only one process polls a data folder. While another one does, this one waits, and takes over when that has ended.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Self

from iscore.core.clock import Clock
from iscore.core.errors import IscoreError
from iscore.core.file_access import LockedError
from iscore.jobs.scheduler.log_format import Log
from iscore.jobs.scheduler.loop import POLLS, Loop
from iscore.jobs.scheduler.task_process import TaskProcess
from iscore.jobs.scheduler.tasks import with_job_ids

RETRY = 60.0
"""Seconds until it tries again, after an error or while another process polls."""
END = 20.0
"""Seconds; a mail that is being sent takes up to five."""


class BackgroundScheduler:
    """Runs the loop from ``start`` to ``stop``, or to the end of a ``with`` block.

    No error leaves the thread: each becomes a line of the log.
    """

    def __init__(self, folder: Path, clock: Clock, log: Log) -> None:
        self._clock = clock
        self._log = log
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self._tasks = TaskProcess()
        self._loop = Loop(folder, clock, log, wait=self._wait, run_task=with_job_ids(self._tasks))
        # A daemon thread, so that it never blocks the end of the process; what it leaves undone is due again.
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Check at once what is due."""
        self._loop.polls_pause_until = float("-inf")
        self._woken.set()

    def pause_polls(self, seconds: float) -> None:
        """Begin no poll for some seconds, or until ``wake``."""
        self._loop.polls_pause_until = time.monotonic() + seconds

    def stop(self) -> None:
        """Interrupt a running poll, and wait for its end, at most ``END`` seconds."""
        self._stopping.set()
        self._woken.set()
        self._tasks.stop()
        if self._thread.is_alive():
            self._thread.join(END)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _wait(self, seconds: float) -> None:
        self._woken.wait(seconds)
        if not self._stopping.is_set():
            self._woken.clear()

    def _run(self) -> None:
        other = ""
        while not self._stopping.is_set():
            try:
                self._loop.run(stopped=self._stopping.is_set)
            except LockedError as error:
                if error.holder != other:
                    other = error.holder
                    self._log(self._clock(), "leave", process=other, what=POLLS)
            except Exception as error:  # the program that started this goes on
                what = str(error) if isinstance(error, IscoreError) else f"unexpected {type(error).__name__}: {error}"
                self._log(self._clock(), "trouble", trouble=True, during="schedule", what=what)
            self._wait(RETRY)
