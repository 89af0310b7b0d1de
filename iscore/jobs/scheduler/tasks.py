"""What the scheduler does at a time: poll feeds, mail a digest, give up missed digests, confirm an address,
synchronise a connection, find the icons of feeds.

Each task has an id, in all that it logs, and in a last line that says how it ended.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from iscore.core.clock import Clock
from iscore.core.errors import IscoreError
from iscore.feeds.urls import hide_secrets, without_secrets
from iscore.jobs.scheduler import steps
from iscore.jobs.scheduler.log_format import Log, Value
from iscore.jobs.scheduler.steps import Bar
from iscore.services.news_filter import NewsFilter
from iscore.services.shared_polling import poll_for_all
from storage.engine.errors import StorageError

POLL_FAILED, MAIL_FAILED, FEEDS_FAILED, SYNC_FAILED, ICONS_FAILED = 1, 2, 4, 8, 16
"""``FEEDS_FAILED``: every feed failed. Each of them then waits by its own schedule."""
CRASHED = POLL_FAILED | MAIL_FAILED | SYNC_FAILED | ICONS_FAILED


@dataclass(frozen=True, slots=True)
class Task:
    """What to do."""

    poll: bool
    mail: str | None
    """The date of the digest to mail."""
    missed: tuple[str, ...]
    """Dates of digests that will never be made."""
    user: str = ""
    """Whose digests these are, where several people share the data folder."""
    sync: bool = False
    """Whether to synchronise the user's connection to another reader server."""
    code: bool = False
    """Whether to mail a code that confirms the user's address."""
    icons: bool = False
    """Whether to ask sites for the icons of feeds."""


def run_task(folder: Path, task: Task, clock: Clock, log: Log, bar: Bar = nullcontext) -> int:
    """Do the task in this process and return the sum of what failed. No bar is open when something is logged."""

    def event(name: str, *, trouble: bool = False, **values: Value) -> None:
        if task.user:
            values = {"user": task.user, **values}
        log(clock(), name, trouble=trouble, **values)

    def trouble(during: str, error: Exception, **values: Value) -> None:
        event("trouble", trouble=True, during=during, **values, what=str(error))

    failed = 0
    try:
        with NewsFilter.open(folder, user=task.user, clock=clock) as news:
            steps.miss(news, task.missed, event)
            if task.code and not steps.confirm(news, event):
                failed |= MAIL_FAILED
            if task.sync and not steps.synchronise(news, event, bar):
                failed |= SYNC_FAILED
            if task.poll:
                try:
                    failed |= _poll(news, clock, log, bar)
                except (IscoreError, StorageError) as error:
                    trouble("poll", error)
                    failed |= POLL_FAILED
            if task.mail is not None and not steps.mail(news, task.mail, event, bar):
                failed |= MAIL_FAILED
            if task.icons and not steps.find_icons(news, event):
                failed |= ICONS_FAILED
    except (IscoreError, StorageError) as error:
        trouble("work", error)
        return CRASHED
    return failed


def _poll(news: NewsFilter, clock: Clock, log: Log, bar: Bar) -> int:
    with bar() as progress:
        view = poll_for_all(news, progress=progress)
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
        title, what = hide_secrets(problem.title), hide_secrets(problem.error)
        log(now, "feed", trouble=True, title=title, url=without_secrets(problem.url), what=what)
    for each in view.extractor_problems:
        log(now, "extractor", trouble=True, name=each.name, what=each.reason)
    return FEEDS_FAILED if view.feeds and view.failed == view.feeds else 0


Run = Callable[[Path, Task, Clock, Log], int]


_FAILED = {
    POLL_FAILED: "poll",
    MAIL_FAILED: "mail",
    FEEDS_FAILED: "feeds",
    SYNC_FAILED: "connect",
    ICONS_FAILED: "icons",
}


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
        asked = {"poll": task.poll, "mail": task.mail, "missed": task.missed, "code": task.code}
        asked |= {"connect": task.sync, "icons": task.icons}
        log(
            clock(),
            "job",
            work=" ".join(name for name, wanted in asked.items() if wanted),
            failed=" ".join(name for bit, name in _FAILED.items() if failed & bit),
            seconds=round(time.perf_counter() - started, 1),
        )
        return failed

    return identified
