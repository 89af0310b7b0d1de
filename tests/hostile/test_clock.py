"""A system clock that jumps a year and comes back: every feed is asked once after each jump, verdicts are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import pytest

from benchmarks import homes
from benchmarks.attacked import serving
from iscore.evaluation.feed_server import Document, FeedServer
from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from tests.hostile.attacks import USER, kept, people, signed_in
from tests.hostile.crash_checks import Memory, examine
from tests.hostile.crash_victim import Step, victim
from tests.iscore.web.client import Client
from tests.servers.feed_server import rss

pytestmark = pytest.mark.long

FAKETIME = next((path for path in Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)


@pytest.mark.parametrize("year", [1970, 9999])
def test_row_67_a_clock_that_is_impossible_stops_no_command(tmp_path: Path, year: int) -> None:
    with victim(tmp_path, days=2) as one:
        one.work(one.home, [["poll"], ["inbox"]], inside=True)
        ((name,),) = one.rows("SELECT id FROM articles ORDER BY seq LIMIT 1")
        right, one.now = one.now, datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC)
        commands = [
            ["like", str(name)],
            ["poll", "--force"],
            ["inbox"],
            ["why", str(name)],
            ["status"],
            ["stats"],
            ["digest"],
        ]
        assert one.work(one.home, commands).refused == []
        one.now = right
        assert one.work(one.home, [["poll", "--force"], ["inbox"], ["digest"]]).refused == []


def jumping(clock: Path) -> dict[str, str]:
    """Return the environment of a process whose clock is as far from the right time as this new file says."""
    clock.write_text("+0d\n")
    return {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_a_server_whose_clock_jumps_keeps_verdicts_and_locks_nobody_out(tmp_path: Path) -> None:
    clock, home, given = tmp_path / "clock", tmp_path / "home", list[tuple[str, str]]()
    homes.make(home, "summary", 100, days=2, verdicts=10)
    people(home)
    with serving(home, **jumping(clock)) as (server, address, log):
        for jump in ("+365d", "+0d", "-1d", "+0d"):
            clock.write_text(f"{jump}\n")
            user = signed_in(address, USER)
            page = user.get("/all")
            story, kind = page.ids[len(given)], ("like", "dislike")[len(given) % 2]
            assert user.vote(page, story, kind).status == 303, jump
            given.append((story, kind))
            stranger = Client(address)
            form = {"token": stranger.get("/login").hidden("token"), "name": USER, "password": "wrong"}
            statuses = [stranger.post("/login", form).status for _ in range(7)]
            assert statuses[-1] == 429
        assert kept(home, given) == []
        server.terminate()
        assert server.wait(60) == 0
        log.seek(0)
        assert log.read() == ""


POLLING = """
import sys
from datetime import timedelta
from iscore.jobs.scheduler import background, loop, plan, tasks
loop.STEP, loop.NETWORK_DELAY, plan.POLL_INTERVAL = timedelta(seconds=0.2), 0.1, timedelta(seconds=1)
class TasksHere:
    __call__ = staticmethod(tasks.run_task)
    def stop(self): pass
background.TaskProcess = TasksHere
from iscore.cli import main
sys.exit(main())
"""
"""Looks five times a second for what is due, not once a minute, and polls in its own process, which loads less."""

DEADLINE = 900.0
"""Seconds that no machine needs for five polls."""


@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_a_server_that_polls_asks_once_after_each_jump(tmp_path: Path) -> None:
    clock, home, asked = tmp_path / "clock", tmp_path / "home", list[str]()

    def feed(path: str) -> Document:
        asked.append(path)
        return Document(rss(3), "text/xml", datetime(2025, 3, 3, tzinfo=UTC))

    command = [sys.executable, "-c", POLLING, "--home", str(home), "serve", "--port", "0", "--json"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"} | jumping(clock)
    with FeedServer(feed, lambda: datetime.now(UTC), ("127.0.0.1", 0)) as server:
        home.mkdir()
        (home / "config.toml").write_text(
            "allow_private_networks = true\nhost_spacing = 0\nparse_processes = 1\npictures = false\n"
        )
        (home / "feeds.yaml").write_text(f"feeds:\n  - url: {server.url}/feed\n")
        NewsFilter.create(home).close()
        CredentialStore(home).mark_set_up()
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            # Without a poll the log would be read for ever.
            deadline = Timer(DEADLINE, process.kill)
            deadline.start()
            try:
                address = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["address"]
                events: list[dict[str, object]] = []
                for number, jump in enumerate(("+0d", "+3d", "+0d", "-3d", "+0d")):
                    clock.write_text(f"{jump}\n")
                    while not events or events[-1]["event"] != "job":  # the poll is over
                        events.append(json.loads(process.stderr.readline()))
                    assert Client(address).get("/feeds").status == 200
                    # A jump while it looks for what is due, and not while it waits, is no event.
                    assert [each["event"] for each in events if each["event"] != "clock"] == ["poll", "job"], jump
                    events.clear()
                    time.sleep(3.0)  # no storm: three times what lies between two polls
                    assert len(asked) == number + 1, jump
            finally:
                deadline.cancel()
                process.terminate()
        assert process.returncode == 0


@pytest.mark.skipif(FAKETIME is None, reason="there is no libfaketime")
def test_a_year_ahead_and_a_year_back_bring_no_storm_and_no_starvation(tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    environment = jumping(clock)
    attempts = "SELECT id, last_attempt FROM feeds ORDER BY id"
    memory = Memory()
    with victim(tmp_path, days=2, **environment) as one:
        one.own_clock = True
        one.work(one.home, [["poll"], ["inbox"]], inside=True)
        for jump in ("+365d", "+0d", "-365d", "+0d"):
            before = one.rows(attempts)
            clock.write_text(f"{jump}\n")
            work = one.work(one.home, [["poll"]])
            assert work.refused == []
            asked = one.rows(attempts)
            assert all(new[1] != old[1] for new, old in zip(asked, before, strict=True)), jump
            again = one.work(one.home, [["poll"], ["status"]])
            assert again.refused == []
            assert one.rows(attempts) == asked, jump
            assert list(examine(one, memory, again)) == []

        # A poll that dies while the clock is ahead leaves leases of next year; nobody waits for their end.
        before = one.rows(attempts)
        clock.write_text("+365d\n")
        for number in range(2, 12):
            assert one.work(one.home, [["poll"]], after=Step(number)).killed
            if one.rows("SELECT 1 FROM feeds WHERE lease_until IS NOT NULL"):
                break
        clock.write_text("+0d\n")
        work = one.work(one.home, [["poll", "--force"]])
        assert work.refused == []
        asked = one.rows(attempts)
        assert all(new[1] != old[1] for new, old in zip(asked, before, strict=True))
        assert one.rows("SELECT 1 FROM feeds WHERE lease_until IS NOT NULL") == []
        assert list(examine(one, memory, work)) == []
    assert memory.articles
