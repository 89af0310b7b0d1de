"""The loop on a real data folder with real feeds and a real mail server; and the program as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path

import pytest

from benchmarks.sample_news.news import News
from benchmarks.sample_news.server import NewsServer
from iscore.core import timings
from iscore.core.errors import DataFolderError
from iscore.core.file_access import LockedError
from iscore.jobs.scheduler.log_format import Value, json_line, text_line
from iscore.jobs.scheduler.loop import NETWORK_DELAY, Loop
from iscore.jobs.scheduler.task_process import TaskProcess
from iscore.jobs.scheduler.tasks import CRASHED, Task, with_job_ids
from iscore.services.news_filter import NewsFilter
from storage.records.deliveries import MailState
from tests.iscore.conftest import confirm
from tests.servers import fork_server
from tests.servers.mail_server import Blunt, MailServer

START = datetime(2025, 3, 3, tzinfo=UTC)


class World:
    """A data folder with two feeds, a mail server, and a clock that only waiting moves."""

    def __init__(self, home: Path, news: NewsServer, mail: MailServer) -> None:
        self.home, self.news, self.mail = home, news, mail
        self.now = START + timedelta(days=1, hours=6, minutes=56)
        self.awake = 0.0
        self.events: list[tuple[str, dict[str, Value]]] = []
        self.waits: list[float] = []
        self.asleep = timedelta(0)
        home.mkdir()
        urls = list(news.urls.values())[:2]
        (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in urls))
        self.set()
        NewsFilter.create(home).close()

    def set(self, **settings: object) -> None:
        values = {"mail_to": "you@example.org", "mail_host": "127.0.0.1", "mail_port": self.mail.port}
        values |= {"mail_security": "none", "time_zone": "UTC", "host_spacing": 0, "parse_processes": 1}
        values |= settings
        lines = [f"{name} = {value!r}\n" for name, value in values.items()]
        (self.home / "config.toml").write_text("allow_private_networks = true\n" + "".join(lines))

    def loop(self) -> Loop:
        self.news.at = self.now

        def log(at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
            assert at == self.now
            self.events.append((event, {**values, "trouble": trouble}))

        def wait(seconds: float) -> None:
            self.waits.append(seconds)
            self.awake += seconds
            self.now += timedelta(seconds=seconds) + self.asleep
            self.news.at = self.now
            self.asleep = timedelta(0)

        return Loop(self.home, lambda: self.now, log, wait=wait, monotonic=lambda: self.awake)

    def logged(self, event: str) -> list[dict[str, Value]]:
        return [values for name, values in self.events if name == event]


@pytest.fixture(scope="module")
def news() -> Iterator[NewsServer]:
    with NewsServer(News(seed=7, start=START, days=3), at=START) as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, news: NewsServer) -> Iterator[World]:
    with MailServer() as mail:
        yield World(tmp_path / "home", news, mail)


def test_poll_and_mail_at_their_times(world: World) -> None:
    """Poll at once unless that has to wait, mail at seven and not before; not twice by another process, not again
    after sleep."""
    loop = world.loop()
    loop.polls_pause_until = world.awake + 0.1
    assert loop.once()
    assert world.events == []
    world.awake += 0.1
    assert loop.once()
    assert [event for event, _ in world.events] == ["poll"]
    (polled,) = world.logged("poll")
    assert polled["feeds"] == 2
    assert not world.mail.received

    looked: list[datetime] = []
    for _ in range(40):
        _, again = loop._step()
        looked.append(world.now)
        if world.mail.received:
            break
        loop._pause(again)
    assert world.now == START + timedelta(days=1, hours=7)
    assert max(world.waits) <= 60
    (mailed,) = world.logged("mail")
    assert (mailed["digest"], mailed["state"]) == ("2025-03-04", MailState.SENT)

    assert world.loop().once()
    world.asleep = timedelta(hours=9)
    loop._pause(world.now + timedelta(minutes=1))
    (jumped,) = world.logged("clock")
    assert jumped["jump"] == "+32400s"
    assert world.waits[-1] == NETWORK_DELAY
    loop._step()
    assert len(world.logged("poll")) == 2
    world.asleep = timedelta(days=-30)
    loop._pause(world.now + timedelta(minutes=1))
    assert world.logged("clock")[1]["jump"] == "-2592000s"
    assert len(world.mail.received) == 1


def test_each_gets_mail_at_their_hour_and_a_mistake_of_one_stops_nobody(world: World) -> None:
    with NewsFilter.open(world.home, clock=lambda: world.now) as news:
        for name, settings in (
            ("Anna", 'mail_to = "anna@example.org"\ndigest_at = "10:03"\ntime_zone = "Africa/Nairobi"\n'),
            ("Bert", "inbox_days = 0\n"),
        ):
            news.people.add(name)
            (*_, last) = news.people.contexts()
            last.personal_settings.replace(settings, before="")
        news.for_user(2).subscriptions.add(list(world.news.urls.values())[:1], discover=False)
        confirm(news, "you@example.org")
        confirm(news.for_user(2), "anna@example.org")
    loop = world.loop()
    for _ in range(60):
        loop._pause(loop._step()[1])
        if len(world.mail.received) == 2:
            break
    assert timedelta(minutes=3) <= world.now - START - timedelta(days=1, hours=7) <= timedelta(minutes=4)
    assert [message_from_bytes(each.content)["To"] for each in world.mail.received] == [
        "you@example.org",
        "anna@example.org",
    ]
    assert [each["user"] for each in world.logged("mail")] == ["local", "Anna"]
    assert len(world.logged("poll")) == 1
    troubles = {(each["during"], each["user"]) for each in world.logged("trouble")}
    assert troubles == {("look", "Bert")}


def test_backoff_after_trouble(world: World) -> None:
    loop = world.loop()
    (world.home / "config.toml").write_text("poll_interval = 1\n")
    for _ in range(60):
        well, again = loop._step()
        assert not well
        loop._pause(again)
    troubles = world.logged("trouble")
    assert 4 <= len(troubles) <= 6  # after 1, 3, 7, 15, 31 minutes
    assert {str(each["during"]) for each in troubles} == {"look"}
    assert "setting 'poll_interval'" in str(troubles[0]["what"])
    world.set(mail_to="")
    for _ in range(40):
        loop._pause(loop._step()[1])
    assert len(world.logged("poll")) >= 1


def test_mail_is_retried_when_the_server_was_down(world: World) -> None:
    world.now += timedelta(hours=1)
    world.set(mail_port=1)
    loop = world.loop()
    assert not loop.once()
    assert "nothing is listening" in str(world.logged("trouble")[0]["what"])
    assert len(world.logged("poll")) == 1
    world.set()
    for _ in range(3):
        loop._pause(loop._step()[1])
    assert len(world.mail.received) == 1
    assert [each["state"] for each in world.logged("mail")] == [MailState.SENT]


def test_digest_never_made_is_missed(world: World) -> None:
    (world.home / "feeds.yaml").write_text("feeds: []\n")
    world.now += timedelta(hours=1)
    world.set(mail_port=1, mail_empty=1)
    assert not world.loop().once()
    world.set(mail_empty=1)
    world.now += timedelta(days=1)
    assert world.loop().once()
    assert [(each["digest"], each["state"]) for each in world.logged("mail")] == [
        ("2025-03-04", "missed"),
        ("2025-03-05", MailState.SENT),
    ]


def test_missing_data_folder(tmp_path: Path) -> None:
    with pytest.raises(DataFolderError):
        Loop(tmp_path, lambda: START, lambda *_, **__: None).once()


def test_log_lines() -> None:
    values: dict[str, Value] = {"feeds": 2, "what": 'says "no"\\', "none": None, "empty": ""}
    assert text_line(START, "poll", values, str) == '2025-03-03T00:00:00Z poll feeds=2 what="says \\"no\\"\\\\"'
    assert json.loads(json_line(START, "poll", values)) == {"time": "2025-03-03T00:00:00Z", "event": "poll", **values}


# The program


def started(home: Path, *arguments: str, **environment: str) -> fork_server.Process | subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COV_CORE"))}
    settings = {**kept, "TZ": "UTC", "PYTHONWARNINGS": "error", **environment}
    words = ("--home", str(home), "run", *arguments)
    if "LD_PRELOAD" not in environment:
        return fork_server.start(*words, env=settings)
    return subprocess.Popen(
        [sys.executable, "-c", fork_server.PROGRAM, *words],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: fork_server.Process | subprocess.Popen[str], within: float) -> tuple[int | None, str, str]:
    out, err = process.communicate(timeout=within)
    return process.returncode, out, err


def test_sigterm_during_a_poll_and_one_process_at_a_time(world: World) -> None:
    world.set(mail_to="", fetch_timeout=600.0)
    with Blunt(b"", b"") as silent:
        (world.home / "feeds.yaml").write_text(f"feeds:\n  - url: http://127.0.0.1:{silent.port}/feed\n")
        running = started(world.home)
        assert running.stdout is not None
        assert f"process={running.pid}" in running.stdout.readline()
        with pytest.raises(LockedError, match=f"running on this data folder already, in process {running.pid}"):
            world.loop().once()
        while not silent.conversations:  # then it waits for an answer that will not come
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        code, out, err = ended(running, 120)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].endswith(f" stop process={running.pid}")
    with NewsFilter.open(world.home) as after:
        (feed,) = after.subscriptions.feeds()
        assert (feed.failures, feed.error) == (0, "")
        assert after.subscriptions.is_due()


def test_a_task_in_a_subprocess_logs_and_answers(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[tuple[str, bool, dict[str, Value]]] = []

    def log(_at: datetime, event: str, *, trouble: bool = False, **values: Value) -> None:
        events.append((event, trouble, values))

    @contextmanager
    def bar() -> Iterator[Callable[[int, int, str], None]]:
        events.append(("bar", False, {"feeds": None}))
        yield lambda _done, _total, what: steps.append((len(events), what))
        events.append(("no bar", False, {"feeds": None}))

    steps: list[tuple[int, str]] = []
    task = Task(poll=True, mail=None, missed=())
    timings.taken()
    assert with_job_ids(TaskProcess(bar))(world.home, task, lambda: START, log) == 0
    assert timings.totals()[timings.LOAD].count > 0  # in the subprocess
    assert [event for event, _, _ in events] == ["bar", "no bar", "poll", "job"]
    job = events.pop()[2]
    assert (job["work"], job["failed"], job["job"]) == ("poll", "", events[-1][2]["job"])
    assert {length for length, _ in steps} == {1}
    assert "scoring articles again" in [what for _, what in steps]
    del events[:2]
    assert [(event, trouble, values["feeds"]) for event, trouble, values in events] == [("poll", False, 2)]
    assert TaskProcess()(tmp_path / "none", task, lambda: START, log) == CRASHED
    assert [(event, trouble) for event, trouble, _ in events[1:]] == [("trouble", True)]
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(killed))
    assert TaskProcess()(world.home, task, lambda: START, log) == CRASHED


def test_once(world: World) -> None:
    now = START + timedelta(days=1, hours=12)
    world.news.at = now
    code, out, err = ended(started(world.home, "--once", "--json", ISCORE_NOW=now.isoformat()), 300)
    assert (code, err) == (0, "")
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["event"] for event in events] == ["poll", "mail", "job"]
    assert len(world.mail.received) == 1
    soon = (now + timedelta(minutes=9)).isoformat()
    code, out, err = ended(started(world.home, "--once", ISCORE_NOW=soon), 300)
    assert (code, err, out.split()[1:4]) == (0, "", ["icons", "feeds=2", "found=0"])
    code, out, err = ended(started(world.home, "--once", ISCORE_NOW=soon), 300)
    assert (code, err) == (0, "")
    words = out.split()
    assert (words[1], words[3:]) == ("idle", ["next_mail=2025-03-05T07:00:00Z"])
    assert START + timedelta(days=1, hours=12) < datetime.fromisoformat(words[2].removeprefix("next_poll="))
    world.set(mail_port=1)
    (world.home / "feeds.yaml").write_text("feeds: []\n")
    later = (now + timedelta(days=1)).isoformat()
    code, out, err = ended(started(world.home, "--once", ISCORE_NOW=later), 300)
    assert code == 1
    assert "trouble during=mail digest=2025-03-05" in err


FAKETIME = next((path for path in Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)


@pytest.mark.long
@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_clock_a_year_ahead(world: World, tmp_path: Path) -> None:
    (world.home / "feeds.yaml").write_text("feeds: []\n")
    world.set(mail_empty=1)
    world.now += timedelta(hours=1)
    assert world.loop().once()
    ahead = tmp_path / "clock"
    ahead.write_text("@2026-03-04 09:00:00\n")
    process = started(world.home, "--once", LD_PRELOAD=str(FAKETIME), FAKETIME_TIMESTAMP_FILE=str(ahead))
    assert ended(process, 300)[0] == 0
    for hours in (0, 1, 20):
        world.now += timedelta(hours=hours)
        assert world.loop().once()
    assert [identity(each.content) for each in world.mail.received] == ["2025-03-04", "2026-03-04"]
    world.now += timedelta(hours=5)
    assert world.loop().once()
    assert identity(world.mail.received[-1].content) == "2025-03-05"


def identity(message: bytes) -> str:
    """Return the digest that a Message-ID names."""
    return str(message_from_bytes(message)["Message-ID"]).split(".")[1]
