"""The loop of ``iscore run`` and ``iscore serve``: check what is due, do it, wait. One process per data folder.

    check ─► due (pure) ─► task: poll, mail, synchronise, icons ─► log
      ▲                                                             │
      └─────────────────── wait, at most a minute ──────────────────┘

The data folder is opened anew each time, so settings and feeds may be edited meanwhile. Waiting uses the monotonic
clock in short steps: after sleep, or when the clock is set, the loop checks again within a minute.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.file_access import exclusive_lock
from iscore.jobs.scheduler.log_format import Log
from iscore.jobs.scheduler.plan import Due, Known, due, next_mail
from iscore.jobs.scheduler.steps import known_of
from iscore.jobs.scheduler.tasks import ICONS_FAILED, MAIL_FAILED, POLL_FAILED, SYNC_FAILED, Run, Task, run_task
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import StorageError

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


@dataclass(frozen=True, slots=True)
class _Planned:
    """What is due for a user."""

    user: str
    """Their name; empty for an only one."""
    known: Known
    due: Due


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
        self.polls_pause_until = float("-inf")
        """No poll begins before, by the monotonic clock."""
        self._last_poll: float | None = None
        self._feeds_edited: float | None = None
        self._poll_backoff, self._check_backoff, self._icon_backoff = (Backoff(monotonic) for _ in range(3))
        self._mail_backoff, self._sync_backoff, self._user_backoff = (
            defaultdict[str, Backoff](lambda: Backoff(monotonic)) for _ in range(3)
        )

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
                planned = self._planned(news)
                icons = self._icon_backoff.is_over() and news.icons.are_due()
                well = len(planned) == len(news.people.names())
                if log_idle and well and not icons and not any(_is_anything(each.due) for each in planned):
                    self._log_idle(news, planned)
        except (IscoreError, StorageError) as error:
            self._log(self._clock(), "trouble", trouble=True, during="look", what=str(error))
            self._check_backoff.record(failed=True)
            return False, later
        self._check_backoff.record(failed=False)
        poll = any(each.due.poll for each in planned) and self._poll_backoff.is_over()
        poll = poll and self._monotonic() >= self.polls_pause_until
        failed = 0
        for each in planned:
            mail_backoff = self._mail_backoff[each.user]
            mail = each.due.mail.isoformat() if each.due.mail and mail_backoff.is_over() else None
            asked_for = each.known.next_sync is None
            sync = each.due.sync and (asked_for or self._sync_backoff[each.user].is_over())
            if not (poll or mail or sync or each.due.missed or each.due.code):
                continue
            if poll:
                self._last_poll = self._monotonic()
            task = Task(poll, mail, each.due.missed, each.user, sync, each.due.code)
            done = self._run_task(self._folder.path, task, self._clock, self._log)
            if poll:
                self._poll_backoff.record(failed=bool(done & POLL_FAILED))
            if mail:
                mail_backoff.record(failed=bool(done & MAIL_FAILED))
            if sync:
                self._sync_backoff[each.user].record(failed=bool(done & SYNC_FAILED))
            failed |= done
            poll = False  # once for all
        if icons:
            done = self._run_task(self._folder.path, Task(False, None, (), icons=True), self._clock, self._log)
            self._icon_backoff.record(failed=bool(done & ICONS_FAILED))
        return well and not failed, min([later, *(each.due.check_again for each in planned)])

    def _log_idle(self, news: NewsFilter, planned: Sequence[_Planned]) -> None:
        mails = [moment for each in planned if (moment := next_mail(each.known)) is not None]
        next_poll, first_mail = news.subscriptions.next_due(), min(mails, default=None)
        self._log(self._clock(), "idle", next_poll=_utc(next_poll), next_mail=_utc(first_mail))

    def _planned(self, news: NewsFilter) -> list[_Planned]:
        """Decide what is due for each user. Whose settings or feeds are not in order is left out, and logged."""
        people = news.people.names()
        if len(people) == 1:
            known = self._known(news)
            return [_Planned("", known, due(known))]
        planned = []
        for user_id, name in people.items():
            backoff = self._user_backoff[name]
            if not backoff.is_over():
                continue
            try:
                known = self._known(news.for_user(user_id))
            except (IscoreError, StorageError) as error:
                self._log(self._clock(), "trouble", trouble=True, during="look", user=name, what=str(error))
                backoff.record(failed=True)
            else:
                backoff.record(failed=False)
                planned.append(_Planned(name, known, due(known)))
        return planned

    def _known(self, news: NewsFilter) -> Known:
        edited = self._feeds_file_time()
        if edited != self._feeds_edited:
            news.subscriptions.follow()
            self._feeds_edited = edited
        since = None if self._last_poll is None else timedelta(seconds=self._monotonic() - self._last_poll)
        return known_of(news, self._clock(), since)

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


def _is_anything(due: Due) -> bool:
    return bool(due.poll or due.mail or due.missed or due.sync or due.code)


def _utc(at: datetime | None) -> str | None:
    return None if at is None else f"{at.astimezone(UTC):%FT%TZ}"
