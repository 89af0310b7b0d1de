"""The rate limit of one host."""

from __future__ import annotations

import asyncio

from iscore.feeds.http.host_rate_limit import MAX_UNANSWERED, HostRateLimit


def now() -> float:
    return asyncio.get_running_loop().time()


async def passes(limit: HostRateLimit, order: list[str], name: str, delay: float = 0.0) -> float:
    assert await limit.acquire("host", delay)
    order.append(name)
    at = now()
    limit.release("host", connected=True, answered=True)
    return at


async def test_requests_with_a_short_pause_pass_those_with_a_long_one() -> None:
    limit, order = HostRateLimit(0.05, now() + 60), []
    await passes(limit, order, "first")
    waiting = [asyncio.create_task(passes(limit, order, "page", 0.5)) for _ in range(2)]
    await asyncio.sleep(0.2)
    feed = await passes(limit, order, "feed")
    pages = await asyncio.gather(*waiting)
    assert order == ["first", "feed", "page", "page"]
    assert min(pages) - feed >= 0.49
    assert max(pages) - min(pages) >= 0.49


async def test_a_pause_shorter_than_the_usual_one_changes_nothing() -> None:
    limit = HostRateLimit(0.2, now() + 60)
    first = await passes(limit, [], "first")
    assert await passes(limit, [], "second", 0.01) - first >= 0.19


async def test_a_pause_beyond_the_end_is_refused_at_once() -> None:
    limit = HostRateLimit(0.0, now() + 5)
    began = await passes(limit, [], "first")
    assert not await limit.acquire("host", 10.0)
    assert now() - began < 5
    await passes(limit, [], "the lane is free for others")


async def test_a_host_that_cannot_be_connected_to_is_left_alone_also_by_those_who_wait_long() -> None:
    limit = HostRateLimit(0.0, now() + 60)
    for _ in range(MAX_UNANSWERED):
        assert await limit.acquire("host")
        limit.release("host", connected=False, answered=False)
    assert not await limit.acquire("host", 5.0)
    assert not await limit.acquire("host")
    assert await limit.acquire("another")


async def test_a_host_that_accepts_and_does_not_answer_is_asked_for_what_it_had_the_last_time() -> None:
    limit = HostRateLimit(0.0, now() + 60)
    for _ in range(MAX_UNANSWERED):
        assert await limit.acquire("host", failed_before=True)
        limit.release("host", connected=True, answered=False)
    assert not await limit.acquire("host", failed_before=True)
    await passes(limit, [], "a good feed")
    assert await limit.acquire("host", failed_before=True)  # it answers again


async def test_a_cancelled_request_frees_the_host() -> None:
    for delay in (0.0, 5.0):
        limit = HostRateLimit(0.3, now() + 60)
        await passes(limit, [], "first")
        waiting = asyncio.create_task(limit.acquire("host", delay))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(60):
            await passes(limit, [], "second")
