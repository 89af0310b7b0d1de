"""A deadline counts the other side's time, not that of a busy machine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.feeds import deadline as deadline_module
from iscore.feeds.deadline import MAX_LATE, Deadline
from iscore.feeds.errors import ParseTimeoutError
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import Fetched
from iscore.feeds.parsing import parser_pool
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll_settings import PollSettings
from tests.servers.feed_server import FeedServer, document, rss

SHOWS_PROCESSES = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not show processes")


def always(_late: float) -> bool:
    """Count every step, however late it ends."""
    return True


def ends(block: Callable[[Deadline], Awaitable[object]], deadline: Deadline) -> bool:
    async def run() -> None:
        async with deadline.running():
            await block(deadline)

    try:
        asyncio.run(run())
    except TimeoutError:
        return True
    return False


def test_a_block_that_waits_for_too_long_ends() -> None:
    assert ends(lambda _: asyncio.sleep(3600), Deadline(0.05, always))
    assert not ends(lambda _: asyncio.sleep(0), Deadline(3600))


def test_time_in_which_the_loop_was_late_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline_module, "MAX_LATE", 0.05)

    async def busy(_: Deadline) -> None:
        for _n in range(3):
            time.sleep(0.25)  # of which 0.1 is the step
            await asyncio.sleep(0)

    assert not ends(busy, Deadline(0.1))
    assert ends(busy, Deadline(0.1, always))


def test_a_pause_does_not_count_and_several_blocks_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline_module, "STEP", 0.01)

    async def paused(deadline: Deadline) -> None:
        with deadline.paused():
            await asyncio.sleep(0.3)

    deadline = Deadline(0.2, always)
    assert not ends(paused, deadline)
    assert any(ends(lambda _: asyncio.sleep(0.05), deadline) for _ in range(20))


async def test_an_answer_that_a_busy_machine_reads_late_is_read(server: FeedServer) -> None:
    """The whole answer has been here for long when the event loop gets to it."""

    async def blocks(request, writer):  # type: ignore[no-untyped-def]
        await document(rss(1))(request, writer)
        time.sleep(MAX_LATE + 0.5)

    server.routes["/feed"] = blocks
    settings = PollSettings(fetch_timeout=0.4, host_spacing=0.0, allow_private_networks=True)
    async with Fetcher(settings) as fetcher, fetcher.fetch(server.url("/feed")) as outcome:
        assert isinstance(outcome, Fetched), outcome


@SHOWS_PROCESSES
def test_only_a_process_that_works_within_its_time_is_not_idle() -> None:
    def work() -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    within, beyond = parser_pool._idle_rule(os.getpid(), 3600), parser_pool._idle_rule(os.getpid(), 0.0)
    work()
    assert not within(0.0)
    assert beyond(0.0)
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        stopped = parser_pool._idle_rule(sleeper.pid, 3600)
        time.sleep(0.5)
        stopped(0.0)  # it has started meanwhile
        assert stopped(0.0)
        sleeper.kill()


@SHOWS_PROCESSES
async def test_a_parser_that_does_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    job = FeedJob(rss(1), "", "", datetime(2026, 3, 2, tzinfo=UTC))
    async with ParserPool(1) as pool:
        await pool.parse_quickly(job)
        (process,) = pool._quick._idle
        os.kill(process.pid, signal.SIGSTOP)
        monkeypatch.setattr(parser_pool, "MAX_IDLE", 0.3)
        with pytest.raises(ParseTimeoutError):
            await pool._quick.do(job, 1.0, "feed")
        monkeypatch.undo()
        assert (await pool.parse_quickly(job)).total == 1
