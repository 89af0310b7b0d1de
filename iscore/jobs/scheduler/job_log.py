"""An id for each task of the scheduler: in all that it logs, and in a last line that says how it ended."""

from __future__ import annotations

import secrets
import time
from datetime import datetime
from pathlib import Path

from iscore.core.clock import Clock
from iscore.jobs.scheduler.log_format import Log, Value
from iscore.jobs.scheduler.tasks import FEEDS_FAILED, MAIL_FAILED, POLL_FAILED, SYNC_FAILED, Run, Task

_FAILED = {POLL_FAILED: "poll", MAIL_FAILED: "mail", FEEDS_FAILED: "feeds", SYNC_FAILED: "connect"}


def with_id(log: Log) -> Log:
    """Return a log that adds a new id to each event."""
    job = secrets.token_hex(8)

    def identified(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        log(at, event, trouble=trouble, job=job, **values)

    return identified


def with_job_ids(run: Run) -> Run:
    """Return ``run`` with an id in each event that it logs, and an event ``job`` at the end of each task."""

    def identified(folder: Path, task: Task, clock: Clock, log: Log) -> int:
        log = with_id(log)
        started = time.perf_counter()
        failed = run(folder, task, clock, log)
        asked = {"poll": task.poll, "mail": task.mail, "missed": task.missed, "connect": task.sync}
        log(
            clock(),
            "job",
            work=" ".join(name for name, wanted in asked.items() if wanted),
            failed=" ".join(name for bit, name in _FAILED.items() if failed & bit),
            seconds=round(time.perf_counter() - started, 1),
        )
        return failed

    return identified
