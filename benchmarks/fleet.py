"""Workers on one PostgreSQL server: what they cost together, and whether faults lose or double anything.

    python -m benchmarks.fleet [--seconds 150] [--faults-only]

First 1, 2 and 4 workers do the same work: every reader's new verdicts, and new articles of every host. Then three
workers go on for so many seconds, while two more processes' worth of readers give verdicts, feeds grow, and every few
seconds something breaks: a worker is killed, or stopped until its leases have ended and woken later; its link to the
database is cut, by a proxy; the server is stopped as in a crash, and started. In the end all queues must become empty,
and the database is searched for what was lost or done twice. Stopped time is made up for in the table of work, whose
leases are shifted, so that no minute is waited for.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from benchmarks import results
from benchmarks.fleet_net import Link, Net
from iscore.core.data_folder import DataFolder
from iscore.services.news_filter import NewsFilter
from storage import due_users, work
from storage.database import open_database
from storage.errors import StorageError
from storage.records import Kind, Queue
from tests.servers import postgresql
from tests.servers.postgresql import PASSWORD, USER, PostgresqlServer

HOSTS, READERS, FOLLOWED, STEP, VERDICTS = 30, 12, 15, 20, 12
"""Each reader follows some of the hosts; each feed gets ``STEP`` articles at a time."""
FLEETS = (1, 2, 4)
EVERY = 8.0
"""Seconds between two faults."""
SETTLE = 180.0
"""Seconds in which all queues must become empty after the last fault."""
SHIFT = 120_000_000
"""Microseconds, more than a lease."""


class Worker:
    """A process of ``iscore worker``, behind a link of its own."""

    def __init__(self, home: Path, net: Net, server: PostgresqlServer, name: str) -> None:
        self.link = Link(net, server.port)
        login = f"{USER}:{quote(PASSWORD, safe='')}"
        address = f"postgresql://{login}@127.0.0.1:{self.link.port}/{name}?connect_timeout=5"
        words = [sys.executable, "-P", "-m", "iscore", "--home", str(home), "worker", "--json"]
        environment = {**os.environ, "ISCORE_DATABASE": address}
        self.process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self) -> float:
        """Stop it; return the processor seconds of the process and its children."""
        self.process.send_signal(signal.SIGTERM)
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_utime + used.ru_stime


class Fleet:
    """A data folder, and databases on a server."""

    def __init__(self, folder: Path, net: Net, server: PostgresqlServer) -> None:
        self.home = folder / "home"
        self.net = net
        self.server = server
        os.environ |= {"ISCORE_ALLOW_PRIVATE_NETWORKS": "1", "ISCORE_HOST_SPACING": "0"}
        self.name = ""
        self.use(server.create())
        empty = folder / "empty.yaml"
        empty.write_text("feeds: []\n")
        net.shown = STEP
        with NewsFilter.create(self.home, empty, clock=lambda: datetime.now(UTC)) as news:
            for number in range(1, READERS):
                news.people.add(f"Reader {number}")
            urls = net.urls()
            for number, user in enumerate(news.people.names()):
                followed = [urls[(number + each) % HOSTS] for each in range(FOLLOWED)]
                news.for_user(user).subscriptions.add(followed, discover=False)
        self.work([Worker(self.home, net, server, self.name)])
        with self.news() as news:
            for user in news.people.names():
                vote(news, user, VERDICTS)

    def use(self, name: str) -> None:
        """Take this database."""
        self.name = name
        os.environ["ISCORE_DATABASE"] = self.server.loopback_address(name)

    def news(self) -> NewsFilter:
        """Open the news filter of the first reader."""
        return NewsFilter.open(self.home, clock=lambda: datetime.now(UTC))

    def grow(self) -> None:
        """Let all feeds have new articles, and be due."""
        self.net.shown += STEP
        self.poll_again()

    def poll_again(self) -> None:
        """Let all feeds be due."""
        self.server.execute(f"UPDATE feeds SET next_due = 0; UPDATE work SET finished = finished - {SHIFT}", self.name)

    def work(self, workers: Sequence[Worker]) -> float:
        """Wait until nothing is left to do; stop the workers, and return their processor seconds."""
        wait_until(self.is_idle, 600)
        return sum(each.end() for each in workers)

    def is_idle(self) -> bool:
        """Whether nothing is due, held, or waits for anybody."""
        opened = open_database(DataFolder(self.home).database_address)
        with suppress(StorageError), opened as database, database.read() as tx:
            asked = tx.connection.exec_driver_sql("SELECT 1 FROM feeds WHERE coalesce(next_due, 0) = 0").first()
            held = tx.connection.exec_driver_sql("SELECT 1 FROM work WHERE holder <> ''").first()
            waits = due_users.waiting(tx) or due_users.are_unmeasured(tx) or due_users.with_unlearned(tx)
            ages = work.oldest_due(tx, work.now(tx))
            return not (asked or held or waits) and ages == dict.fromkeys(Queue, 0.0)
        return False

    def one(self, query: str) -> int:
        """Return the one number that a query gives."""
        return int(self.server.execute(query, self.name)[0][0])


def vote(news: NewsFilter, user: int, count: int) -> list[str]:
    """Let a reader like every other of some articles; return the articles with an acknowledged verdict."""
    mine = news.for_user(user)
    ids = [each.id for each in mine.current_inbox.view(everything=True, limit=count).items]
    for number, each in enumerate(ids):
        mine.give(Kind.LIKE if number % 2 else Kind.DISLIKE, [each])
    return ids


def wait_until(happened: Callable[[], bool], seconds: float) -> bool:
    """Return whether it has happened in time."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True


def costs(fleet: Fleet) -> list[list[results.Cell]]:
    """Let fleets of each size do the same work."""
    rows: list[list[results.Cell]] = []
    template, shown = fleet.name, fleet.net.shown
    for count in FLEETS:
        fleet.use(fleet.server.create(template))
        fleet.net.shown, fleet.net.requests, fleet.net.overlaps = shown, 0, 0
        before = fleet.one("SELECT count(*) FROM standings")
        fleet.grow()
        workers = [Worker(fleet.home, fleet.net, fleet.server, fleet.name) for _ in range(count)]
        seconds = fleet.work(workers)
        judged = fleet.one("SELECT count(*) FROM standings") - before
        rows.append([count, judged, seconds, 1000 * seconds / judged, fleet.net.requests, fleet.net.overlaps])
        fleet.server.drop(fleet.name)
    fleet.use(template)
    fleet.net.shown = shown
    return rows


class Readers(threading.Thread):
    """Readers at two web processes, who give verdicts and try again after an error."""

    def __init__(self, fleet: Fleet, number: int) -> None:
        super().__init__(daemon=True)
        self._fleet, self._random = fleet, random.Random(number)
        self.given: Counter[int] = Counter()
        """Acknowledged verdicts by reader."""
        self.over = threading.Event()

    def run(self) -> None:
        """Vote until it is over."""
        with self._fleet.news() as news:
            users = sorted(news.people.names())
            while not self.over.wait(0.3):
                user = self._random.choice(users)
                with suppress(StorageError):
                    mine = news.for_user(user)
                    found = mine.current_inbox.view(everything=True, limit=30).items
                    if found:
                        mine.give(Kind.LIKE, [self._random.choice(found).id])
                        self.given[user] += 1


def break_things(fleet: Fleet, seconds: float, workers: list[Worker]) -> Counter[str]:
    """Break something every few seconds, and repair it; return what was broken."""
    chance, done, names = random.Random(7), Counter[str](), ("kill", "stop", "cut", "restart")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(EVERY)
        what, which = names[done.total() % len(names)], chance.randrange(len(workers))
        worker = workers[which]
        done[what] += 1
        if what == "kill":
            worker.process.kill()
            worker.process.wait()
            workers[which] = Worker(fleet.home, fleet.net, fleet.server, fleet.name)
        elif what == "stop":
            worker.process.send_signal(signal.SIGSTOP)
        elif what == "cut":
            worker.link.cut(off=True)
        else:
            fleet.server.crash()
            fleet.server.start()
        # The leases of this worker end, as they would after a minute, and others go on.
        shift = f"UPDATE work SET lease_until = lease_until - {SHIFT} WHERE holder LIKE '%:{worker.process.pid}'"
        fleet.server.execute(shift, fleet.name)
        if done.total() % 3 == 0:
            fleet.grow()
        time.sleep(EVERY)
        worker.link.cut(off=False)
        if what == "stop":
            worker.process.send_signal(signal.SIGCONT)
    return done


def faults(fleet: Fleet, seconds: float) -> tuple[Counter[str], list[list[results.Cell]]]:
    """Break things for so long; return what was broken, and how often each fault of the program was found."""
    before = fleet.one("SELECT count(*) FROM feedback")
    fleet.net.requests = fleet.net.overlaps = 0
    workers = [Worker(fleet.home, fleet.net, fleet.server, fleet.name) for _ in range(3)]
    readers = [Readers(fleet, number) for number in range(2)]
    for each in readers:
        each.start()
    broken = break_things(fleet, seconds, workers)
    for each in readers:
        each.over.set()
        each.join()
    given = sum(each.given.total() for each in readers)
    idle = wait_until(fleet.is_idle, SETTLE)
    fleet.poll_again()  # a poll that was on its way when feeds grew has not seen that
    idle = wait_until(fleet.is_idle, SETTLE) and idle
    for worker in workers:
        worker.end()
    with fleet.news() as news:
        unequal = sum(not news.for_user(user).models.rebuild(check=True).equal for user in news.people.names())
        with news.database.read() as tx:
            aside, waiting = len(work.set_aside(tx)), len(due_users.waiting(tx))
    twice = "SELECT count(*) FROM (SELECT 1 FROM articles GROUP BY feed_id, key HAVING count(*) > 1) AS t"
    followed = fleet.one("SELECT count(DISTINCT feed_id) FROM subscriptions")
    expected = followed * fleet.net.shown
    return broken, [
        ["requests to feeds", fleet.net.requests, ""],
        ["verdicts that were acknowledged", given, ""],
        ["a host asked by two at once", fleet.net.overlaps, "0"],
        ["articles stored twice", fleet.one(twice), "0"],
        ["articles that are missing", expected - fleet.one("SELECT count(*) FROM articles"), "0"],
        ["readers for whom articles wait", waiting, "0"],
        ["acknowledged verdicts lost", max(before + given - fleet.one("SELECT count(*) FROM feedback"), 0), "0"],
        ["readers whose model is not that of a replay", unequal, "0"],
        ["set aside", aside, "0"],
        [f"queues not empty {SETTLE:.0f} seconds after the last fault", int(not idle), "0"],
    ]


def main() -> int:
    """Write both tables; return 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=150.0, help="how long things break")
    parser.add_argument("--faults-only", action="store_true", help="leave out what fleets of each size cost")
    options = parser.parse_args()
    if reason := postgresql.missing():
        print(reason, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, Net(HOSTS) as net, postgresql.running() as server:
        fleet = Fleet(Path(folder), net, server)
        rows = [] if options.faults_only else costs(fleet)
        notes = (
            f"{READERS} readers follow {FOLLOWED} of {HOSTS} hosts each, have given {VERDICTS} verdicts each, and "
            f"{STEP} articles of each host are new. Processor seconds are those of the workers and their parsers, from "
            "their start to their end, loading Python and compiled code included; those of PostgreSQL are not."
        )
        columns = ("workers", "decisions", "processor s", "processor s per 1,000", "requests", "host asked by two")
        if rows:
            results.write("fleet_costs", "Workers that share the same work", columns, rows, notes)
        broken, found = faults(fleet, options.seconds)
    events = ", ".join(f"{what} {count} ×" for what, count in sorted(broken.items()))
    notes = (
        f"Three workers, readers at two more places, {READERS} readers, {HOSTS} hosts, {options.seconds:.0f} seconds. "
        f"Broken: {events}. Links are cut by a TCP proxy, not by network namespaces; clocks were not changed, since "
        "workers read none but the database's."
    )
    results.write("fleet_faults", "Workers, while things break", ("what", "found", "allowed"), found, notes)
    return int(any(row[1] for row in found if row[2] == "0"))


if __name__ == "__main__":
    sys.exit(main())
