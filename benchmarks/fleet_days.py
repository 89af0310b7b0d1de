"""Three days of a fleet in ten minutes, while things break: whether anything is lost, doubled, or asked by two at once.

    python -m benchmarks.fleet_days [--minutes 9] [--readers 16] [--hosts 50] [--every 8]

Three workers, two web processes with readers who give verdicts over HTTP, a PostgreSQL server, hosts with feeds, and a
mail server. Each is a process of its own, at a place of its own (``fleet_places``); all have one clock, which is put
forward (``fleet_clock``) whenever no worker that is well has anything in its hands. So three days pass, and each poll,
judgement and digest is done when it is due, at the speed of this machine; nobody's lease ends because of that.

Every few seconds something breaks, in turn (``KINDS``). Who is stopped or cut off stays so for longer than a lease by
any clock. In the end all is mended, and the database, the hosts' log and the readers' own notes are searched for
faults (``fleet_checks``).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg

from benchmarks import fleet_clock, results
from benchmarks.fleet_checks import Figures, check
from benchmarks.fleet_clock import SimulatedClock
from benchmarks.fleet_hosts import Setup
from benchmarks.fleet_places import HOSTS, Namespaces, Places, Proxies, in_private_namespace, may_have_namespaces
from benchmarks.fleet_readers import Readers
from iscore.jobs.scheduler.signals import stop_on_termination
from iscore.jobs.workers.lease import LEASE
from iscore.services.accounts import Accounts
from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from storage import due_users, hosts, work
from storage.base_database import Database
from storage.database import open_database
from storage.errors import StorageError
from storage.records import Task
from tests.servers import postgresql
from tests.servers.postgresql import PASSWORD, USER, PostgresqlServer

WORKERS, WEBS = ("worker1", "worker2", "worker3"), ("web1", "web2")
PLACES = (HOSTS, *WORKERS, *WEBS)
DAYS = timedelta(days=3)
OUT = LEASE.total_seconds() + 8
"""Seconds for which a worker is stopped or cut off: longer than a lease, and longer than a silent connection lasts."""
WEB_OUT = 15.0
RESTART = 3.0
"""Seconds after which a process is started again that could not start, since the database was just being restarted."""
WRONG_CLOCK = timedelta(hours=2)
START = 180.0
"""Seconds in which everything must have started."""
SETTLE = 120.0
"""Seconds in which all queues must become empty after the last fault."""
HURRY = 20.0
"""Seconds after which readers rest, and time passes even if there is work to do, as long as nobody has it in their
hands."""
STEPS = timedelta(minutes=20), timedelta(hours=3)
"""The least and the most that passes at once."""
SHARE = 0.6
"""Part of the whole time in which the days pass; the rest is for the end, when all queues become empty, and checks."""
KINDS = ("kill", "stop", "restart", "clock", "cut", "kill web", "cut web", "stop web")
ROOT = Path(__file__).parent.parent
CONFIG = """
mail_host = "127.0.0.1"
mail_port = {port}
mail_security = "none"
mail_from = "iscore@example.org"
fetch_timeout = 5
"""


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
        """Its number."""
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
                if task == Task.JUDGE.value and later is not None and aside is None
            }
            users = {*due_users.waiting(tx), *due_users.with_unlearned(tx)} - patient
            due |= {(Task.JUDGE.value, str(user)) for user in users if str(user) not in planned}
            due |= {(Task.MEASURE.value, "")} if due_users.are_unmeasured(tx) else set()
            return not ours and not due - theirs
        return False


class Faults:
    """Breaks something every few seconds, and mends it later."""

    def __init__(self, fleet: Fleet, every: float) -> None:
        """``every``: seconds between two faults."""
        self.done: Counter[str] = Counter()
        self.ended = 0
        """How often a process ended by itself."""
        self._fleet = fleet
        self._random = random.Random(7)
        self._turn = 0
        self._every = every
        self._next = time.monotonic() + every
        self._repairs: list[tuple[float, Callable[[], None]]] = []

    def look(self) -> None:
        """Do what is due. What has ended by itself is started again after a while, as systemd does."""
        now = time.monotonic()
        for each in self._fleet.processes.values():
            if each.has_ended and not each.is_out:
                each.is_out = True
                self.ended += 1
                self._later(RESTART, each, each.start)
        for at, repair in [each for each in self._repairs if each[0] <= now]:
            repair()
            self._repairs.remove((at, repair))
        if now >= self._next:
            self._next = now + self._every
            for _ in KINDS:
                kind = KINDS[self._turn % len(KINDS)]
                self._turn += 1
                if self._break(kind):
                    self.done[kind] += 1
                    return

    def mend(self) -> None:
        """Mend all."""
        for _, repair in self._repairs:
            repair()
        self._repairs = []
        for each in self._fleet.processes.values():
            if each.has_ended:
                each.start()
        for slot in range(1, len(PLACES) + 1):
            self._fleet.clock.set_wrong(slot, timedelta())

    def _break(self, kind: str) -> bool:
        """Break something, if enough would be left; return whether it was broken."""
        fleet = self._fleet
        if kind == "restart":
            fleet.server.crash()
            fleet.server.start()
            return True
        names = WEBS if kind.endswith("web") else WORKERS
        well = [fleet.processes[name] for name in names if not fleet.processes[name].is_out]
        if kind == "clock":
            return self._set_wrong(self._random.choice(WORKERS))
        if len(well) < 2 and not kind.startswith("kill"):
            return False
        victim = self._random.choice(well)
        if kind.startswith("kill"):
            victim.kill()
            time.sleep(0.5)  # what it has asked a host for is answered
            victim.start()
            return True
        victim.is_out = True
        seconds = OUT if names is WORKERS else WEB_OUT
        if kind.startswith("stop"):
            victim.signal(signal.SIGSTOP)
            self._later(seconds, victim, lambda: victim.signal(signal.SIGCONT))
        else:
            fleet.places.cut(victim.name, off=True)
            self._later(seconds, victim, lambda: fleet.places.cut(victim.name, off=False))
        return True

    def _set_wrong(self, name: str) -> bool:
        by = WRONG_CLOCK * self._random.choice((-1, 1))
        self._fleet.clock.set_wrong(PLACES.index(name) + 1, by)
        return True

    def _later(self, seconds: float, victim: Process, mend: Callable[[], None]) -> None:
        def repair() -> None:
            mend()
            victim.is_out = False

        self._repairs.append((time.monotonic() + seconds, repair))


def prepare(fleet: Fleet, readers: int, hosts_count: int) -> tuple[Setup, dict[str, tuple[int, str]]]:
    """Make the database with readers, who follow feeds, and a data folder for each place.

    Returns what the hosts have, and number and password of an app by the name of each reader. The rules of the last
    reader are broken.
    """
    places, home = fleet.places, fleet.folder / "home"
    port = places.free_port(HOSTS)
    start = fleet.clock().timestamp()
    addresses = [places.host(number) for number in range(hosts_count)]
    setup = Setup(
        addresses=addresses,
        hanging=places.host(248),
        poisoned=places.host(249),
        port=port,
        start=start,
        until=start + DAYS.total_seconds(),
        log=str(fleet.logs / "requests.log"),
    )
    dead = [f"http://{places.host(250)}:{port}/{number}" for number in range(3)]
    trouble = [f"http://{setup.hanging}:{port}/0", f"http://{setup.poisoned}:{port}/0", *dead]
    os.environ |= {"ISCORE_DATABASE": fleet.server.address(fleet.name), "ISCORE_ALLOW_PRIVATE_NETWORKS": "1"}
    empty = fleet.folder / "empty.yaml"
    empty.write_text("feeds: []\n")
    known = {}
    with NewsFilter.create(home, empty, clock=fleet.clock) as news:
        for number in range(1, readers):
            news.people.add(f"Reader {number}")
        accounts = Accounts(news.database, news.context.clock)
        feeds = [url for url, _ in setup.feeds()]
        chance = random.Random(1)
        for user, name in news.people.names().items():
            mine = news.for_user(user)
            mine.subscriptions.add([*chance.sample(feeds, len(feeds) // 3), *trouble], discover=False)
            wanted = f'mail_to = "reader-{user}@example.org"\ndigest_at = "07:00"\ntime_zone = "UTC"\n'
            personal = mine.context.personal_settings
            personal.replace(wanted, before=personal.read_or_empty().decode())
            known[name] = (user, accounts.make_app_password(user, "fleet"))
        mine.context.rules.replace("rules: 7", before="")
    CredentialStore(home).mark_set_up()
    (home / "config.toml").write_text(CONFIG.format(port=fleet.mail_port))
    for name in (*WORKERS, *WEBS):
        shutil.copytree(home, fleet.folder / name)
    return setup, known


def live(
    fleet: Fleet, setup: Setup, known: dict[str, tuple[int, str]], minutes: float, every: float
) -> tuple[Figures, Readers]:
    """Let three days pass, and all queues become empty."""
    setup.write(fleet.folder / "setup.json")
    fleet.add(HOSTS, ["-m", "benchmarks.fleet_hosts", str(fleet.folder / "setup.json")])
    wait_until(lambda: "ready" in fleet.processes[HOSTS].said(), START)
    for name in WORKERS if fleet.places.database else WORKERS[:1]:
        log = str(fleet.logs / f"mails-{name}.log")
        fleet.add(f"mail-{name}", ["-m", "benchmarks.fleet_mail", str(fleet.mail_port), log], place=name)
    environment = {"ISCORE_ALLOW_PRIVATE_NETWORKS": "1"}
    iscore = ["-P", "-m", "iscore", "--home"]
    addresses = []
    for name in WEBS:
        port, host = fleet.places.free_port(name), fleet.places.address(name)
        serve = ["serve", "--pages-only", "--host", host, "--port", str(port), "--log-format", "json"]
        at = {"ISCORE_DATABASE": fleet.address(name)}
        fleet.add(name, [*iscore, str(fleet.folder / name), *serve], **environment, **at)
        addresses.append((host, port))
    for name in WORKERS:
        at = {"ISCORE_DATABASE": fleet.address(name)}
        fleet.add(name, [*iscore, str(fleet.folder / name), "worker", "--json"], **environment, **at)
    patient = {max(user for user, _ in known.values())}
    figures = Figures(how=fleet.places.how)
    readers = Readers(addresses, {name: who for name, who in known.items() if who[0] not in patient}, fleet.clock)
    with open_database(fleet.server.address(fleet.name)) as database:
        wait_until(lambda: fleet.is_idle(database, patient), START)
        readers.start()
        faults = Faults(fleet, every)
        pass_days(fleet, database, faults, readers, patient, 60 * minutes * SHARE)
        faults.mend()
        readers.end()
        figures.broken, figures.ended = faults.done, faults.ended
        began = time.monotonic()
        figures.settled = wait_until(lambda: fleet.is_idle(database, patient), SETTLE)
        figures.settled_after = time.monotonic() - began
        # Feeds that could not be reached while links were cut are asked again after a day at the latest.
        for step in (*[STEPS[1]] * 9, STEPS[0]):  # the last one for what was planned to be judged after the others
            moved = wait_until(partial(fleet.put_forward, step), SETTLE)
            settled = wait_until(lambda: fleet.is_idle(database, patient), SETTLE)
            figures.settled = moved and settled and figures.settled
    for name in (*WORKERS, *WEBS):
        fleet.processes[name].signal(signal.SIGTERM)
    figures.exit_codes = {name: fleet.processes[name].wait() for name in (*WORKERS, *WEBS)}
    figures.steps, figures.passed = fleet.steps, fleet.clock.ahead
    return figures, readers


def pass_days(
    fleet: Fleet, database: Database, faults: Faults, readers: Readers, patient: set[int], seconds: float
) -> None:
    """Let the days pass in so many seconds, while things break."""
    began = last = time.monotonic()
    end = fleet.clock.ahead + DAYS
    while fleet.clock.ahead < end:
        faults.look()
        now = time.monotonic()
        late = now - last > HURRY
        if late:
            readers.resting.set()  # else workers learn verdicts all the time
        if late or fleet.is_idle(database, patient):
            left = max(seconds - (now - began), 1.0)
            pace = (now - last) / left
            step = min(max((end - fleet.clock.ahead) * pace, STEPS[0]), STEPS[1])
            if fleet.put_forward(step):
                last = now
                readers.resting.clear()
        time.sleep(0.2)


def wait_until(happened: Callable[[], bool], seconds: float) -> bool:
    """Return whether it has happened in time."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def run(minutes: float, readers: int, hosts_count: int, every: float, logs: Path | None, *, namespaces: bool) -> int:
    """Live, and write what was found; return 1 if there was a fault."""
    if logs is not None:
        logs.mkdir()
    places: Places = Namespaces(PLACES) if namespaces else Proxies(PLACES)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as open_folder:
        Path(open_folder).chmod(0o755)
        clock = SimulatedClock(Path(open_folder))
        with postgresql.running(places.database, clock.environment()) as server:
            fleet = Fleet(Path(folder), logs or Path(folder), places, clock, server)
            try:
                setup, known = prepare(fleet, readers, hosts_count)
                figures, people = live(fleet, setup, known, minutes, every)
                rows, bad = check(fleet, setup, known, figures, people)
            finally:
                for each in fleet.processes.values():
                    each.signal(signal.SIGKILL)
                places.close()
    events = ", ".join(f"{what} {count} ×" for what, count in sorted(figures.broken.items()))
    notes = (
        f"{len(WORKERS)} workers, {len(WEBS)} web processes with readers over HTTP, {readers} readers, {hosts_count} "
        f"hosts with {len(setup.feeds())} feeds, and one host each that hangs, is dead, and sends nonsense; the rules "
        f"of one reader are broken. {figures.passed / timedelta(days=1):.1f} simulated days in {figures.steps} steps. "
        f"Broken: {events}. Workers were stopped or cut off for {OUT:.0f} seconds. {figures.how} Clocks of workers "
        f"were wrong by {WRONG_CLOCK / timedelta(hours=1):.0f} hours."
    )
    results.write(
        "fleet_faults", "Three days of a fleet, while things break", ("what", "found", "allowed"), rows, notes
    )
    print(*bad, sep="\n", file=sys.stderr)
    return int(bool(bad))


def main() -> int:
    """Run it in namespaces of its own, if that is allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=9.0, help="how long it takes")
    parser.add_argument("--readers", type=int, default=16)
    parser.add_argument("--hosts", type=int, default=50, help="up to 248")
    parser.add_argument("--every", type=float, default=8.0, help="seconds between two faults")
    parser.add_argument("--proxies", action="store_true", help="cut links by proxies, without network namespaces")
    parser.add_argument("--logs", type=Path, help="a new folder for what all processes say")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    stop_on_termination()
    if reason := postgresql.missing() or fleet_clock.missing():
        print(reason, file=sys.stderr)
        return 1
    if not options.inside and not options.proxies and may_have_namespaces():
        words = [sys.executable, "-m", "benchmarks.fleet_days", *sys.argv[1:], "--inside"]
        return subprocess.run(in_private_namespace(words), check=False).returncode
    return run(options.minutes, options.readers, options.hosts, options.every, options.logs, namespaces=options.inside)


if __name__ == "__main__":
    sys.exit(main())
