"""Workers on one PostgreSQL server: what they cost together.

    python -m benchmarks.fleet

1, 2 and 4 workers do the same work: every reader's new verdicts, and new articles of every host. What happens while
things break is in ``fleet_days``.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import results
from benchmarks.fleet_net import Net
from iscore.core.data_folder import DataFolder
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import StorageError
from storage.opening.database import open_database
from storage.records.users import Kind
from storage.records.work import Queue
from storage.stories import due_users
from storage.work import work
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

HOSTS, READERS, FOLLOWED, STEP, VERDICTS = 30, 12, 15, 20, 12
"""Each reader follows some of the hosts; each feed gets ``STEP`` articles at a time."""
FLEETS = (1, 2, 4)
SHIFT = 120_000_000
"""Microseconds, more than a host's pause between two polls."""


class Worker:
    """A process of ``iscore worker``."""

    def __init__(self, home: Path, server: PostgresqlServer, name: str) -> None:
        words = [sys.executable, "-P", "-m", "iscore", "--home", str(home), "worker", "--json"]
        environment = {**os.environ, "ISCORE_DATABASE": server.loopback_address(name)}
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
        self.work([Worker(self.home, server, self.name)])
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


def vote(news: NewsFilter, user: int, count: int) -> None:
    """Let a reader like every other of some articles."""
    mine = news.for_user(user)
    ids = [each.id for each in mine.inbox(everything=True, limit=count, learn=False).items]
    for number, each in enumerate(ids):
        mine.give(Kind.LIKE if number % 2 else Kind.DISLIKE, [each])


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
        before = fleet.one("SELECT count(*) FROM current_scores")
        fleet.grow()
        workers = [Worker(fleet.home, fleet.server, fleet.name) for _ in range(count)]
        seconds = fleet.work(workers)
        judged = fleet.one("SELECT count(*) FROM current_scores") - before
        rows.append([count, judged, seconds, 1000 * seconds / judged, fleet.net.requests, fleet.net.overlaps])
        fleet.server.drop(fleet.name)
    fleet.use(template)
    fleet.net.shown = shown
    return rows


def main() -> int:
    """Write the table; return 1 if a host was asked by two at once."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if reason := postgresql.missing():
        print(reason, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, Net(HOSTS) as net, postgresql.running() as server:
        rows = costs(Fleet(Path(folder), net, server))
    notes = (
        f"{READERS} readers follow {FOLLOWED} of {HOSTS} hosts each, have given {VERDICTS} verdicts each, and "
        f"{STEP} articles of each host are new. Processor seconds are those of the workers and their parsers, from "
        "their start to their end, loading Python and compiled code included; those of PostgreSQL are not."
    )
    columns = ("workers", "decisions", "processor s", "processor s per 1,000", "requests", "host asked by two")
    results.write("fleet_costs", "Workers that share the same work", columns, rows, notes)
    return int(any(row[-1] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
