"""A process that lives through weeks of polling and verdicts, and is watched: memory, handles, the database's size.

It does what ``iscore run`` does, by the same loop, but all in one process and without waiting: the clock is set on.
``iscore run`` itself gives each round to a child that ends with it, which would hide what this looks for.
"""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from iscore.jobs.scheduler.log_format import Value
from iscore.jobs.scheduler.loop import Loop
from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind
from tests.hostile.soak_server import LIKED, PATH, START
from tests.servers.static_feeds import host_of

VERDICTS = 5
"""A round."""
SETTINGS = {
    "fetch_timeout": 2.0,
    "host_spacing": 0,
    "allow_private_networks": True,
    "poll_interval": 3600,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen after a round."""

    hours: float
    """Of simulated time, since the start."""
    seconds: float
    """What the round took, verdicts and digest included."""
    resident_memory: int
    """Bytes of this process."""
    handles: int
    """Open files, sockets and pipes of this process."""
    threads: int
    children: int
    database: int
    """Bytes of the file and its log."""
    articles: int
    verdicts: int


@dataclass
class Life:
    """What was seen, and what was wrong."""

    samples: list[Sample] = field(default_factory=list)
    growth: dict[float, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """At some hours: each table's rows, and its bytes with its indexes."""
    told: dict[str, int] = field(default_factory=dict)
    """How often each event was reported."""
    polled: int = 0
    """Feeds asked, all rounds together."""
    failed: int = 0
    trouble: list[str] = field(default_factory=list)
    """What must not happen: rounds that failed, tracebacks."""


@contextmanager
def world(feeds: int) -> Iterator[int]:
    """Start the servers; give their port."""
    command = [sys.executable, "-m", "tests.hostile.soak_server", "--feeds", str(feeds)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(600)


def settle(home: Path, feeds: int, port: int, **settings: object) -> None:
    """Make a home that follows them all; ``settings`` go into its config.toml."""
    listed = home.with_suffix(".yaml")
    listed.write_text("feeds:\n" + "".join(f"  - url: http://{host_of(n)}:{port}{PATH}\n" for n in range(feeds)))
    NewsFilter.create(home, listed).close()
    (home / "config.toml").write_text(
        "".join(f"{name} = {json.dumps(value)}\n" for name, value in (SETTINGS | settings).items())
    )


def live(home: Path, port: int, days: float, *, every: float = 6.0, tell: bool = False) -> Life:
    """Live ``days`` days, with a round each ``every`` hours, verdicts after each, and a digest a day."""
    life = Life()
    now = START

    def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        life.told[event] = life.told.get(event, 0) + 1
        if event == "trouble" or "unexpected" in str(values.get("what", "")):
            life.trouble.append(f"{at:%d %H:%M} {event} {values}")
        if event == "poll":
            life.polled += int(values["feeds"] or 0)
            life.failed += int(values["failed"] or 0)

    def monotonic() -> float:
        return (now - START).total_seconds()

    loop = Loop(home, lambda: now, log, monotonic=monotonic)
    rounds = int(days * 24 / every)
    for number in range(rounds + 1):
        hours = number * every
        now = START + timedelta(hours=hours)
        with urllib.request.urlopen(f"http://{host_of(0)}:{port}/at/{hours}"):
            pass
        began = time.perf_counter()
        loop.once()
        _read(home, now)
        life.samples.append(_sample(home, hours, time.perf_counter() - began))
        if number % max(rounds // 6, 1) == 0 or number == rounds:
            life.growth[hours] = sizes(home)
        if tell:
            print(life.samples[-1], flush=True)
    return life


def _read(home: Path, now: datetime) -> None:
    """Look at the inbox, judge what is on top, and at noon read the digest."""
    with NewsFilter.open(home, clock=lambda: now) as news:
        for article in news.inbox(limit=VERDICTS).items:
            liked = article.title.partition(":")[0] in LIKED
            news.give(Kind.LIKE if liked else Kind.DISLIKE, [article.id])
        if now.hour == 12:
            news.digest()


def _sample(home: Path, hours: float, seconds: float) -> Sample:
    gc.collect()  # what waits for the collector is no leak
    own = Path("/proc/self")
    status = dict(line.split(":", 1) for line in (own / "status").read_text().splitlines())
    children = (own / "task" / str(os.getpid()) / "children").read_text().split()
    files = [home / name for name in ("iscore.db", "iscore.db-wal")]
    with closing(_reading(home)) as connection:
        counts = [_count(connection, table) for table in ("articles", "feedback")]
    return Sample(
        hours,
        seconds,
        int(status["VmRSS"].split()[0]) << 10,
        len(list((own / "fd").iterdir())) - 1,  # the folder itself is one
        _threads(),
        len(children) - 1,  # the servers' process
        sum(file.stat().st_size for file in files if file.exists()),
        *counts,
    )


def _threads() -> int:
    """Count the threads of this process; one that has ended is there for another moment."""
    counts = []
    for _ in range(20):
        counts.append(len(list(Path("/proc/self/task").iterdir())))
        time.sleep(0.02)
    return min(counts)


def sizes(home: Path) -> dict[str, tuple[int, int]]:
    """Each table's rows, and its bytes with those of its indexes."""
    with closing(_reading(home)) as connection:
        owners = dict(connection.execute("SELECT name, tbl_name FROM sqlite_schema WHERE tbl_name IS NOT NULL"))
        bytes_: dict[str, int] = {}
        for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            owner = owners.get(name, "schema")
            bytes_[owner] = bytes_.get(owner, 0) + int(size)
        return {
            name: (0 if name == "schema" else _count(connection, name), size) for name, size in sorted(bytes_.items())
        }


def _count(connection: sqlite3.Connection, table: str) -> int:
    count: int = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    return count


def _reading(home: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{home / 'iscore.db'}?mode=ro", uri=True, timeout=20)
