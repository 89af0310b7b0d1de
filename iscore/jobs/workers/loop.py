"""The loop of ``iscore worker``: put what is due, claim the most urgent, do it, and again.

Nothing is remembered from one turn to the next: whatever happens to this process, the database knows what is to be
done. While the database cannot be reached, the worker waits for it. It ends when a newer iScore has changed the tables,
or when it has no rights there.

Leases of claims are prolonged while the work goes on, and the database's clock tells the time. Whichever worker comes
first plans: it reads the facts, decides what is due, and puts it into the work.
"""

from __future__ import annotations

import math
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError, DataFolderError, IscoreError
from iscore.jobs.scheduler.log_format import Log
from iscore.jobs.scheduler.tasks import with_id
from iscore.jobs.workers.due import LONGEST_PAUSE, Facts, due
from iscore.jobs.workers.tasks import TASKS, Workplace
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from storage.engine.base_database import Transaction
from storage.engine.errors import (
    DatabaseBusy,
    DatabaseReadOnly,
    DiskFull,
    LeaseLost,
    NoRights,
    NoServer,
    StorageError,
    UnknownSchema,
)
from storage.opening.database import Database
from storage.people import users
from storage.records.work import Claim, Task
from storage.stories import due_users
from storage.stream import hosts, icons
from storage.work import work
from storage.work.work import check_schema

LEASE = timedelta(minutes=1)
"""The claims of a worker that died are left alone for so long."""
RENEWED_EVERY = LEASE / 4
LONGEST_WORK = timedelta(minutes=30)
"""No lease is prolonged for longer: a worker that hangs loses its work."""


class DatabaseClock:
    """Goes on from a time that the database gave. The machine's own clock has no say in it."""

    def __init__(self, now: datetime) -> None:
        self._now, self._read = now, monotonic()

    def __call__(self) -> datetime:
        return self._now + timedelta(seconds=monotonic() - self._read)


class Held:
    """Prolongs the leases of claims in a thread, while its block runs. The leases have just begun."""

    def __init__(self, database: Database, claims: Sequence[Claim]) -> None:
        self._database = database
        self._claims = claims
        self._good_until = monotonic() + LEASE.total_seconds()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def is_good(self) -> bool:
        """Whether no lease can have ended, for all that is known without asking the database.

        It is not after this process was stopped for long, or without a network; never again once a claim is lost.
        """
        return monotonic() < self._good_until

    def _renew(self) -> None:
        end = monotonic() + LONGEST_WORK.total_seconds()
        held = True
        while held and not self._over.wait(RENEWED_EVERY.total_seconds()) and monotonic() < end:
            until = monotonic() + LEASE.total_seconds()
            with suppress(StorageError):  # else the lease ends
                with self._database.write_work() as tx:
                    held = work.renew(tx, self._claims, work.now(tx) + LEASE)
                self._good_until = until if held else -math.inf


PLAN_EVERY = timedelta(seconds=5)
"""By whichever worker comes first."""
SHARE = 100
"""Planning takes at most one part in this number of the time: with very many readers it is done less often."""
ACTIVE = timedelta(minutes=15)
"""So long after the last recorded use of a browser or an app its user counts as reading. Use is recorded every five
minutes, by the clock of the machine that serves pages."""


def plan(database: Database, *, always: bool = False) -> None:
    """Put what is due, unless some worker has done so a few seconds ago, or ``always``.

    Raises ``UnknownSchema`` and other ``StorageError``.
    """
    with database.write_work() as tx:
        check_schema(database, tx)
        now = work.now(tx)
        if work.may_plan(tx, now, always=always):
            for task, key in due_users.repaired(tx, now):
                work.try_again(tx, task, key, now)
            work.put(tx, due(_facts(tx, now)), now)
            after = work.now(tx)
            work.plan_again(tx, after + max(PLAN_EVERY, min(SHARE * (after - now), work.LONGEST_PLAN)))


def _facts(tx: Transaction, now: datetime) -> Facts:
    active = due_users.active(tx, now - ACTIVE)
    waiting = due_users.waiting(tx, unplanned_until=now + LONGEST_PAUSE)
    planned = {user: due for user, due in active.items() if due is not None}
    return Facts(
        now=now,
        hosts=hosts.due(tx, now),
        polled=work.last_finished(tx, Task.POLL),
        unmeasured=due_users.are_unmeasured(tx),
        unlearned=due_users.with_unlearned(tx),
        waiting=planned | waiting,
        active=active.keys(),
        followers=users.with_feeds_key(tx, waiting),
        readers=users.count(tx),
        digests=due_users.with_news_for(tx, Task.DIGEST),
        connections=due_users.with_due_connection(tx, now),
        synchronised=work.last_finished(tx, Task.CONNECT),
        icons=icons.are_due(tx, now),
        asked_for_icons=work.last_finished(tx, Task.ICONS),
        pruned=work.last_finished(tx, Task.PRUNE).get(""),
    )


MOST = {Task.POLL: 64}
"""Hosts that are polled together."""
IDLE = 2.0
"""Seconds to wait when nothing is due; a little more or less, so that workers do not ask all at once."""
PAUSE, LONGEST_RETRY_PAUSE = 2.0, 60.0
"""Seconds to wait after trouble with the database or the settings; doubled each time."""

_NOBODYS_FAULT = (NoServer, NoRights, DatabaseBusy, DatabaseReadOnly, DiskFull, DataFolderError)
"""Errors that say nothing against what is being worked on."""


class Worker:
    """Works on what is due in one database, one piece at a time. ``log`` gets what happens."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        log: Log,
        *,
        tasks: Collection[Task] = tuple(Task),
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folder = DataFolder(folder)
        self._database = database
        self._log = log
        self._tasks = tasks
        self._wait = wait
        self._name = f"{socket.gethostname()}:{os.getpid()}"
        with database.read() as tx:
            self._clock = DatabaseClock(work.now(tx))
        self._feeds_edited: float | None = None
        self._failed = False

    def run(self) -> None:
        """Work until interrupted. Raises ``UnknownSchema``, ``NoRights``."""
        pause = PAUSE
        while True:
            try:
                if not self._turn():
                    self._wait(IDLE * random.uniform(0.5, 1.5))  # noqa: S311 -- no secret
                pause = PAUSE
            except (UnknownSchema, NoRights):
                raise
            except (IscoreError, StorageError) as error:
                self._trouble(error)
                self._wait(pause)
                pause = min(2 * pause, LONGEST_RETRY_PAUSE)

    def once(self) -> bool:
        """Work until nothing is due; return whether all went well. Raises ``IscoreError``, ``StorageError``."""
        while self._turn(plan_always=True):
            pass
        return not self._failed

    def _turn(self, *, plan_always: bool = False) -> bool:
        """Do one piece of work; return whether there was any."""
        self._follow()
        with self._database.read() as tx:
            check_schema(self._database, tx)
            if not plan_always and not work.is_due(tx, work.now(tx), self._tasks):
                return False
        plan(self._database, always=plan_always)
        with self._database.write_work() as tx:
            check_schema(self._database, tx)
            now = work.now(tx)
            claims = work.claim(tx, now, LEASE, holder=self._name, most=MOST, tasks=self._tasks)
        self._clock = DatabaseClock(now)
        if claims:
            self._do(claims)
        return bool(claims)

    def _do(self, claims: Sequence[Claim]) -> None:
        """Do what is claimed, and record what became of it."""
        log, started = with_id(self._log), time.perf_counter()
        held = Held(self._database, claims)
        place = Workplace(self._folder, self._database, self._clock, log, held.is_good)
        try:
            with held:
                next_due = TASKS[claims[0].task](place, claims)
            with self._database.write_work() as tx:
                work.finish(tx, claims, work.now(tx), next_due)
            log(self._clock(), "job", work=claims[0].task.value, seconds=round(time.perf_counter() - started, 1))
        except LeaseLost as error:
            self._trouble(error, claims)
        except UnknownSchema:
            raise  # the leases end by themselves
        except _NOBODYS_FAULT:
            self._give_back(claims)
            raise
        except ConfigError as error:
            if claims[0].user_id is None:
                self._give_back(claims)
                raise
            self._fail(claims, error)
        except Exception as error:
            self._fail(claims, error)
        except BaseException:  # interrupted
            self._give_back(claims)
            raise

    def _give_back(self, claims: Sequence[Claim]) -> None:
        with suppress(StorageError), self._database.write_work() as tx:  # else the leases end
            work.give_back(tx, claims)

    def _fail(self, claims: Sequence[Claim], error: Exception) -> None:
        """Try again later, and not for ever."""
        ours = isinstance(error, IscoreError | StorageError)
        reason = str(error) if ours else f"unexpected {type(error).__name__}; please report this: {error}"
        reason = " ".join(reason.split())
        self._trouble(error, claims, reason)
        with self._database.write_work() as tx:
            now = work.now(tx)
            for each in claims:
                if work.fail(tx, each, now, reason):
                    self._log(self._clock(), "set-aside", trouble=True, task=each.task.value, key=each.key, what=reason)

    def _trouble(self, error: Exception, claims: Sequence[Claim] = (), reason: str = "") -> None:
        self._failed = True
        during = claims[0].task.value if claims else "look"
        key = claims[0].key if len(claims) == 1 else None
        self._log(self._clock(), "trouble", trouble=True, during=during, key=key, what=reason or str(error))

    def _follow(self) -> None:
        """Take over feeds.yaml when it was edited, as long as one user has it in the data folder."""
        try:
            edited = self._folder.feeds.stat().st_mtime
        except OSError:
            return
        if edited != self._feeds_edited:
            with self._database.read() as tx:
                user = users.first(tx).id
            session = UserSession.of(self._folder, self._database, self._clock, user)
            if not session.context.feeds.is_stored:
                Subscriptions(session).follow()
            self._feeds_edited = edited
