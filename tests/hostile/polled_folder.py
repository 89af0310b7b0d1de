"""A data folder subscribed to hostile feeds, polled by the real command, with time and memory measured."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.servers import fork_server

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
POLL_SECONDS = 240.0
"""Seconds within which a poll must end on the busiest machine; its own deadlines are a small part of that."""


@dataclass(frozen=True)
class CommandResult:
    """What a finished command printed and used."""

    code: int
    out: str
    err: str
    seconds: float
    peak: int
    """Peak resident memory of the process and its children, in bytes; shared pages count for each."""
    good_after: float | None
    """Seconds until the watched feed's articles were stored."""

    @property
    def view(self) -> dict[str, Any]:
        """The JSON document that it printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def problem(self, path: str) -> str:
        """The error it reports for the feed with this path; empty if none."""
        found = [problem["error"] for problem in self.view["problems"] if path_of(problem["url"]) == path]
        return str(found[0]) if found else ""


@dataclass
class PolledFolder:
    """A data folder, and the addresses of its feeds by path."""

    home: Path
    addresses: Mapping[str, str]
    environment: dict[str, str] = field(default_factory=dict)
    fresh: bool = False
    """Whether each command starts a new interpreter, which measuring needs."""
    now: datetime = NOW

    def create(self, **settings: object) -> PolledFolder:
        """Create the data folder."""
        usual = {"host_spacing": 0, "refresh_cooldown": 0, "allow_private_networks": True}
        lines = [f"{name} = {json.dumps(value)}\n" for name, value in (usual | settings).items()]
        feeds = self.home.with_suffix(".yaml")
        feeds.write_text("feeds:\n" + "".join(f"  - url: {json.dumps(url)}\n" for url in self.addresses.values()))
        done = self.run("init", "--feeds", str(feeds))
        assert done.code == 0, done
        (self.home / "config.toml").write_text("".join(lines))
        return self

    def poll(self, *, later: timedelta = timedelta(hours=2), watched: str = "") -> CommandResult:
        """Poll all feeds once. ``watched``: the path of a feed whose first articles are timed."""
        self.now += later
        done = self.run("poll", "--force", "--json", watched=watched)
        assert "Traceback" not in done.err + done.out
        assert "unexpected" not in done.err + done.out
        assert done.seconds < POLL_SECONDS
        return done

    def run(self, *words: str, watched: str = "") -> CommandResult:
        """Run an iScore command and measure it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_"))}
        given = {"ISCORE_NOW": self.now.isoformat(), "PYTHONWARNINGS": "error", "COLUMNS": "200"}
        words = ("--home", str(self.home), *words)
        out, err = self.home.with_suffix(".out"), self.home.with_suffix(".err")
        before = len(self.articles(watched)) if watched else 0
        began, peak, good_after = time.monotonic(), 0, None
        with out.open("wb") as to, err.open("wb") as complaints:
            place: dict[str, Any] = {"env": {**kept, **given, **self.environment}, "cwd": self.home.parent}
            place |= {"stdout": to.fileno(), "stderr": complaints.fileno()}
            process: fork_server.Process | subprocess.Popen[bytes]
            if self.fresh:
                process = subprocess.Popen([sys.executable, "-m", "iscore", *words], **place)
            else:
                process = fork_server.start(*words, **place)
            try:
                while process.poll() is None and time.monotonic() - began < 3 * POLL_SECONDS:
                    peak = max(peak, resident_memory(process.pid))
                    if watched and good_after is None and len(self.articles(watched)) > before:
                        good_after = time.monotonic() - began
                    time.sleep(0.1)
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
        seconds = time.monotonic() - began
        printed, complained = (file.read_text(encoding="utf-8") for file in (out, err))
        return CommandResult(process.wait(), printed, complained, seconds, peak, good_after)

    def articles(self, path: str) -> list[dict[str, Any]]:
        """The articles of a feed, with their texts, in order of arrival."""
        query = "SELECT articles.*, text FROM articles JOIN texts USING (seq) WHERE feed_id = ? ORDER BY seq"
        return self._rows(query, self.feed(path)["id"]) if self._there() else []

    def feed(self, path: str) -> dict[str, Any]:
        """A feed's row, without its lease."""
        rows = self._rows("SELECT * FROM feeds WHERE url = ?", self.addresses[path])
        return {name: value for name, value in rows[0].items() if name != "lease_until"} if rows else {"id": -1}

    def feed_and_articles(self, path: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """A feed's row and its articles."""
        return self.feed(path), self.articles(path)

    def _there(self) -> bool:
        return (self.home / "iscore.db").exists()

    def _rows(self, query: str, *parameters: object) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(f"file:{self.home / 'iscore.db'}?mode=ro", uri=True, timeout=20)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(query, parameters)]


def path_of(url: str) -> str:
    """The path of an address, without query."""
    return "/" + re.sub(r"^\w+://[^/]*/", "", url).partition("?")[0]


def resident_memory(pid: int) -> int:
    """Sum of the peak resident memory of a process and its children, in bytes."""
    total = 0
    for process in process_tree(pid):
        try:
            status = Path(f"/proc/{process}/status").read_text("ascii")
        except OSError:
            continue
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        total += int(found[1]) << 10 if found else 0
    return total


def process_tree(pid: int) -> Iterator[int]:
    """A process and all its descendants."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return
    for child in children:
        yield from process_tree(int(child))


class ServerLog:
    """The requests that a hostile server has received so far."""

    def __init__(self, url: str) -> None:
        with urllib.request.urlopen(url + "seen") as answer:
            log = json.loads(answer.read())
        self.asked: dict[str, int] = log["seen"]
        self.requests: list[str] = log["requests"]
        self.canary: int = log["canary"]
        self.addresses: dict[str, str] = log["addresses"]


@contextmanager
def hostile_server(*arguments: str) -> Iterator[str]:
    """Start ``tests.hostile.server`` in a process and yield its address."""
    command = [sys.executable, "-m", "tests.hostile.server", *arguments]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(600)
