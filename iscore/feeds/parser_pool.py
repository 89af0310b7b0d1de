"""Child processes that parse feeds and can be killed."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from iscore.feeds.parsed_feed import ParsedFeed, ParseJob


class ParserPool:
    """A few child processes, started at first use. Use as ``async with ParserPool() as pool``."""

    def __init__(self, size: int = 2, *, cpu_seconds: float = 20.0, memory: int = 1 << 30) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def parse(self, job: ParseJob) -> ParsedFeed:
        """Parse in a child. Raises ``NotAFeedError``, ``ParseTimeoutError`` or ``ParseCrashedError``."""
        raise NotImplementedError

    async def close(self) -> None:
        """End the children and wait for them."""
