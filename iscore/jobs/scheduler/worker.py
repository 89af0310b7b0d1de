"""One piece of the scheduler's work: poll feeds, mail a digest, give up missed digests.

The scheduler runs it in a subprocess, so that the memory it needs (several hundred megabytes) is free again afterwards:

    python -m iscore.jobs.scheduler.worker FOLDER '{"poll": true, "mail": "2026-03-30", "missed": []}'

It writes one JSON line for each event. Its exit code is the sum of what failed.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path

from iscore.core.clock import Clock, system_clock
from iscore.core.errors import IscoreError
from iscore.core.file_permissions import private
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.scheduler.log_format import Log, Value
from iscore.jobs.scheduler.signals import stop_on_termination
from iscore.services.news_filter import NewsFilter
from storage.errors import StorageError
from storage.records import MailState

POLL_FAILED, MAIL_FAILED, FEEDS_FAILED = 1, 2, 4
"""``FEEDS_FAILED``: every feed failed. Each of them then waits by its own schedule."""
CRASHED = POLL_FAILED | MAIL_FAILED


@dataclass(frozen=True, slots=True)
class Task:
    """What to do."""

    poll: bool
    mail: str | None
    """The date of the digest to mail."""
    missed: tuple[str, ...]
    """Dates of digests that will never be made."""


def run_task(folder: Path, task: Task, clock: Clock, log: Log) -> int:
    """Do the task in this process and return the sum of what failed."""

    def trouble(during: str, error: Exception, **values: Value) -> None:
        log(clock(), "trouble", trouble=True, during=during, **values, what=str(error))

    failed = 0
    try:
        with NewsFilter.open(folder, clock=clock) as news:
            for edition in task.missed:
                MailSender.of(news).miss(edition)
                log(clock(), "mail", trouble=True, digest=edition, state="missed")
            if task.poll:
                try:
                    failed |= _poll(news, clock, log)
                except (IscoreError, StorageError) as error:
                    trouble("poll", error)
                    failed |= POLL_FAILED
            if task.mail is not None:
                try:
                    view = MailSender.of(news).send(date.fromisoformat(task.mail), by_hand=False)
                except (IscoreError, StorageError) as error:
                    trouble("mail", error, digest=task.mail)
                    failed |= MAIL_FAILED
                else:
                    sent = None if view.state is MailState.EMPTY else view.message_id
                    log(clock(), "mail", digest=view.edition, state=view.state, message_id=sent)
    except (IscoreError, StorageError) as error:
        trouble("work", error)
        return CRASHED
    return failed


def _poll(news: NewsFilter, clock: Clock, log: Log) -> int:
    view = news.poll()
    now = clock()
    log(
        now,
        "poll",
        feeds=view.feeds,
        changed=view.changed,
        failed=view.failed,
        new=view.new_articles,
        recommended=view.recommended,
        explored=view.explored,
        seconds=round(view.seconds, 1),
    )
    for warning in view.warnings:
        log(now, "warning", trouble=True, what=warning)
    for problem in (*view.problems, *view.moved, *view.page_problems):
        log(now, "feed", trouble=True, title=problem.title, url=problem.url, what=problem.error)
    for each in view.extractor_problems:
        log(now, "extractor", trouble=True, name=each.name, what=each.reason)
    return FEEDS_FAILED if view.feeds and view.failed == view.feeds else 0


class TaskProcess:
    """Does tasks in a subprocess, one at a time. ``stop`` may be called from another thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def __call__(self, folder: Path, task: Task, clock: Clock, log: Log) -> int:  # noqa: ARG002 -- as ``run_task``
        """Do the task and return the sum of what failed.

        When this process is interrupted, the subprocess is, too, and this process waits for its end.
        """
        words = [sys.executable, "-P", "-m", __name__, str(folder), json.dumps(asdict(task))]
        # A group of its own: Ctrl-C in the terminal reaches this process only, which passes it on once.
        with subprocess.Popen(  # noqa: S603 -- this program
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, process_group=_own_group()
        ) as process:
            self._process = process
            if self._stopped:
                process.terminate()
            try:
                _forward(process, log)
                code = process.wait()
            except KeyboardInterrupt:
                process.terminate()
                _forward(process, log)
                process.wait()
                raise
        return code if 0 <= code <= POLL_FAILED | MAIL_FAILED | FEEDS_FAILED else CRASHED

    def stop(self) -> None:
        """Interrupt the task, and every later one at once."""
        self._stopped = True
        if self._process is not None:
            self._process.terminate()


def _own_group() -> int | None:
    return 0 if os.name == "posix" else None


def _forward(worker: subprocess.Popen[str], log: Log) -> None:
    """Log the events that a worker writes, until it ends."""
    assert worker.stdout is not None  # noqa: S101 -- a pipe
    for line in worker.stdout:
        event = json.loads(line)
        log(datetime.fromisoformat(event.pop("at")), event.pop("event"), trouble=event.pop("trouble"), **event)


def _write(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
    print(json.dumps({"at": at.isoformat(), "event": event, "trouble": trouble, **values}), flush=True)


def main(arguments: list[str]) -> int:
    """Run a task that another process gives; return the sum of what failed."""
    stop_on_termination()
    gc.set_threshold(100_000, 50, 50)  # as for commands: thousands of articles in memory are not garbage
    folder, task = arguments
    given = json.loads(task)
    try:
        with private():
            return run_task(
                Path(folder), Task(given["poll"], given["mail"], tuple(given["missed"])), system_clock(), _write
            )
    except KeyboardInterrupt:
        return CRASHED


Run = Callable[[Path, Task, Clock, Log], int]

if __name__ == "__main__":
    code = main(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing left to interrupt
    sys.exit(code)
