"""Polls that are cancelled, killed, doubled or locked out lose nothing and hold nothing up."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.recorder import Status
from storage.engine.errors import DatabaseBusy
from storage.opening.database import Database, open_database
from storage.stream import feeds
from tests.iscore.feeds.polled import HOSTS, SETTINGS, Clock, counts, follow, states, titles
from tests.servers.feed_server import FeedServer, document, rss, silence


async def test_two_pollers_at_once_never_ask_the_same_feed(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/feed"] = document(rss(2))
    follow(database, *(server.url("/feed", host) for host in HOSTS))
    both = await asyncio.gather(*(poll(database, SETTINGS, clock, pool=pool) for _ in range(2)))
    assert sum(report.feeds for report in both) == len(HOSTS) == len(server.requests)
    assert len(titles(database)) == 2 * len(HOSTS)


async def test_cancelling_releases_the_feeds(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/feed"] = silence
    follow(database, *(server.url("/feed", host) for host in HOSTS))
    task = asyncio.create_task(poll(database, SETTINGS, clock, pool=pool))
    while len(server.requests) < len(HOSTS):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    server.routes["/feed"] = document(rss(1))
    report = await poll(database, SETTINGS, clock, pool=pool)
    assert counts(report) == (len(HOSTS), len(HOSTS), 0, 0)


async def test_a_poll_ends_even_if_a_parser_never_does(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    limits = replace(SETTINGS, start_timeout=0.1, fetch_timeout=0.2, parse_timeout=0.5)

    class Hangs:
        async def parse_quickly(self, job: FeedJob) -> ParsedFeed:
            if job.url.endswith("1"):
                await asyncio.sleep(3600)
            return await pool.parse(job)

    server.routes["/feed"] = document(rss(1))
    follow(database, server.url("/feed?1"), server.url("/feed?2", "127.0.0.2"))
    report = await poll(database, limits, clock, pool=Hangs())
    assert [outcome.status for outcome in report.outcomes] == [Status.POSTPONED, Status.CHANGED]
    assert (await poll(database, SETTINGS, clock, pool=pool)).feeds == 1


async def test_no_write_lock_is_held_while_waiting_for_the_network_or_a_parser(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    writes = 0

    class SlowParser:
        async def parse_quickly(self, job: FeedJob) -> ParsedFeed:
            nonlocal writes
            await asyncio.sleep(0.3)
            write()
            return await pool.parse(job)

    def write() -> None:
        nonlocal writes
        with open_database(database.path, busy_timeout=0.0) as other, other.write() as tx:
            feeds.release(tx, [])
            writes += 1

    behave = document(rss(1))

    async def writes_meanwhile(request, writer):  # type: ignore[no-untyped-def]
        write()
        await behave(request, writer)

    server.routes["/feed"] = writes_meanwhile
    follow(database, server.url("/feed"))
    report = await poll(database, SETTINGS, clock, pool=SlowParser())
    assert report.new_articles == 1
    assert writes == 2


def test_a_database_that_stays_locked_is_an_error_that_says_so(
    tmp_path: Path, runner: asyncio.Runner, pool: ParserPool, clock: Clock
) -> None:
    path = tmp_path / "iscore.db"

    async def run(database: Database, other: Database) -> None:
        async with FeedServer() as server:
            started, done = threading.Event(), threading.Event()

            def hold() -> None:
                with other.write():
                    started.set()
                    done.wait(600)

            holder = threading.Thread(target=hold)

            async def locks(request, writer):  # type: ignore[no-untyped-def]
                holder.start()
                started.wait(600)
                await document(rss(1))(request, writer)

            server.routes["/feed"] = locks
            follow(database, server.url("/feed"))
            try:
                with pytest.raises(DatabaseBusy):
                    await poll(database, SETTINGS, clock, pool=pool)
            finally:
                done.set()
                holder.join()

    with open_database(path, create=True, busy_timeout=0.2) as database, open_database(path) as other:
        runner.run(run(database, other))
        assert titles(database) == []
        assert states(database)[0].last_success is None


_POLLERS = """
import asyncio, os, sys
from datetime import UTC, datetime
from pathlib import Path
from iscore.feeds.poll import poll
from iscore.feeds.poll_settings import PollSettings
from storage.opening.database import open_database
settings = PollSettings(host_spacing=0.0, allow_private_networks=True, start_timeout=1.0, fetch_timeout=5.0)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.setsid()
        print(os.getpid(), flush=True)
        at = datetime.fromisoformat(line.strip())
        with open_database(Path(sys.argv[1])) as database:
            asyncio.run(poll(database, settings, lambda: at))
        os._exit(0)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""
"""A process for each round, begun by one that has loaded what they need."""


async def test_killed_anywhere_the_next_poll_continues_without_duplicates(
    database: Database, pool: ParserPool, server: FeedServer, clock: Clock
) -> None:
    server.routes["/feed"] = document(rss(40), pack=True)
    follow(database, *(server.url(f"/feed?{n}", host) for n, host in enumerate(HOSTS)))
    command = [sys.executable, "-c", _POLLERS, str(database.path)]
    pollers = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert pollers.stdin is not None
    assert pollers.stdout is not None
    for delay in (0.0, 0.03, 0.1, 0.3):
        asked = len(server.requests)
        pollers.stdin.write(f"{clock.now.isoformat()}\n".encode())
        poller = int(await pollers.stdout.readline())
        ended = asyncio.create_task(pollers.stdout.readline())
        while len(server.requests) == asked and not ended.done():
            await asyncio.sleep(0.005)
        await asyncio.sleep(delay)
        if not ended.done():
            with suppress(ProcessLookupError):  # it may have ended this very moment
                os.killpg(poller, signal.SIGKILL)
        assert await ended == b"ended\n"
        assert database.integrity() == []
        found = titles(database)
        assert len(found) % 40 == 0
        clock.later(minutes=10)  # the lease has run out
    await pollers.communicate(b"")
    await poll(database, SETTINGS, clock, pool=pool, force=True)
    assert len(titles(database)) == 40 * len(HOSTS)
    assert all(feed.last_success is not None for feed in states(database))
