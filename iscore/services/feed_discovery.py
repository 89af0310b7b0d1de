"""Looks for the feeds of addresses that a user gave: each is a feed, or a page that names some."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from iscore.core.progress import Progress
from iscore.feeds.discovery import Discovery, DiscoveryResult
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.urls import without_password
from iscore.services.user_context import UserContext


def discovered(urls: Mapping[str, bool], context: UserContext, progress: Progress | None) -> list[DiscoveryResult]:
    """Look for the feeds of URLs, in their order. Those whose ``https://`` was guessed are tried with ``http://``, too.

    ``urls`` says of each whether it was guessed; ``progress`` gets the number of those done, of all, and the last.
    """
    settings = context.poll_settings

    async def look() -> list[DiscoveryResult]:
        pool = ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout)
        async with pool, Fetcher(settings) as fetcher:
            discovery = Discovery(fetcher, pool, context.clock)
            done = 0

            async def one(url: str, guessed: bool) -> DiscoveryResult:
                nonlocal done
                found = await discovery.discover(url)
                if guessed and not found.looked:
                    plain = await discovery.discover(f"http{url.removeprefix('https')}")
                    found = plain if plain.looked else found
                done += 1
                if progress is not None:
                    progress(done, len(urls), without_password(url))
                return found

            return await asyncio.gather(*(one(url, guessed) for url, guessed in urls.items()))

    return asyncio.run(look())
