"""Looks for the feeds of addresses that a user gave: each is a feed, or a page that names some."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from iscore.core.timings import Progress
from iscore.feeds.discovery import Discovery, DiscoveryResult
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import NO_SUCH_HOST
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.urls import without_password
from iscore.services.session.user_session import UserContext

TOO_SLOW = DiscoveryResult(problem="it did not answer in time", looked=False)
CONNECT_SECONDS = 4.0
"""A connection takes less than one second; a server without https may stay silent when asked for it."""
ANSWER_SECONDS = 10.0
"""For one document: a person waits for it."""


def discovered(
    urls: Mapping[str, bool], context: UserContext, progress: Progress | None, seconds: float | None = None
) -> list[DiscoveryResult]:
    """Look for the feeds of URLs, in their order. Those whose ``https://`` was guessed are tried with ``http://``, too.

    ``urls`` says of each whether it was guessed; ``progress`` gets the number of those done, of all, and the last.
    What is not answered after ``seconds``, for all together, counts as not looked at.
    """
    settings = replace(
        context.poll_settings,
        fetch_timeout=min(context.poll_settings.fetch_timeout, ANSWER_SECONDS),
        connect_timeout=CONNECT_SECONDS,
    )

    async def look() -> list[DiscoveryResult]:
        pool = ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout)
        async with pool, Fetcher(settings) as fetcher:
            discovery = Discovery(fetcher, pool, context.clock)
            done = 0

            async def one(url: str, guessed: bool) -> DiscoveryResult:
                nonlocal done
                found = await discovery.discover(url)
                if guessed and not found.looked and found.problem != NO_SUCH_HOST:
                    plain = await discovery.discover(f"http{url.removeprefix('https')}")
                    found = plain if plain.looked else found
                done += 1
                if progress is not None:
                    progress(done, len(urls), without_password(url))
                return found

            tasks = [asyncio.create_task(one(url, guessed)) for url, guessed in urls.items()]
            await asyncio.wait(tasks, timeout=seconds)
            late = {task for task in tasks if task.cancel()}  # those that were not done
            await asyncio.wait(tasks)
            return [TOO_SLOW if task in late else task.result() for task in tasks]

    return asyncio.run(look())
