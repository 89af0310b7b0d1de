"""Slow documents are parsed one by one, and delay no others."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from iscore.feeds import slow_queue
from iscore.feeds.errors import ParseTimeoutError, PostponedError
from iscore.feeds.parsing.jobs import FeedJob, ParsedFeed
from iscore.feeds.slow_queue import SlowQueue

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FEED = ParsedFeed("T", "", "", None, (), (), b"", (), 0, 0)


def job(size: int = 10) -> FeedJob:
    return FeedJob(b" " * size, "https://x.org/feed", "", NOW)


class Parser:
    """Takes a while, and counts."""

    def __init__(self, seconds: float = 0.05) -> None:
        self.seconds = seconds
        self.read = self.at_once = self.most = 0

    async def parse_slowly(self, job: FeedJob) -> ParsedFeed:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.at_once -= 1
        self.read += 1
        if job.content_type:
            raise ParseTimeoutError(1.0)
        return FEED


async def outcomes(queue: SlowQueue, *jobs: FeedJob) -> list[str]:
    found = await asyncio.gather(*(queue.parse(n, job) for n, job in enumerate(jobs)), return_exceptions=True)
    return [type(each).__name__ for each in found]


def test_documents_are_parsed_one_at_a_time_while_other_feeds_are_polled() -> None:
    parser = Parser()
    queue = SlowQueue(parser, range(5), 0.0)  # feed 4 never comes here
    assert asyncio.run(outcomes(queue, *[job()] * 4)) == ["ParsedFeed"] * 4
    assert parser.most == 1


def test_after_the_other_feeds_only_the_first_document_is_finished() -> None:
    found = asyncio.run(outcomes(SlowQueue(Parser(), range(4), 0.01), *[job()] * 4))
    assert found == ["ParsedFeed", *["PostponedError"] * 3]


def test_the_second_document_ends_when_the_queue_closes() -> None:
    parser = Parser(0.02)
    queue = SlowQueue(parser, range(3), 0.1)

    async def run() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert await outcomes(queue, job()) == ["ParsedFeed"]
        parser.seconds = 60.0
        second = asyncio.create_task(queue.parse(1, job()))
        await asyncio.sleep(0.02)
        queue.feed_done(2)
        with pytest.raises(PostponedError):
            await second
        assert parser.at_once == 0, "nobody reads on"
        return loop.time() - began

    assert 0.1 <= asyncio.run(run()) < 60.0


async def test_cancelling_a_poll_ends_its_parsing() -> None:
    parser = Parser(0.0)
    queue = SlowQueue(parser, range(3), 60.0)
    assert await outcomes(queue, job()) == ["ParsedFeed"]
    parser.seconds = 60.0
    second = asyncio.create_task(queue.parse(1, job()))
    await asyncio.sleep(0.02)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    assert parser.at_once == 0


def test_after_a_failed_document_the_next_is_parsed() -> None:
    bad = FeedJob(b"", "https://x.org/feed", "bad", NOW)
    found = asyncio.run(outcomes(SlowQueue(Parser(), range(9), 0.0), bad, job(), bad, job()))
    assert found == ["ParseTimeoutError", "ParsedFeed"] * 2


async def test_waiting_documents_have_a_limit_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_queue, "MAX_SIZE", 25)
    queue = SlowQueue(Parser(), range(9), 0.0)
    assert await outcomes(queue, *[job(10)] * 3) == ["ParsedFeed", "ParsedFeed", "PostponedError"]
    assert await outcomes(queue, *[job(10)] * 2) == ["ParsedFeed"] * 2  # the room is free again


def test_the_reason_for_postponing_is_one_line() -> None:
    assert str(PostponedError()).isprintable()
