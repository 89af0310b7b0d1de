"""The loop of ``iscore run``: look, do what is due, wait; one of them a home.

    look ─► due (pure) ─► poll, mail ─► log
     ▲                                   │
     └────────── wait, a minute at most ─┘

The home is opened anew each time, so that settings and feeds may be edited meanwhile. Waits go by a clock that nobody
sets and are short: after sleep, or when the clock is set, what is due is looked up again within a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Protocol

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.file_lock import exclusive_lock
from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.scheduler.plan import Known, due, next_mail
from iscore.services.news_filter import NewsFilter
from storage.errors import StorageError
from storage.records import MailState

STEP = timedelta(minutes=1)
"""The longest wait."""
JUMP = timedelta(minutes=2)
"""The clock may be put right by less."""
SETTLE = 20.0
"""Seconds after sleep before the network is asked for anything: it needs them to come up."""
SHORTEST_REST, LONGEST_REST = 60.0, 3600.0
"""Seconds of rest after something failed that may fail again at once; doubled each time."""
REMEMBERED = 31
"""Editions whose mail is looked at."""
ROUND_FAILED, MAIL_FAILED, FEEDS_FAILED = 1, 2, 4
"""What work answers is their sum. When all feeds failed, each of them has a pause of its own already."""


class Log(Protocol):
    """Where events go."""

    def __call__(self, at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        """Tell an event; ``trouble``: somebody may want to do something about it."""


class Rest:
    """How long something that failed is left alone: twice as long each time."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._seconds = 0.0
        self._until = float("-inf")

    def over(self) -> bool:
        """Whether it may be tried."""
        return self._monotonic() >= self._until

    def begin(self) -> None:
        """It has failed."""
        self._seconds = min(max(SHORTEST_REST, 2 * self._seconds), LONGEST_REST)
        self._until = self._monotonic() + self._seconds

    def end(self) -> None:
        """It has worked."""
        self._seconds, self._until = 0.0, float("-inf")

    def note(self, *, failed: bool) -> None:
        """It was tried."""
        if failed:
            self.begin()
        else:
            self.end()


class Loop:
    """One person's home, kept up to date. ``apart`` does a piece of work, perhaps elsewhere, and gives its answer."""

    def __init__(
        self,
        home: Path,
        clock: Clock,
        log: Log,
        *,
        wait: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        apart: Callable[[Callable[[], int]], int] = lambda work: work(),
    ) -> None:
        self._home = DataFolder(home)
        self._apart = apart
        self._clock = clock
        self._log = log
        self._wait = wait
        self._monotonic = monotonic
        self._round_began: float | None = None
        self._feeds_edited: float | None = None
        self._polling, self._mailing, self._looking = (Rest(monotonic) for _ in range(3))

    def run(self, begun: Callable[[], None] = lambda: None) -> None:
        """Go on until interrupted; call ``begun`` when this process is the one.

        Raises ``LockedError`` when another is, ``DataFolderError``.
        """
        with self._alone():
            begun()
            while True:
                look_again = self._turn()[1]
                self._pause(look_again)

    def once(self) -> bool:
        """Do what is due now, or tell when something will be; whether all went well. Raises as ``run``."""
        with self._alone():
            return self._turn(told=True)[0]

    def _alone(self) -> AbstractContextManager[None]:
        self._home.require()
        return exclusive_lock(self._home.path / "run.lock", "`iscore run` is at work on this home")

    def _turn(self, *, told: bool = False) -> tuple[bool, datetime]:
        """Look, and do what is due. Return whether it went well, and when to look again.

        With ``told``, also tell that nothing is due, and when something will be.
        """
        later = self._clock() + STEP
        if not self._looking.over():
            return False, later
        try:
            with NewsFilter.open(self._home.path, clock=self._clock) as news:
                known = self._known(news)
                plan = due(known)
                if told and not (plan.poll or plan.mail or plan.missed):
                    self._tell_what_comes(known, news.subscriptions.next_due())
        except (IscoreError, StorageError) as error:
            self._tell_trouble("look", error)
            self._looking.begin()
            return False, later
        self._looking.end()
        poll = plan.poll and self._polling.over()
        mail = plan.mail if self._mailing.over() else None
        well = True
        if poll or mail or plan.missed:
            if poll:
                self._round_began = self._monotonic()
            failed = self._apart(lambda: self._work(poll, mail, plan.missed))
            if poll:
                self._polling.note(failed=bool(failed & ROUND_FAILED))
            if mail:
                self._mailing.note(failed=bool(failed & MAIL_FAILED))
            well = not failed
        return well, min(plan.look_again, later)

    def _known(self, news: NewsFilter) -> Known:
        edited = self._edited()
        if edited != self._feeds_edited:
            news.subscriptions.follow()
            self._feeds_edited = edited
        return Known(
            now=self._clock(),
            feeds_due=news.subscriptions.is_due(),
            since_round=None if self._round_began is None else timedelta(seconds=self._monotonic() - self._round_began),
            wants_mail=news.mail.is_wanted(),
            digest_at=news.mail.digest_at,
            zone=news.mail.zone,
            # What has a later date was made while the clock was ahead.
            mailings=news.mail.mailings(REMEMBERED, news.mail.today() + timedelta(days=1)),
        )

    def _tell_what_comes(self, known: Known, next_due: datetime | None) -> None:
        self._log(known.now, "idle", next_poll=_moment(next_due), next_mail=_moment(next_mail(known)))

    def _work(self, poll: bool, mail: date | None, missed: Sequence[str]) -> int:
        """Do it; return the sum of what failed."""
        failed = 0
        try:
            with NewsFilter.open(self._home.path, clock=self._clock) as news:
                for edition in missed:
                    news.mail.miss(edition)
                    self._log(self._clock(), "mail", trouble=True, digest=edition, state="missed")
                if poll:
                    failed |= self._poll(news)
                if mail is not None and not self._mail(news, mail):
                    failed |= MAIL_FAILED
        except (IscoreError, StorageError) as error:
            self._tell_trouble("work", error)
            return ROUND_FAILED | MAIL_FAILED
        return failed

    def _mail(self, news: NewsFilter, edition: date) -> bool:
        try:
            view = news.mail.send(edition, by_hand=False)
        except (IscoreError, StorageError) as error:
            self._tell_trouble("mail", error, digest=edition.isoformat())
            return False
        sent = None if view.state is MailState.EMPTY else view.message_id  # no message has it
        self._log(self._clock(), "mail", digest=view.edition, state=view.state, message_id=sent)
        return True

    def _poll(self, news: NewsFilter) -> int:
        try:
            view = news.poll()
        except (IscoreError, StorageError) as error:
            self._tell_trouble("poll", error)
            return ROUND_FAILED
        now = self._clock()
        self._log(
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
            self._log(now, "warning", trouble=True, what=warning)
        for problem in (*view.problems, *view.moved, *view.page_problems):
            self._log(now, "feed", trouble=True, title=problem.title, url=problem.url, what=problem.error)
        for each in view.extractor_problems:
            self._log(now, "extractor", trouble=True, name=each.name, what=each.reason)
        return FEEDS_FAILED if view.feeds and view.failed == view.feeds else 0

    def _tell_trouble(self, during: str, error: Exception, **values: Value) -> None:
        self._log(self._clock(), "trouble", trouble=True, during=during, **values, what=str(error))

    def _pause(self, until: datetime) -> None:
        """Wait until then, a minute at most; tell if the clock went on by more or less than that meanwhile."""
        before, began = self._clock(), self._monotonic()
        self._wait(min(max((until - before).total_seconds(), 0.0), STEP.total_seconds()))
        after = self._clock()
        jump = (after - before) - timedelta(seconds=self._monotonic() - began)
        if abs(jump) > JUMP:
            self._log(after, "clock", jump=f"{jump.total_seconds():+.0f}s", before=f"{before.astimezone(UTC):%FT%TZ}")
        if jump > JUMP:
            self._wait(SETTLE)

    def _edited(self) -> float | None:
        try:
            return self._home.feeds.stat().st_mtime
        except OSError:
            return None


def _moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at.astimezone(UTC):%FT%TZ}"
