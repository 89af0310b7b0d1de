"""An event loop and parser processes for all tests: to start one and load a parser takes longer than parsing."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import TypeVar

import pytest

from iscore.feeds.parsing.parser_pool import ParserPool
from storage.opening.database import Database
from tests.iscore.feeds.full_texts import Site
from tests.iscore.feeds.polled import HOSTS, Clock
from tests.new_database import new_database
from tests.servers.feed_server import FeedServer

T = TypeVar("T")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run tests that are coroutines in the event loop of ``runner``."""
    test = pyfuncitem.obj
    if inspect.iscoroutinefunction(test):
        runner: asyncio.Runner = pyfuncitem.funcargs["runner"]
        pyfuncitem.obj = lambda **given: runner.run(test(**given))


@pytest.fixture(scope="session", autouse=True)
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
def clock() -> Clock:
    """A clock that only the test moves."""
    return Clock()


@pytest.fixture
def entered(runner: asyncio.Runner) -> Iterator[Callable[[AbstractAsyncContextManager[T]], T]]:
    """Enters an asynchronous context, which is left after the test."""
    stack = AsyncExitStack()
    yield lambda context: runner.run(stack.enter_async_context(context))
    runner.run(stack.aclose())


@pytest.fixture
def server(entered: Callable[[FeedServer], FeedServer]) -> FeedServer:
    """A feed server at all of ``HOSTS``."""
    return entered(FeedServer(HOSTS))


@pytest.fixture
def site(entered: Callable[[Site], Site], pool: ParserPool) -> Site:
    """A new site."""
    opened = entered(Site())
    opened.pool = pool
    return opened
