"""SIGKILL at any moment: no half article, nothing acknowledged is lost, what was learned equals a replay."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.sample_news import News, NewsServer
from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind
from storage.stream import articles

pytestmark = pytest.mark.long

START = datetime(2026, 3, 2, tzinfo=UTC)
ROUNDS = 6
"""Of each kind: polls, and verdicts."""

FORKING_PROCESS = """
import json, os, sys
from datetime import datetime
from pathlib import Path
from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind
import iscore.services.learning.ingestion, iscore.services.learning.scoring, iscore.services.learning.model_store
import iscore.feeds.poll, iscore.learners, iscore.filtering.pipeline

def poll(news):
    news.poll(force=True)

def say(news, *names):
    for number, name in enumerate(names):
        kind = (Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.LIKE, Kind.UNDO)[number % 5]
        news.give(kind, [name])
        print(kind, name, flush=True)
        if number % 4 == 3:
            news.inbox()

print("ready", flush=True)
for line in sys.stdin:
    home, now, act, *arguments = json.loads(line)
    child = os.fork()
    if child == 0:
        with NewsFilter.open(Path(home), clock=lambda: datetime.fromisoformat(now)) as news:
            print("begin", os.getpid(), flush=True)
            {"poll": poll, "say": say}[act](news, *arguments)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print("ended", os.waitstatus_to_exitcode(status), flush=True)
"""
"""A process that has imported everything and forks for each piece of work, since importing takes a second."""


class Victim:
    """A home, the news, and processes that are killed."""

    def __init__(self, folder: Path, server: NewsServer, fork_server: subprocess.Popen[str]) -> None:
        self.home = folder / "home"
        self.fork_server = fork_server
        self.server = server
        self.now = server.at
        self.home.mkdir()
        (self.home / "config.toml").write_text(
            "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\n"
        )
        listed = "".join(f"  - url: {url}\n" for url in server.urls.values())
        (self.home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        NewsFilter.create(self.home, clock=lambda: self.now).close()

    def killed(self, *work: str, after: float = 0.0, lines_before: int = 0) -> tuple[list[str], bool]:
        """Kill a process after some lines of output and seconds; return its lines, and whether it still ran."""
        to, back = self.fork_server.stdin, self.fork_server.stdout
        assert to is not None
        assert back is not None
        to.write(json.dumps([str(self.home), self.now.isoformat(), *work]) + "\n")
        to.flush()
        begin, pid = back.readline().split()
        assert begin == "begin"
        lines = [back.readline().strip() for _ in range(lines_before)]
        time.sleep(after)
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
        while not (line := back.readline().strip()).startswith("ended"):
            lines.append(line)
        return lines, line == f"ended {-signal.SIGKILL}"

    def later(self, **time: float) -> None:
        self.now += timedelta(**time)
        self.server.at = self.now

    def opened(self) -> NewsFilter:
        return NewsFilter.open(self.home, clock=lambda: self.now)


@pytest.fixture(scope="module")
def server() -> Iterator[NewsServer]:
    with NewsServer(News(seed=13, start=START, days=8), at=START + timedelta(days=1)) as opened:
        yield opened


@pytest.fixture(scope="module")
def fork_server() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", FORKING_PROCESS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


@pytest.fixture
def victim(server: NewsServer, fork_server: subprocess.Popen[str], tmp_path: Path) -> Victim:
    server.at = START + timedelta(days=1)
    return Victim(tmp_path, server, fork_server)


def test_polls_that_are_killed_leave_no_half_article(victim: Victim) -> None:
    draw = random.Random(20)
    cut_off = 0
    for _ in range(ROUNDS):
        _, alive = victim.killed("poll", after=draw.uniform(0.0, 0.5))
        cut_off += alive
        with victim.opened() as news:
            database = news.database
            assert database.integrity() == []
            with database.read() as tx:
                found = articles.get(tx, range(1, articles.last_seq(tx) + 1))
                counts = [
                    tx.connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
                    for table in ("articles", "texts")
                ]
                half = tx.connection.exec_driver_sql(
                    "SELECT count(*) FROM articles LEFT JOIN features USING (seq)"
                    " WHERE (articles.story IS NULL) != (features.seq IS NULL)"
                ).scalar_one()
            # Each article with its text, measured or not; never twice; feeds and entries of one mind.
            assert counts[0] == counts[1] == len(found) == len({article.id for article in found})
            assert half == 0
        victim.later(hours=12)
    assert cut_off >= ROUNDS // 3
    with victim.opened() as news:
        news.poll(force=True)
        expected = {
            article.id
            for source in victim.server.news.sources
            for article in victim.server.news.entries(source, victim.now)
        }
        inbox = news.inbox(everything=True, limit=None)
        with news.database.read() as tx:
            stored = articles.get(tx, range(1, articles.last_seq(tx) + 1))
        assert all(article.story is not None for article in stored)
        assert len(inbox.items) == len({article.story for article in stored}) > 0.8 * len(expected)
        assert len({(article.feed_id, article.title, article.url, article.text) for article in stored}) == len(stored)
        assert news.poll(force=True).new_articles == 0
        assert news.models.rebuild(check=True).equal is True


def test_verdicts_that_were_acknowledged_survive_once(victim: Victim) -> None:
    with victim.opened() as news:
        news.poll(force=True)
        ids = [item.id for item in news.inbox(everything=True, limit=None).items]
    draw = random.Random(21)
    acknowledged: list[tuple[str, str]] = []
    cut_off = 0
    for _ in range(ROUNDS):
        lines, alive = victim.killed("say", *draw.sample(ids, 30), lines_before=draw.randint(0, 20))
        cut_off += alive
        confirmed = [tuple(line.split()) for line in lines]
        acknowledged += confirmed
        with victim.opened() as news:
            assert news.database.integrity() == []
            with news.database.read() as tx:
                rows = tx.connection.exec_driver_sql("SELECT seq, kind FROM feedback ORDER BY row").all()
                names = {article.seq: article.id for article in articles.get(tx, [row.seq for row in rows])}
            recorded = [(row.kind, names[row.seq]) for row in rows]
            # All of them in their order, and at most one that was committed but not yet acknowledged.
            assert recorded[: len(acknowledged)] == acknowledged
            assert len(recorded) <= len(acknowledged) + 1
            acknowledged = recorded
            assert news.models.rebuild(check=True).equal is True
    assert cut_off >= ROUNDS // 3
    assert len(acknowledged) >= 3 * ROUNDS
    with victim.opened() as news:
        news.inbox()
        last = {name: kind for kind, name in acknowledged}
        status = news.status()
        assert status.likes == sum(kind == Kind.LIKE for kind in last.values())
        assert status.dislikes == sum(kind == Kind.DISLIKE for kind in last.values())
        assert status.to_learn == 0
        assert news.models.rebuild(check=True).equal is True
