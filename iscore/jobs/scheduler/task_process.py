"""Runs a task in a subprocess, so that the memory it needs (several hundred megabytes) is free again afterwards.

    python -m iscore.jobs.scheduler.task_process FOLDER TASK [--progress]

TASK is a ``Task`` as JSON: ``{"poll": true, "mail": "2026-03-30", "missed": [], "user": "", "sync": false}``. It writes
one JSON line for each event, for each step if asked for progress, and at the end for how long it took. Its exit code is
the sum of what failed.

SIGTERM, which systemd sends to stop a service, becomes SIGINT, which raises ``KeyboardInterrupt``. Then transactions
are rolled back and feeds are released. While ``asyncio`` runs, it first cancels the poll, which closes connections and
ends the parser processes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import FrameType

from iscore.core import garbage_collection, timings
from iscore.core.clock import Clock, system_clock
from iscore.core.file_access import private
from iscore.core.timings import Progress
from iscore.jobs.scheduler.log_format import Log, Value
from iscore.jobs.scheduler.steps import Bar
from iscore.jobs.scheduler.tasks import (
    CRASHED,
    FEEDS_FAILED,
    Task,
    run_task,
)

PROGRESS = "--progress"


class TaskProcess:
    """Does tasks in a subprocess, one at a time, under a bar if there is one.

    ``stop`` may be called from another thread.
    """

    def __init__(self, bar: Bar | None = None) -> None:
        self._bar = bar
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def __call__(self, folder: Path, task: Task, clock: Clock, log: Log) -> int:  # noqa: ARG002 -- as ``run_task``
        """Do the task and return the sum of what failed.

        When this process is interrupted, the subprocess is, too, and this process waits for its end.
        """
        words = [sys.executable, "-P", "-m", __name__, str(folder), json.dumps(asdict(task))]
        words += [PROGRESS] if self._bar else []
        # A group of its own: Ctrl-C in the terminal reaches this process only, which passes it on once.
        with subprocess.Popen(  # noqa: S603 -- this program
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, process_group=_own_group()
        ) as process:
            self._process = process
            if self._stopped:
                process.terminate()
            try:
                _forward(process, log, self._bar or nullcontext)
                code = process.wait()
            except KeyboardInterrupt:
                process.terminate()
                _forward(process, log, nullcontext)
                process.wait()
                raise
        return code if 0 <= code <= CRASHED | FEEDS_FAILED else CRASHED

    def stop(self) -> None:
        """Interrupt the task, and every later one at once."""
        self._stopped = True
        if self._process is not None:
            self._process.terminate()


def _own_group() -> int | None:
    return 0 if os.name == "posix" else None


def _forward(process: subprocess.Popen[str], log: Log, bar: Bar) -> None:
    """Log the events that a process writes, and show its progress between them, until it ends."""
    assert process.stdout is not None  # noqa: S101 -- a pipe
    with ExitStack() as shown:
        progress: Progress | None = None
        for line in process.stdout:
            event = json.loads(line)
            if "timings" in event:
                timings.merge(event["timings"])
                continue
            if "progress" in event:
                progress = progress or shown.enter_context(bar())
                if progress is not None:
                    progress(*event["progress"])
                continue
            shown.close()
            progress = None
            log(datetime.fromisoformat(event.pop("at")), event.pop("event"), trouble=event.pop("trouble"), **event)


def _write(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
    print(json.dumps({"at": at.isoformat(), "event": event, "trouble": trouble, **values}), flush=True)


@contextmanager
def _progress_lines() -> Iterator[Progress]:
    yield lambda done, total, what: print(json.dumps({"progress": [done, total, what]}), flush=True)


def main(arguments: list[str]) -> int:
    """Run a task that another process gives; return the sum of what failed."""
    stop_on_termination()
    garbage_collection.set_thresholds(garbage_collection.SERVICE)
    folder, task, *options = arguments
    given = json.loads(task)
    try:
        with private():
            failed = run_task(
                Path(folder),
                Task(**{**given, "missed": tuple(given["missed"])}),
                system_clock(),
                _write,
                _progress_lines if PROGRESS in options else nullcontext,
            )
            print(json.dumps({"timings": timings.taken()}), flush=True)
            return failed
    except KeyboardInterrupt:
        return CRASHED


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


if __name__ == "__main__":
    code = main(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing left to interrupt
    sys.exit(code)
