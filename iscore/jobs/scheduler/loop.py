"""The loop of ``iscore run`` and ``iscore serve``: check what is due, do it, wait. One process per data folder.

    check ─► due (pure) ─► worker: poll, mail ─► log
      ▲                                           │
      └────────── wait, at most a minute ─────────┘

The data folder is opened anew each time, so settings and feeds may be edited meanwhile. Waiting uses the monotonic
clock in short steps: after sleep, or when the clock is set, the loop checks again within a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.file_lock import exclusive_lock
from iscore.jobs.mail.sender import MailSender
from iscore.jobs.scheduler.log_format import Log
from iscore.jobs.scheduler.plan import Known, due, next_mail
from iscore.jobs.scheduler.worker import MAIL_FAILED, POLL_FAILED, Run, Task, run_task
from iscore.services.news_filter import NewsFilter
from storage.errors import StorageError

STEP = timedelta(minutes=1)
"""The longest wait."""
JUMP = timedelta(minutes=2)
"""Smaller corrections of the clock are not logged."""
NETWORK_DELAY = 20.0
"""Seconds to wait after sleep, so that the network is up again."""
SHORTEST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
"""Seconds to pause after a failure; doubled each time."""
POLLS = "that process polls and mails"
"""What the log says of another process that has the lock."""
REMEMBERED = 31
"""Digests whose mail is looked at."""


class Backoff:
    """Pauses something that failed, twice as long each time."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._seconds = 0.0
        self._until = float("-inf")

    def is_over(self) -> bool:
        """Whether it may be tried again."""
        return self._monotonic() >= self._until

    def record(self, *, failed: bool) -> None:
        """Record the outcome of a try."""
        if failed:
            self._seconds = min(max(SHORTEST_PAUSE, 2 * self._seconds), LONGEST_PAUSE)
            self._until = self._monotonic() + self._seconds
        else:
            self._seconds, self._until = 0.0, float("-inf")


class Loop:
    """Keeps one data folder up to date. ``run_task`` does the work, here or in a subprocess."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        log: Log,
        *,
        wait: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        run_task: Run = run_task,
    ) -> None:
        self._folder = DataFolder(folder)
        self._run_task = run_task
        self._clock = clock
        self._log = log
        self._wait = wait
        self._monotonic = monotonic
        self._last_poll: float | None = None
        self._feeds_edited: float | None = None
        self._poll_backoff, self._mail_backoff, self._check_backoff = (Backoff(monotonic) for _ in range(3))

    def run(self, on_start: Callable[[], None] = lambda: None, *, stopped: Callable[[], bool] = lambda: False) -> None:
        """Run until interrupted or ``stopped``; call ``on_start`` once this process has the lock.

        Raises ``LockedError`` when another process has it, ``DataFolderError``.
        """
        with self._locked():
            on_start()
            while not stopped():
                self._pause(self._step()[1])

    def once(self) -> bool:
        """Do what is due now, or log when something will be; return whether all went well. Raises as ``run``."""
        with self._locked():
            return self._step(log_idle=True)[0]

    def _locked(self) -> AbstractContextManager[None]:
        self._folder.require()
        return exclusive_lock(
            self._folder.path / "run.lock", "`iscore run` or `iscore serve` is running on this data folder"
        )

    def _step(self, *, log_idle: bool = False) -> tuple[bool, datetime]:
        """Check, and do what is due. Return whether it went well, and when to check again."""
        later = self._clock() + STEP
        if not self._check_backoff.is_over():
            return False, later
        try:
            with NewsFilter.open(self._folder.path, clock=self._clock) as news:
                known = self._known(news)
                plan = due(known)
                if log_idle and not (plan.poll or plan.mail or plan.missed):
                    next_poll = news.subscriptions.next_due()
                    self._log(known.now, "idle", next_poll=_utc(next_poll), next_mail=_utc(next_mail(known)))
        except (IscoreError, StorageError) as error:
            self._log(self._clock(), "trouble", trouble=True, during="look", what=str(error))
            self._check_backoff.record(failed=True)
            return False, later
        self._check_backoff.record(failed=False)
        poll = plan.poll and self._poll_backoff.is_over()
        mail = plan.mail.isoformat() if plan.mail and self._mail_backoff.is_over() else None
        failed = 0
        if poll or mail or plan.missed:
            if poll:
                self._last_poll = self._monotonic()
            failed = self._run_task(self._folder.path, Task(poll, mail, plan.missed), self._clock, self._log)
            if poll:
                self._poll_backoff.record(failed=bool(failed & POLL_FAILED))
            if mail:
                self._mail_backoff.record(failed=bool(failed & MAIL_FAILED))
        return not failed, min(plan.check_again, later)

    def _known(self, news: NewsFilter) -> Known:
        edited = self._feeds_file_time()
        if edited != self._feeds_edited:
            news.subscriptions.follow()
            self._feeds_edited = edited
        sender = MailSender.of(news)
        return Known(
            now=self._clock(),
            feeds_due=news.subscriptions.is_due(),
            since_poll=None if self._last_poll is None else timedelta(seconds=self._monotonic() - self._last_poll),
            wants_mail=sender.is_wanted(),
            digest_at=sender.digest_at,
            zone=sender.zone,
            # A later date means that the clock was ahead.
            mailings=sender.mailings(REMEMBERED, sender.today() + timedelta(days=1)),
        )

    def _pause(self, until: datetime) -> None:
        """Wait until then, at most a minute; log if the clock jumped meanwhile."""
        before, started = self._clock(), self._monotonic()
        self._wait(min(max((until - before).total_seconds(), 0.0), STEP.total_seconds()))
        after = self._clock()
        jump = (after - before) - timedelta(seconds=self._monotonic() - started)
        if abs(jump) > JUMP:
            self._log(after, "clock", jump=f"{jump.total_seconds():+.0f}s", before=f"{before.astimezone(UTC):%FT%TZ}")
        if jump > JUMP:
            self._wait(NETWORK_DELAY)

    def _feeds_file_time(self) -> float | None:
        try:
            return self._folder.feeds.stat().st_mtime
        except OSError:
            return None


def _utc(at: datetime | None) -> str | None:
    return None if at is None else f"{at.astimezone(UTC):%FT%TZ}"
