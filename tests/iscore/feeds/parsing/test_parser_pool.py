"""Parsing happens in processes that can be killed, and that begin and end with what needs them."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from iscore.feeds.errors import NotAFeedError, ParseCrashedError, ParseTimeoutError, SlowDocumentError
from iscore.feeds.parsing.jobs import FeedJob, PageJob, ParsedFeed
from iscore.feeds.parsing.parse import parse
from iscore.feeds.parsing.parser_pool import WAITING, ParserPool
from tests.iscore.feeds.parsing.pooled import NOW, SLOW, children, job
from tests.servers.feed_server import page


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not show environments")
def test_the_child_gets_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_MAIL_PASSWORD", "correct horse")
    monkeypatch.setenv("ISCORE_MARK", "seen")

    async def run() -> bytes:
        async with ParserPool(1) as pool:
            await pool.parse(job())
            (child,) = pool._quick._idle
            return Path(f"/proc/{child.pid}/environ").read_bytes()

    shown = asyncio.run(run())
    assert b"ISCORE_MARK=seen" in shown
    assert b"horse" not in shown


def test_the_child_answers_as_the_parser_does() -> None:
    async def run() -> ParsedFeed:
        async with ParserPool(1) as pool:
            return await pool.parse(job())

    assert asyncio.run(run()) == parse(job())


async def test_many_documents_share_few_processes() -> None:
    before = children()
    async with ParserPool(2) as pool:
        feeds = await asyncio.gather(*(pool.parse(job(f"<item><guid>{n}</guid></item>")) for n in range(40)))
        assert [feed.entries[0].key for feed in feeds] == [f"id:{n}" for n in range(40)]
        # ps itself may be a child, too.
        assert len(children() - before) <= 3


async def test_a_document_that_is_no_feed_does_not_end_the_process() -> None:
    async with ParserPool(1) as pool:
        with pytest.raises(NotAFeedError, match="not a feed"):
            await pool.parse(FeedJob(b"<html>", "https://x.org/", "", NOW))
        assert (await pool.parse(job())).total == 1


async def test_what_a_page_needs_is_loaded_once_and_does_not_count_as_its_time() -> None:
    used: set[int] = set()
    async with ParserPool(1, cpu_seconds=0.2) as pool:  # the import alone takes longer
        for number in range(3):
            article = await pool.page_article(PageJob(page(number).encode(), "text/html"))
            assert f"of story {number}" in article.text
            used |= {child.pid for child in pool._quick._idle}
    assert len(used) == 1


@pytest.mark.long
async def test_a_document_that_takes_too_long_stops_only_itself() -> None:
    async with ParserPool(2, cpu_seconds=1.0) as pool:
        slow = asyncio.create_task(pool.parse(SLOW["unfinished"]))
        await asyncio.sleep(0)
        others = await asyncio.gather(*(pool.parse(job()) for _ in range(10)))
        with pytest.raises(ParseTimeoutError, match="within 1 seconds"):
            await slow
        assert all(feed.total == 1 for feed in others)
        assert (await pool.parse(job())).total == 1


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.long] * (each != "unfinished")) for each in sorted(SLOW)]
)
def test_hostile_documents_end_by_the_deadline(name: str, processor_seconds: Callable[[], float]) -> None:
    async def run() -> None:
        async with ParserPool(1, cpu_seconds=0.4) as pool:
            with suppress(ParseTimeoutError, NotAFeedError, ParseCrashedError):
                await pool.parse(SLOW[name])
            assert (await pool.parse(job())).total == 1

    asyncio.run(run())
    assert processor_seconds() < 5


DEVOURING: dict[str, Callable[[], str]] = {
    "depth": lambda: "<item><title>x</title></item>" + "<a>" * 1_000_000,
    "unfinished items": lambda: "<item>" * 400_000,
    "attributes": lambda: "<item " + " ".join(f'a{n}="{n}"' for n in range(600_000)) + "/>",
}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not show what processes take")
@pytest.mark.parametrize(
    "name", ["depth", *(pytest.param(each, marks=pytest.mark.long) for each in DEVOURING if each != "depth")]
)
def test_a_document_gets_so_much_memory_and_no_more(name: str) -> None:
    async def run() -> int:
        async with ParserPool(1, cpu_seconds=3, memory=32 << 20) as pool:
            await pool.parse(job())
            child = pool._quick._idle[0].pid
            status = Path(f"/proc/{child}/status")
            idle = peak = held(status.read_text())
            parsing = asyncio.create_task(pool.parse(job(DEVOURING[name]())))
            while not parsing.done():
                with suppress(OSError):
                    peak = max(peak, held(status.read_text()))
                await asyncio.sleep(0.005)
            with pytest.raises((ParseCrashedError, ParseTimeoutError), match=r"out of memory|within 3 seconds"):
                await parsing
            assert (await pool.parse(job())).total == 1
            return peak - idle

    assert asyncio.run(run()) <= 34 << 20


def held(status: str) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) << 10 if found else 0


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not show what processes take")
async def test_a_process_with_little_memory_left_is_replaced() -> None:
    async with ParserPool(1, memory=64 << 20) as pool:
        await pool.parse(job())
        first = pool._quick._idle[0].pid
        text = "<p>words</p>" * 200
        many = "".join(f"<item><guid>{n}</guid><description>{escape(text)}</description></item>" for n in range(900))
        await pool.parse(job(many))
        await pool.parse(job())
        assert pool._quick._idle[0].pid != first


def test_the_child_loads_only_what_parsing_needs() -> None:
    heavy = ["numpy", "numba", "sqlalchemy", "aiohttp", "pydantic", "scipy", "sklearn", "alembic", "typer", "rich"]
    heavy += ["trafilatura", "lxml", "justext"]  # for pages, of which there may be none
    code = f"import iscore.feeds.parsing.worker, sys; sys.exit(', '.join(set({heavy}) & set(sys.modules)) or 0)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_large_parent_does_not_cost_a_process_for_each_document() -> None:
    """On Linux a child's peak of memory begins with its parent's."""

    async def several() -> int:
        async with ParserPool(1) as pool:
            await pool.parse(job())
            first = pool._quick._idle[0].pid
            await pool.parse(job())
            return int(pool._quick._idle[0].pid == first)

    ballast = bytearray(os.urandom(1 << 20)) * 100
    assert asyncio.run(several()) == 1
    del ballast


@pytest.mark.long
async def test_good_documents_are_read_while_slow_ones_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """More slow ones than there are processes of all lanes."""
    monkeypatch.setattr("iscore.feeds.parsing.parser_pool.QUICK_SECONDS", 0.25)  # each uses it up
    async with ParserPool(2) as pool:
        slow = [asyncio.create_task(pool.parse(SLOW[name])) for name in ("unfinished", "tags") * 2]
        await asyncio.sleep(0)
        for _ in range(2):  # while they have their turns, and when they have had them
            assert (await pool.parse(job())).total == 1
        good = await asyncio.gather(*(pool.parse(job(f"<item><guid>{n}</guid></item>")) for n in range(60)))
        assert [feed.entries[0].key for feed in good] == [f"id:{n}" for n in range(60)]
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


def test_a_slow_document_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iscore.feeds.parsing.parser_pool.QUICK_SECONDS", 0.001)
    many = "".join(f"<item><guid>{n}</guid><description>{'word ' * 20}</description></item>" for n in range(5000))

    async def run() -> tuple[ParsedFeed, int]:
        async with ParserPool(1) as pool:
            with pytest.raises(SlowDocumentError):
                await pool.parse_quickly(job(many))
            found = await pool.parse(job(many))
            # No process that met it meets another document.
            return found, len(pool._quick._idle) + len(pool._slow._idle)

    found, left = asyncio.run(run())
    assert found.total == 5000
    assert left == 0


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not show what processes take")
def test_all_processes_together_take_no_more_memory_than_two_at_their_limit() -> None:
    devouring = job(DEVOURING["depth"]())

    async def run() -> int:
        async with ParserPool(2, cpu_seconds=3, memory=64 << 20) as pool:
            await asyncio.gather(pool.parse(job()), pool.parse(job()))
            idle = sum(map(held_by, children()))
            parsing = asyncio.gather(*(pool.parse(devouring) for _ in range(4)), return_exceptions=True)
            peak = 0
            while not parsing.done():
                peak = max(peak, sum(map(held_by, children())))
                await asyncio.sleep(0.02)
            assert all(isinstance(found, ParseCrashedError | ParseTimeoutError) for found in await parsing)
            return peak - idle

    assert asyncio.run(run()) <= 2 * (64 << 20)


def held_by(pid: str) -> int:
    """Bytes that a process holds now; 0 when it has gone."""
    with suppress(OSError):
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) << 10 if found else 0
    return 0


@pytest.mark.parametrize(("documents", "started"), [(2, 1), (WAITING + 1, 1), (WAITING + 2, 2), (3 * WAITING, 2)])
def test_another_process_is_started_when_many_documents_wait(documents: int, started: int) -> None:
    async def run() -> int:
        async with ParserPool(2) as pool:
            await asyncio.gather(*(pool.parse(job()) for _ in range(documents)))
            return len(children() - before)

    before = children()
    assert asyncio.run(run()) == started


def test_no_process_is_left() -> None:
    async def run() -> None:
        async with ParserPool(2) as pool:
            await asyncio.gather(*(pool.parse(job()) for _ in range(2 * WAITING)))

    before = children()
    asyncio.run(run())
    assert len(children() - before) <= 1


async def test_a_cancelled_job_ends_its_process() -> None:
    async with ParserPool(1) as pool:
        task = asyncio.create_task(pool.parse(SLOW["unfinished"]))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await pool.parse(job())).total == 1


LEFT_BEHIND = """
import asyncio
from datetime import UTC, datetime
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parser_pool import ParserPool

body = b"<rss version='2.0'><channel><title>T</title></channel></rss>"
job = FeedJob(body, "", "", datetime(2026, 11, 21, tzinfo=UTC))

async def run(steps):
    async with ParserPool(1) as pool:
        left = [asyncio.create_task(pool.parse(job)) for _ in range(3)]
        for _ in range(steps):
            await asyncio.sleep(0)

for steps in range(12):
    asyncio.run(run(steps))
"""


def test_a_program_that_ends_while_processes_start_ends() -> None:
    assert subprocess.run([sys.executable, "-c", LEFT_BEHIND], timeout=600, check=False).returncode == 0


def test_cancelling_while_a_process_starts_blocks_no_other_job() -> None:
    async def run() -> None:
        for steps in range(25):
            async with ParserPool(1) as pool, asyncio.timeout(300):
                task = asyncio.create_task(pool.parse(job()))
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                if steps % 5 == 0:
                    assert (await pool.parse(job())).total == 1

    before = children()
    asyncio.run(run())
    assert len(children() - before) <= 1


def test_a_closed_pool_starts_no_process_for_waiting_jobs() -> None:
    async def run() -> list[str]:
        async with ParserPool(1) as pool:
            waiting = asyncio.gather(*(pool.parse(job()) for _ in range(5)), return_exceptions=True)
            await asyncio.sleep(0.05)
        async with asyncio.timeout(300):
            return [type(found).__name__ for found in await waiting]

    before = children()
    assert "ParseCrashedError" in asyncio.run(run())
    assert len(children() - before) <= 1
