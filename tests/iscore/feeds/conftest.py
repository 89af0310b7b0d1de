"""An event loop and parser processes for all tests: to start one and load a parser takes longer than parsing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from iscore.feeds.parsing.parser_pool import ParserPool
from storage.opening.database import Database
from tests.iscore.feeds.full_texts import Play, Site
from tests.new_database import new_database


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    """An event loop."""
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="session")
def pool(runner: asyncio.Runner) -> Iterator[ParserPool]:
    """A pool with default limits, for the loop of ``runner``."""
    opened = ParserPool()
    yield opened
    runner.run(opened.close())


@pytest.fixture
def processor_seconds() -> Callable[[], float]:
    """Returns the processor time of the child processes that have ended since the test began."""

    def seconds() -> float:
        times = os.times()
        return times.children_user + times.children_system

    before = seconds()
    return lambda: seconds() - before


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A new database."""
    with new_database(tmp_path / "iscore.db") as opened:
        yield opened


@pytest.fixture
def playing(runner: asyncio.Runner, pool: ParserPool) -> Play:
    """Plays a scene at a new site."""

    def play(scene: Callable[[Site], Awaitable[None]]) -> None:
        async def run() -> None:
            async with Site() as site:
                site.pool = pool
                await scene(site)

        runner.run(run())

    return play
