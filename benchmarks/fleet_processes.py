"""The processes of the simulated fleet, and their clock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import psycopg

from benchmarks.fleet_clock import SimulatedClock
from benchmarks.fleet_places import HOSTS, Places
from iscore.services.news_filter import NewsFilter
from storage.engine.base_database import Database
from storage.engine.errors import StorageError
from storage.records.work import Task
from storage.stories import due_users
from storage.stream import hosts
from storage.work import work
from tests.servers.postgresql import PASSWORD, USER, PostgresqlServer

WORKERS, WEBS = ("worker1", "worker2", "worker3"), ("web1", "web2")
PLACES = (HOSTS, *WORKERS, *WEBS)
ROOT = Path(__file__).parent.parent


class Process:
    """A process at a place, which can be started again. What it says is in a file."""

    def __init__(self, fleet: Fleet, name: str, words: list[str], environment: dict[str, str], place: str = "") -> None:
        self.name = name
        self.is_out = False
        """Whether it is stopped or cut off."""
        self._command = [*fleet.places.inside(place or name), sys.executable, *words]
        self._environment = {**os.environ, **environment, **fleet.clock.environment(PLACES.index(place or name) + 1)}
        self._said = fleet.logs / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        with self._said.open("ab") as said:
            self._process = subprocess.Popen(
                self._command, env=self._environment, cwd=ROOT, stdout=said, stderr=said, start_new_session=True
            )

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """Kill it, but not its children: they have to notice."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process is not None and self._process.poll() is not None

    def wait(self) -> int:
        """Wait for its end; return the exit code."""
        assert self._process is not None
        return self._process.wait(60)

    def said(self) -> str:
        """Return all that it has said."""
        return self._said.read_text(errors="replace")


class Fleet:
    """All processes, and what happens to them."""

    def __init__(
        self, folder: Path, logs: Path, places: Places, clock: SimulatedClock, server: PostgresqlServer
    ) -> None:
        self.folder = folder
        self.logs = logs
        self.places = places
        self.clock = clock
        self.server = server
        self.mail_port = places.free_port(WORKERS[0])
        self.name = server.create()
        self.processes: dict[str, Process] = {}
        self.steps = 0
        """How often time was put forward."""

    @property
    def workers(self) -> list[Process]:
        """The processes of workers."""
        return [self.processes[name] for name in WORKERS]

    def add(self, name: str, words: list[str], *, place: str = "", **environment: str) -> None:
        """Start a process at a place, which has its name or another."""
        self.processes[name] = Process(self, name, words, environment, place)
        self.processes[name].start()

    def address(self, name: str) -> str:
        """Return the address of the database as a place reaches it."""
        host, port = self.places.way_to(name, self.server.port)
        return f"postgresql://{USER}:{quote(PASSWORD, safe='')}@{host}:{port}/{self.name}?connect_timeout=5"

    @contextmanager
    def news(self) -> Iterator[NewsFilter]:
        """Open the news filter of the first reader, not through any link."""
        os.environ["ISCORE_DATABASE"] = self.server.address(self.name)
        with NewsFilter.open(self.folder / "home", clock=self.clock) as news:
            yield news

    def well(self) -> set[str]:
        """Return how the names of holders end that are well."""
        return {f":{each.pid}" for each in self.workers if not each.is_out}

    def put_forward(self, by: timedelta) -> bool:
        """Let time pass, unless a worker that is well has something in its hands; return whether it has passed.

        Nobody can claim anything meanwhile. A worker that has read the clock before and would use it afterwards loses
        its transaction.
        """
        open_ = (
            "FROM pg_stat_activity WHERE application_name = 'iscore' AND backend_type = 'client backend' "
            "AND xact_start IS NOT NULL AND pid <> pg_backend_pid() AND (host(client_addr) = ANY(%s) OR %s)"
        )
        well = [each for each in self.workers if not each.is_out]
        whose = [[self.places.address(each.name) for each in well], not self.places.database]
        with suppress(psycopg.Error), psycopg.connect(self.server.address(self.name)) as connection:
            connection.execute("SET lock_timeout = 1000; LOCK TABLE work IN EXCLUSIVE MODE")
            held = connection.execute("SELECT holder FROM work WHERE holder <> '' AND lease_until IS NOT NULL")
            if any(holder.endswith(f":{each.pid}") for (holder,) in held for each in well):
                return False
            if connection.execute(f"SELECT 1 {open_}".encode(), whose).fetchone():
                return False
            self.clock.put_forward(by)
            connection.execute("SELECT pg_stat_clear_snapshot()")
            connection.execute(f"SELECT pg_terminate_backend(pid) {open_}".encode(), whose)
            self.steps += 1
            return True
        return False

    def is_idle(self, database: Database, patient: set[int]) -> bool:
        """Whether nothing is due but what those have who are out, and for users with ``patient``."""
        with suppress(StorageError), database.read() as tx:
            now = work.now(tx)
            rows = tx.connection.exec_driver_sql("SELECT task, key, holder, due, set_aside FROM work").all()
            well = self.well()
            ours = {(task, key) for task, key, holder, _, _ in rows if any(map(str(holder).endswith, well))}
            theirs = {(task, key) for task, key, holder, _, _ in rows if holder and (task, key) not in ours}
            at = int(now.timestamp() * 1_000_000)
            due = {
                (task, key)
                for task, key, _, due, aside in rows
                if task != "plan" and due is not None and due <= at and aside is None
            }
            due |= {(Task.POLL.value, host) for host in hosts.due(tx, now)}
            # With many readers articles wait for some minutes by design: until then nothing is due for their reader.
            planned = {
                key
                for task, key, _, later, aside in rows
                if task == Task.DECIDE.value and later is not None and aside is None
            }
            users = {*due_users.waiting(tx), *due_users.with_unlearned(tx)} - patient
            due |= {(Task.DECIDE.value, str(user)) for user in users if str(user) not in planned}
            due |= {(Task.MEASURE.value, "")} if due_users.are_unmeasured(tx) else set()
            return not ours and not due - theirs
        return False
