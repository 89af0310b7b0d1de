"""Workers as processes: one is killed and one is stopped in the middle of a poll, and the others lose nothing by it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from iscore.evaluation.feed_server import Document, FeedServer
from iscore.jobs.workers.loop import LEASE
from iscore.jobs.workers.tasks import MAIL_CHECK
from storage.records.users import Kind
from storage.records.work import Task
from tests.iscore.conftest import confirm
from tests.iscore.jobs.workers.office import PEOPLE, Office
from tests.servers.feed_server import rss
from tests.servers.mail_server import MailServer

pytestmark = pytest.mark.long
PATIENCE = 120.0
"""Seconds for anything to happen on a busy machine."""


def until(happened: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, what
        time.sleep(0.05)


class Process:
    """A worker. What it says is read in a thread."""

    def __init__(self, office: Office) -> None:
        words = [sys.executable, "-P", "-m", "iscore", "--home", str(office.home), "worker", "--json"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(iter(self.process.stdout.readline, ""))

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)

    def ends(self) -> int:
        """Wait for the end, and return the exit code."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self.process.stdout.close()  # type: ignore[union-attr]
        return code

    @property
    def holder(self) -> str:
        return f":{self.process.pid}"


class Hang:
    """A feed whose first requests wait until the test lets them go."""

    def __init__(self, times: int) -> None:
        self.waiting: queue.SimpleQueue[threading.Event] = queue.SimpleQueue()
        self._left = times
        self._server = FeedServer(self._document, lambda: datetime.now(UTC), ("127.0.2.1", 0))

    def _document(self, _path: str) -> Document:
        if self._left:
            self._left -= 1
            go = threading.Event()
            self.waiting.put(go)
            go.wait(PATIENCE)
        return Document(rss(5), "application/rss+xml", datetime.now(UTC))

    @contextmanager
    def open(self) -> Iterator[str]:
        with self._server:
            yield f"{self._server.url}/feed"


@pytest.fixture
def start(office: Office) -> Iterator[Callable[[], Process]]:
    """Start a worker, which ends with the test."""
    made: list[Process] = []

    def start() -> Process:
        made.append(Process(office))
        return made[-1]

    yield start
    for each in made:
        each.process.kill()
        each.ends()


def test_a_killed_and_a_stopped_worker_lose_nothing(office: Office, start: Callable[[], Process]) -> None:
    hang = Hang(times=2)
    with MailServer() as mail, hang.open() as url:
        config = office.home / "config.toml"
        config.write_text(f'mail_host = "127.0.0.1"\nmail_port = {mail.port}\nmail_security = "none"\n')
        office.follow(1, url)
        workers = [start(), start()]

        def holder() -> Process | None:
            """Return who asks the feed that hangs."""
            held = office.holders(Task.POLL).get("127.0.2.1", "")
            return next((each for each in workers if held.endswith(each.holder)), None)

        first = hang.waiting.get(timeout=PATIENCE)
        killed = holder()
        assert killed is not None
        killed.signal(signal.SIGKILL)
        assert killed.ends() == -signal.SIGKILL
        office.passes(LEASE, killed.holder)
        workers = [*(each for each in workers if each is not killed), start()]

        second = hang.waiting.get(timeout=PATIENCE)  # another worker asks the same feed
        stopped = holder()
        assert stopped is not None
        stopped.signal(signal.SIGSTOP)
        office.passes(LEASE, stopped.holder)
        anna = office.news.for_user(2)
        until(lambda: anna.inbox(everything=True, limit=None, learn=False).items, "the others go on")
        anna.give(Kind.LIKE, [each.id for each in anna.inbox(everything=True, limit=None, learn=False).items[:2]])
        until(lambda: office.execute("SELECT 1 FROM articles WHERE url = 'https://news.example/1'"), "it is taken over")
        first.set()
        second.set()
        stopped.signal(signal.SIGCONT)
        until(lambda: any('"what": "Another worker has taken over' in each for each in stopped.said), "it is refused")

        until(office.is_idle, "all is done")
        for person in PEOPLE:
            confirm(office.news.for_user(person), f"reader-{person}@example.org")
            personal = office.news.for_user(person).context.personal_settings
            wanted = f'mail_to = "reader-{person}@example.org"\ndigest_at = "00:00"\ntime_zone = "UTC"\n'
            personal.replace(wanted, before=personal.read_or_empty().decode())
        office.passes(MAIL_CHECK)
        until(lambda: len(office.execute("SELECT 1 FROM mailings WHERE state = 'sent'")) == len(PEOPLE), "digests")
        until(office.is_idle, "all is done")
        office.check()
        assert anna.models.unlearned() == 0
        received = sorted(each.recipients for each in mail.received)
        assert received == [(f"reader-{person}@example.org",) for person in PEOPLE]
        for each in workers:
            each.signal(signal.SIGTERM)
        assert [each.ends() for each in workers] == [0, 0]
        assert all('"event": "stop"' in each.said[-1] for each in workers)


def test_a_worker_that_is_terminated_gives_back_what_it_has(office: Office, start: Callable[[], Process]) -> None:
    hang = Hang(times=1)
    with hang.open() as url:
        office.follow(1, url)
        worker = start()
        go = hang.waiting.get(timeout=PATIENCE)
        worker.signal(signal.SIGTERM)
        assert worker.ends() == 0
        go.set()
        rows = office.execute("SELECT holder, attempts, lease_until FROM work WHERE task = 'poll'")
        assert set(rows) == {("", 0, None)}
        assert office.works(tasks=[Task.POLL])
    assert office.execute("SELECT count(*) FROM articles WHERE url LIKE 'https://news.example/%'") == [(5,)]
