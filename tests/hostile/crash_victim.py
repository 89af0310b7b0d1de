"""A home whose commands are killed, and what has to be true of it afterwards.

The commands are the program's own, each in a process that is killed (SIGKILL) at a given moment. A command that ended
with 0 has *acknowledged* what it did.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from benchmarks.sample_news import News, NewsServer
from iscore.services.news_filter import NewsFilter
from scripts.rename_earlier_database import rename_file
from tests.servers.fork_server import Process, start
from tests.storage.next_program import migrations

START = datetime(2026, 3, 2, tzinfo=UTC)
OLD = Path(__file__).parents[1] / "storage" / "schema-0036.db.xz"
"""A home's database with articles, verdicts and digests, from before the first schema."""
KEPT = timedelta(days=2)
"""How long texts are kept by ``prune``, of what nobody judged."""
SETTINGS = f"""
allow_private_networks = true
host_spacing = 0
refresh_cooldown = 0
parse_processes = 1
time_zone = 'UTC'
inbox_days = {KEPT.days}
"""

FORK_SERVER = """
import json, os, pathlib, signal, sqlite3, sys, warnings
from iscore.cli import main
import alembic.command, alembic.config, storage.opening.diagnostics
import iscore.cli.app
import iscore.services.learning.ingestion, iscore.services.learning.scoring, iscore.services.learning.model_store
import iscore.filtering.pipeline, iscore.jobs.maintenance.backup, iscore.learners
import iscore.jobs.maintenance.migrate_database, iscore.jobs.maintenance.import_person
import iscore.jobs.maintenance.prune, iscore.jobs.maintenance.archive, iscore.feeds.poll
import iscore.services.learning.explanations
import iscore.presentation.digest.render
from tests.storage.next_program import become

print("ready", flush=True)
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

def fatal(number):
    # Kill this process just before its n-th step: a transaction that writes begins or ends, a file gets its name.
    left, writing, connect = [number], set(), sqlite3.connect

    def step():
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    def connected(*given, **named):
        connection = connect(*given, **named)

        def traced(statement):
            if statement.startswith("BEGIN IMMEDIATE"):
                writing.add(id(connection))
                step()
            elif statement in ("COMMIT", "ROLLBACK") and id(connection) in writing:
                writing.discard(id(connection))
                step()
            elif statement.startswith(("VACUUM", "PRAGMA incremental_vacuum")):
                step()

        connection.set_trace_callback(traced)
        return connection

    sqlite3.connect = connected
    sys.addaudithook(lambda event, _: step() if event in ("os.rename", "os.remove", "os.link") else None)

def work(home, now, commands, number=0):
    os.environ["ISCORE_NOW"] = now
    if os.path.exists(home + "-revisions"):
        become(pathlib.Path(home + "-revisions"))
    if number:
        fatal(number)
    print("begin", os.getpid(), file=out, flush=True)
    for number, words in enumerate(commands):
        code = main(["--home", home, *words])
        print("did", number, code, file=out, flush=True)

for line in sys.stdin:
    inside, *task = json.loads(line)
    if inside:
        work(*task)
        print("ended", 0, file=out, flush=True)
        continue
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the threads of linear algebra, which mind forks
        child = os.fork()
    if child == 0:
        work(*task)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print("ended", os.waitstatus_to_exitcode(status), file=out, flush=True)
"""
"""A process that has loaded the program and forks for each piece of work. Where it is not a fork itself, loading takes
a second, and the compiled kernels another: what is done ``inside`` it loads them for all that follow."""


@dataclass(frozen=True)
class Step:
    """A moment to be killed at: just before the n-th step of what changes the disk, from 1."""

    number: int


@dataclass(frozen=True)
class Work:
    """What came of some commands, one after the other in one process."""

    acknowledged: list[list[str]]
    """Those that ended with 0."""
    refused: list[tuple[list[str], int]]
    """Those that ended with something else."""
    killed: bool
    seconds: float
    complaints: str
    """What they wrote, to standard error and else."""


@dataclass
class Victim:
    """Two homes: one that is lived in, and one that is made anew for each migration.

    Commands on the second are those of the next program, for which its schema is an older one.
    """

    folder: Path
    server: NewsServer
    fork_server: Process | subprocess.Popen[str]
    errors: IO[bytes]
    """What the fork_server writes to standard error."""
    now: datetime = START + timedelta(days=1)
    own_clock: bool = False
    """Whether the commands take the time from the system."""
    home: Path = field(init=False)
    old: Path = field(init=False)

    def __post_init__(self) -> None:
        self.home, self.old = self.folder / "home", self.folder / "old"
        self.backups = self.folder / "backups"
        self.backups.mkdir()
        self.home.mkdir(0o700)
        listed = "".join(f"  - url: {url}\n" for url in self.server.urls.values())
        (self.home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        (self.home / "config.toml").write_text(SETTINGS)
        NewsFilter.create(self.home, clock=lambda: self.now).close()
        self._older = self._first_schema()
        revisions = migrations(self.folder / f"{self.old.name}-revisions")
        for path in (revisions, *revisions.rglob("*")):
            path.chmod(0o700)
        self.later()

    def later(self, **time: float) -> None:
        """Let simulated time pass."""
        self.now += timedelta(**time)
        self.server.at = self.now

    def grow_old(self) -> None:
        """Make the home with the old schema anew."""
        self.old.mkdir(0o700, exist_ok=True)
        for path in self.old.iterdir():
            path.unlink()
        (self.old / "feeds.yaml").write_text("feeds: []\n")
        (self.old / "iscore.db").write_bytes(self._older)

    def copied(self) -> Path:
        """Return a new copy of the home."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.home, copy)
        return copy

    def _first_schema(self) -> bytes:
        """Return a database with the first schema and with rows in it."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "iscore.db")
            file.write_bytes(lzma.decompress(OLD.read_bytes()))
            rename_file(file, lambda _: None)
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA journal_mode = DELETE")
            return file.read_bytes()

    def work(
        self, home: Path, commands: Sequence[Sequence[str]], *, after: float | Step | None = None, inside: bool = False
    ) -> Work:
        """Run commands; with ``after`` kill them this many seconds after their start, or at a step."""
        to, back = self.fork_server.stdin, self.fork_server.stdout
        assert to is not None
        assert back is not None
        now = "" if self.own_clock else self.now.isoformat()
        number = after.number if isinstance(after, Step) else 0
        to.write(json.dumps([inside, str(home), now, commands, number]) + "\n")
        to.flush()
        begin, pid = back.readline().split()
        assert begin == "begin"
        began = time.monotonic()
        killer = threading.Timer(after, _kill, [int(pid)]) if isinstance(after, float) else None
        if killer is not None:
            killer.start()
        codes: list[int] = []
        while not (line := back.readline()).startswith("ended"):
            assert line, "the process that lets others work has died"
            codes.append(int(line.split()[2]))
        seconds = time.monotonic() - began
        if killer is not None:
            killer.cancel()
            killer.join()
        ended = [(list(words), code) for words, code in zip(commands, codes, strict=False)]
        return Work(
            acknowledged=[words for words, code in ended if code == 0],
            refused=[each for each in ended if each[1] != 0],
            killed=int(line.split()[1]) == -signal.SIGKILL,
            seconds=seconds,
            complaints=self._complaints(),
        )

    def _complaints(self) -> str:
        self.errors.flush()
        self.errors.seek(0)
        text = self.errors.read().decode("utf-8", "replace")
        self.errors.seek(0)
        self.errors.truncate()
        return text

    def opened(self) -> NewsFilter:
        """The home as it is now."""
        return NewsFilter.open(self.home, clock=lambda: self.now)

    def rows(self, query: str, *parameters: object, home: Path | None = None) -> list[tuple[object, ...]]:
        """Ask a home's database."""
        with closing(sqlite3.connect((home or self.home) / "iscore.db", timeout=20)) as raw:
            return raw.execute(query, parameters).fetchall()


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@contextmanager
def victim(folder: Path, days: int, **environment: str) -> Iterator[Victim]:
    """Open a server with ``days`` days of news, and a home that follows it.

    With an ``environment`` the commands are begun in it by a process that loads everything itself.
    """
    with (
        NewsServer(News(seed=13, start=START, days=days + 1), at=START) as server,
        tempfile.TemporaryFile() as errors,
        _fork_server(errors.fileno(), environment) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield Victim(folder, server, process, errors)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(600)


@contextmanager
def _fork_server(errors: int, environment: Mapping[str, str]) -> Iterator[Process | subprocess.Popen[str]]:
    streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
    if environment:
        command = [sys.executable, "-c", FORK_SERVER]
        with subprocess.Popen(command, text=True, env={**os.environ, **environment}, **streams) as process:
            yield process
    else:
        begun = start(program=FORK_SERVER, env=os.environ, **streams)
        yield begun
        assert begun.stdout is not None
        begun.stdout.close()
