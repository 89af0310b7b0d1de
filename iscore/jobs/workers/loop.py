"""The loop of ``iscore worker``: put what is due, claim the most urgent, do it, and again.

Nothing is remembered from one turn to the next: whatever happens to this process, the database knows what is to be
done. While the database cannot be reached, the worker waits for it. It ends when a newer iScore has changed the tables,
or when it has no rights there.
"""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError, DataFolderError, IscoreError
from iscore.jobs.scheduler.job_log import with_id
from iscore.jobs.scheduler.log_format import Log
from iscore.jobs.workers.lease import LEASE, DatabaseClock, Held
from iscore.jobs.workers.plan import plan
from iscore.jobs.workers.tasks import TASKS, Workplace
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
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
from storage.work import work
from storage.work.work import check_schema

MOST = {Task.POLL: 64}
"""Hosts that are polled together."""
IDLE = 2.0
"""Seconds to wait when nothing is due; a little more or less, so that workers do not ask all at once."""
PAUSE, LONGEST_PAUSE = 2.0, 60.0
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
                pause = min(2 * pause, LONGEST_PAUSE)

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
                due = TASKS[claims[0].task](place, claims)
            with self._database.write_work() as tx:
                work.finish(tx, claims, work.now(tx), due)
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
