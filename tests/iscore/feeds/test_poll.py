"""Whole polls: a real server, real parser processes, a real database."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.poll_report import PollReport, Status
from iscore.feeds.poll_settings import PollSettings
from storage import articles, feeds
from storage.database import Database, open_database
from storage.errors import DatabaseBusy
from storage.records import LOCAL_USER, Feed, Subscription
from tests.servers.feed_server import FeedServer, document, raw, redirect, rss, silence, status

SETTINGS = PollSettings(fetch_timeout=1.0, host_spacing=0.0, allow_private_networks=True, parse_timeout=5.0)
START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
HOSTS = tuple(f"127.0.0.{n}" for n in range(1, 9))


class Clock:
    """A clock that only ``later`` moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def later(self, **time_: float) -> None:
        self.now += timedelta(**time_)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(tmp_path / "iscore.db", create=True) as opened:
        yield opened


def follow(database: Database, *urls: str) -> None:
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])


def states(database: Database) -> list[Feed]:
    with database.read() as tx:
        return [row.feed for row in feeds.overview(tx, LOCAL_USER)]


def titles(database: Database) -> list[str]:
    with database.read() as tx:
        return [article.title for article in articles.without_features(tx, 10_000)]


def counts(report: PollReport) -> tuple[int, int, int, int]:
    return report.feeds, report.changed, report.unchanged, report.failed


def test_a_poll_stores_new_articles_and_the_same_bytes_change_only_times(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/etag"] = document(rss(3), ETag='"1"', Last_Modified="then")
            server.routes["/plain"] = document(rss(2, title="Plain"))
            follow(database, server.url("/etag"), server.url("/plain", "127.0.0.2"))
            done: list[tuple[int, int, str]] = []
            first = await poll(database, SETTINGS, clock, pool=pool, progress=lambda *step: done.append(step))
            assert counts(first) == (2, 2, 0, 0)
            assert (first.new_articles, first.updated_articles) == (5, 0)
            assert [step[:2] for step in done] == [(1, 2), (2, 2)]
            assert sorted(titles(database)) == sorted([f"Story number {n}" for n in (0, 1, 2, 0, 1)])
            before = states(database)
            assert [feed.title for feed in before] == ["Loopback news", "Plain"]
            assert all(feed.last_success == START and feed.failures == 0 for feed in before)

            clock.later(minutes=30)
            assert (await poll(database, SETTINGS, clock, pool=pool)).feeds == 0

            clock.later(minutes=40)
            second = await poll(database, SETTINGS, clock, pool=pool)
            assert counts(second) == (2, 0, 2, 0)
            assert second.new_articles == 0
            assert [request.headers.get("if-none-match") for request in server.asked("/etag")] == [None, '"1"']
            times = ("last_attempt", "last_success", "next_due")
            for old, new in zip(before, states(database), strict=True):
                assert replace(new, **{name: getattr(old, name) for name in times}) == old
                assert new.last_success == clock.now
            assert len(titles(database)) == 5

    runner.run(run())


def test_what_a_document_wishes_is_remembered_at_answers_without_one(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()
    wishes = f"<ttl>{'9' * 4000}</ttl><skipDays><day>Wednesday</day></skipDays><skipHours><hour>0</hour></skipHours>"
    thursday = datetime(2026, 3, 5, 1, 0, tzinfo=UTC)

    async def run() -> None:
        async with FeedServer() as server:
            server.routes["/feed"] = document(rss(1, extra=wishes), ETag='"1"')
            follow(database, server.url("/feed"))
            await poll(database, SETTINGS, clock, pool=pool)
            clock.later(days=1)  # not modified: Wednesday is out
            assert (await poll(database, SETTINGS, clock, pool=pool, force=True)).unchanged == 1
            assert [feed.next_due for feed in states(database)] == [thursday]
            server.routes["/feed"] = status(503)
            clock.later(minutes=10)
            assert (await poll(database, SETTINGS, clock, pool=pool, force=True)).failed == 1
            assert [feed.next_due for feed in states(database)] == [thursday]

    runner.run(run())


def test_the_same_etag_with_another_body_is_a_change(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()
    content = rss(2)

    async def run() -> None:
        nonlocal content
        async with FeedServer() as server:
            behave = document(lambda: content, ETag='"same"')

            async def never_304(request, writer):  # type: ignore[no-untyped-def]
                request.headers.pop("if-none-match", None)
                await behave(request, writer)

            server.routes["/feed"] = never_304
            follow(database, server.url("/feed"))
            await poll(database, SETTINGS, clock, pool=pool)
            content = rss(3)
            clock.later(hours=2)
            report = await poll(database, SETTINGS, clock, pool=pool)
            assert (report.changed, report.new_articles) == (1, 1)
            content = content.replace(b"What happened in story 1", b"What really happened in story 1")
            clock.later(hours=2)
            report = await poll(database, SETTINGS, clock, pool=pool)
            assert (report.new_articles, report.updated_articles) == (0, 1)

    runner.run(run())


def test_one_bad_feed_stops_nobody_else_and_keeps_what_is_known_of_it(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            paths = ("/good", "/slow", "/gone", "/page", "/cut", "/loop", "/scheme")
            for path in paths:
                server.routes[path] = document(rss(2), ETag='"old"')
            follow(database, *(server.url(path, host) for path, host in zip(paths, HOSTS, strict=False)))
            await poll(database, SETTINGS, clock, pool=pool)
            before = {feed.url: feed for feed in states(database)}
            server.routes |= {
                "/good": document(rss(3)),
                "/slow": silence,
                "/gone": status(410),
                "/page": document(b"<!doctype html><title>Log in</title><form></form>", ETag='"page"'),
                "/cut": raw(b"HTTP/1.1 200 OK\r\nETag: new\r\nContent-Length: 5000\r\n\r\n" + rss(3)[:300]),
                "/loop": redirect("/loop"),
                "/scheme": redirect("file:///etc/passwd", 301),
            }
            clock.later(hours=2)
            report = await poll(database, SETTINGS, clock, pool=pool)
            assert counts(report) == (7, 1, 0, 6)
            assert report.new_articles == 1
            assert [o.error != "" for o in report.outcomes] == [o.status is Status.FAILED for o in report.outcomes]
            for feed in states(database):
                old = before[feed.url]
                if "/good" in feed.url:
                    continue
                assert (feed.etag, feed.body_hash, feed.items_seen) == (old.etag, old.body_hash, old.items_seen)
                assert feed.last_success == START
                assert (feed.failures, feed.last_attempt) == (1, clock.now)
                assert feed.error
                assert feed.next_due is not None
                assert feed.next_due >= clock.now + timedelta(hours=1)
            assert len(titles(database)) == 15

    runner.run(run())


def test_a_forced_poll_skips_feeds_that_were_just_fetched(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/feed"] = document(rss(1))
            follow(database, server.url("/feed"))
            await poll(database, SETTINGS, clock, pool=pool)
            follow(database, server.url("/feed"), server.url("/feed", "127.0.0.2"))
            clock.later(seconds=30)
            report = await poll(database, SETTINGS, clock, pool=pool, force=True)
            assert (report.feeds, report.cooling) == (1, 1)
            clock.later(seconds=31)
            report = await poll(database, SETTINGS, clock, pool=pool, force=True)
            assert (report.feeds, report.cooling) == (1, 1)
            assert len(server.requests) == 3

    runner.run(run())


@pytest.mark.parametrize("days", [365, 10, -365])
def test_a_clock_that_jumps_and_comes_back_starves_no_feed_and_asks_none_twice(
    database: Database, days: int, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/feed"] = document(rss(1), ETag='"1"')
            follow(database, *(server.url("/feed", host) for host in HOSTS[:3]))
            for jump in (0, 0, days, 0, -days, 0, 0):
                clock.later(days=jump, hours=2)
                asked = len(server.requests)
                for _ in range(4):
                    await poll(database, SETTINGS, clock, pool=pool)
                    assert len(server.requests) - asked == 3
                    clock.later(minutes=15)

    runner.run(run())


def test_two_pollers_at_once_never_ask_the_same_feed(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/feed"] = document(rss(2))
            follow(database, *(server.url("/feed", host) for host in HOSTS))
            both = await asyncio.gather(*(poll(database, SETTINGS, clock, pool=pool) for _ in range(2)))
            assert sum(report.feeds for report in both) == len(HOSTS) == len(server.requests)
            assert len(titles(database)) == 2 * len(HOSTS)

    runner.run(run())


def test_cancelling_releases_the_feeds(database: Database, runner: asyncio.Runner, pool: ParserPool) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
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

    runner.run(run())


def test_feeds_of_a_dead_host_are_left_to_the_next_poll(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/feed"] = document(rss(1))
            dead = f"http://127.0.0.1:{taken.getsockname()[1]}"
            follow(database, *(f"{dead}/{n}" for n in range(8)), server.url("/feed", "127.0.0.2"))
            report = await poll(database, SETTINGS, clock, pool=pool)
            assert (report.changed, report.failed, report.count(Status.POSTPONED)) == (1, 3, 5)
            postponed = [feed for feed in states(database) if feed.last_attempt is None]
            assert len(postponed) == 5
            assert all(feed.next_due is None and feed.failures == 0 for feed in postponed)
            again = await poll(database, SETTINGS, clock, pool=pool)
            assert again.feeds == 5

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        runner.run(run())


def test_dead_feeds_do_not_starve_the_good_ones_of_their_host(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()
    impatient = replace(SETTINGS, fetch_timeout=0.5)

    async def run() -> None:
        async with FeedServer() as server:
            server.routes |= {"/dead": silence, "/good": document(rss(1))}
            dead = [server.url(f"/dead?{n}") for n in range(3)]
            follow(database, *dead, *(server.url(f"/good?{n}") for n in range(8)))
            report = await poll(database, impatient, clock, pool=pool)
            assert (report.changed, report.failed, report.count(Status.POSTPONED)) == (8, 3, 0)
            # What failed is asked for after everything else.
            before = len(server.requests)
            clock.later(days=2)
            assert (await poll(database, impatient, clock, pool=pool)).unchanged == 8
            paths = [request.path.partition("?")[0] for request in server.requests[before:]]
            assert paths == ["/good"] * 8 + ["/dead"] * 3

    runner.run(run())


def test_a_poll_ends_even_if_a_parser_never_does(database: Database, runner: asyncio.Runner, pool: ParserPool) -> None:
    clock = Clock()
    limits = replace(SETTINGS, start_timeout=0.1, fetch_timeout=0.2, parse_timeout=0.5)

    class Hangs:
        async def parse_quickly(self, job: FeedJob) -> ParsedFeed:
            if job.url.endswith("1"):
                await asyncio.sleep(3600)
            return await pool.parse(job)

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/feed"] = document(rss(1))
            follow(database, server.url("/feed?1"), server.url("/feed?2", "127.0.0.2"))
            report = await poll(database, limits, clock, pool=Hangs())
            assert [outcome.status for outcome in report.outcomes] == [Status.POSTPONED, Status.CHANGED]
            assert (await poll(database, SETTINGS, clock, pool=pool)).feeds == 1

    runner.run(run())


def test_slow_documents_delay_no_others_and_are_postponed(database: Database) -> None:
    """The first that is slow is read; when all else is done, no other is begun."""
    clock = Clock()
    limits = replace(SETTINGS, parse_timeout=1.0)
    slow = b"<rss version='2.0'><channel><item><author>" + b"a." * 100_000 + b"</author></item></channel></rss>"

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
            server.routes["/slow"], server.routes["/good"] = document(slow), document(rss(1))
            follow(database, *(server.url(path, host) for path in ("/slow", "/good") for host in HOSTS[:3]))
            report = await poll(database, limits, clock)
            found = {
                path: [outcome for outcome in report.outcomes if outcome.url.endswith(path)]
                for path in ("/slow", "/good")
            }
            assert {outcome.status for outcome in found["/good"]} == {Status.CHANGED}
            states_of = [outcome.status for outcome in found["/slow"]]
            assert set(states_of) == {Status.FAILED, Status.POSTPONED}
            for outcome in found["/slow"]:
                message = "within 1 seconds" if outcome.status is Status.FAILED else "the next poll tries again"
                assert message in outcome.error
            # Those that failed are left alone for a while, those that were left out are still due.
            left_out = [feed for feed in states(database) if feed.next_due is None]
            assert len(left_out) == states_of.count(Status.POSTPONED)
            assert not any(feed.failures for feed in left_out)

    asyncio.run(run())


def test_offline_no_feed_is_blamed(database: Database) -> None:
    clock = Clock()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        follow(database, *(f"http://{host}:{port}/" for host in HOSTS))
        report = asyncio.run(poll(database, SETTINGS, clock))
        assert report.failed == len(HOSTS)
        assert all("offline" in outcome.error for outcome in report.outcomes)
        assert all(feed.failures == 0 for feed in states(database))

        async def run() -> PollReport:
            async with FeedServer(("127.0.0.9",)) as server:
                server.routes["/feed"] = document(rss(1))
                follow(database, *(f"http://{host}:{port}/" for host in HOSTS), server.url("/feed", "127.0.0.9"))
                clock.later(hours=1)
                return await poll(database, SETTINGS, clock)

        report = asyncio.run(run())
        assert (report.changed, report.failed) == (1, len(HOSTS))
        assert [feed.failures for feed in states(database)] == [1] * len(HOSTS) + [0]


def test_a_feed_that_moved_for_good_gets_its_new_url_and_keeps_its_articles(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer() as server:
            server.routes["/new"] = document(rss(2), ETag='"1"')
            server.routes["/old"] = redirect("/new", 301)
            follow(database, server.url("/old"))
            for _ in range(3):
                await poll(database, SETTINGS, clock, pool=pool)
                clock.later(days=1, hours=1)
            assert [feed.url for feed in states(database)] == [server.url("/new")]
            follow(database, server.url("/old"))  # as feeds.yaml still has it
            server.routes["/new"] = document(rss(3))
            assert (await poll(database, SETTINGS, clock, pool=pool)).new_articles == 1
            assert len(states(database)) == 1
            assert len(titles(database)) == 3

    runner.run(run())


def test_no_write_lock_is_held_while_waiting_for_the_network_or_a_parser(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()
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

    async def run() -> None:
        async with FeedServer() as server:
            behave = document(rss(1))

            async def writes_meanwhile(request, writer):  # type: ignore[no-untyped-def]
                write()
                await behave(request, writer)

            server.routes["/feed"] = writes_meanwhile
            follow(database, server.url("/feed"))
            report = await poll(database, SETTINGS, clock, pool=SlowParser())
            assert report.new_articles == 1
            assert writes == 2

    runner.run(run())


def test_a_database_that_stays_locked_is_an_error_that_says_so(
    tmp_path: Path, runner: asyncio.Runner, pool: ParserPool
) -> None:
    path = tmp_path / "iscore.db"
    clock = Clock()

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
from storage.database import open_database
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


def test_killed_anywhere_the_next_poll_continues_without_duplicates(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer(HOSTS) as server:
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

    runner.run(run())


def test_a_password_reaches_the_server_and_nothing_that_is_shown(
    database: Database, runner: asyncio.Runner, pool: ParserPool
) -> None:
    clock = Clock()

    async def run() -> None:
        async with FeedServer() as server:
            server.routes["/feed"] = document(rss(1).replace(b"https://news.example/0", b"/relative"))
            server.routes["/closed"] = status(401)
            address = server.url("/feed").replace("//", "//me:secret@")
            follow(database, address, address.replace("feed", "closed"))
            report = await poll(database, SETTINGS, clock, pool=pool)
            assert (report.changed, report.failed) == (1, 1)
            assert all("authorization" in request.headers for request in server.requests)
            assert "secret" not in repr(report)
            with database.read() as tx:
                assert "secret" not in repr(articles.without_features(tx, 10))

    runner.run(run())


def test_polling_loads_no_parser_into_its_own_process() -> None:
    code = "import sys, iscore.feeds.poll; print({'feedparser', 'numpy', 'numba', 'alembic'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
