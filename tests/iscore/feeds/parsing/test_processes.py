"""Parser processes begin and end with what needs them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import suppress

import pytest

from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.parsing.processes import WAITING
from tests.iscore.feeds.parsing.pooled import SLOW, children, job


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


def test_a_cancelled_job_ends_its_process() -> None:
    async def run() -> None:
        async with ParserPool(1) as pool:
            task = asyncio.create_task(pool.parse(SLOW["author"]))
            await asyncio.sleep(0.5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await pool.parse(job())).total == 1

    asyncio.run(run())


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
