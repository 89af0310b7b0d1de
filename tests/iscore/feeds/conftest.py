"""What the tests of a file share: an event loop, and processes that parse, which take longer to start than to parse."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from iscore.feeds.parsing.parser_pool import ParserPool


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """An event loop."""
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(scope="module")
def pool(runner: asyncio.Runner) -> Iterator[ParserPool]:
    """As a round makes one that is told nothing else; for the loop of ``runner``."""
    opened = ParserPool()
    yield opened
    runner.run(opened.close())
