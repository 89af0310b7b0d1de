"""Looks for the feeds of addresses that a user gave: each is a feed, or a page that names some."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address

from iscore.core.timings import Progress
from iscore.feeds.discovery import Discovery, DiscoveryResult
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.outcomes import NO_SUCH_HOST
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.urls import without_password
from iscore.services.session.user_session import UserContext
from storage.stream.addresses import host_of

TOO_SLOW = DiscoveryResult(problem="it did not answer in time", looked=False)
HOSTS_TRIED = 5
"""Names of followed hosts that are looked up to learn whether names can be looked up at all."""


def discovered(
    urls: Mapping[str, bool],
    context: UserContext,
    progress: Progress | None,
    followed: Collection[str] = (),
    seconds: float | None = None,
) -> list[DiscoveryResult]:
    """Look for the feeds of URLs, in their order. Those whose ``https://`` was guessed are tried with ``http://``, too.

    ``urls`` says of each whether it was guessed; ``progress`` gets the number of those done, of all, and the last.

    A host whose name is unknown leads nowhere if others are known, of ``urls`` or of the ``followed`` addresses; else
    this computer may be offline. What is not answered after ``seconds``, for all together, counts as not looked at.
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

            tasks = [asyncio.create_task(one(url, guessed)) for url, guessed in urls.items()]
            await asyncio.wait(tasks, timeout=seconds)
            late = {task for task in tasks if task.cancel()}  # those that were not done
            await asyncio.wait(tasks)
            found = [TOO_SLOW if task in late else task.result() for task in tasks]
        unknown = {url for url, each in zip(urls, found, strict=True) if each.problem == NO_SUCH_HOST}
        others = [host_of(url) for url in (*urls, *followed) if url not in unknown]
        if unknown and await _any_is_known(others):
            return [replace(each, looked=each.looked or each.problem == NO_SUCH_HOST) for each in found]
        return found

    return asyncio.run(look())


async def _any_is_known(hosts: Sequence[str]) -> bool:
    """Whether the name of a host can be looked up; numeric addresses are no names."""
    names = [host for host in dict.fromkeys(hosts) if host and not _is_numeric(host)][:HOSTS_TRIED]
    look_up = asyncio.get_running_loop().getaddrinfo
    answers = await asyncio.gather(*(look_up(name, None) for name in names), return_exceptions=True)
    return any(not isinstance(answer, BaseException) for answer in answers)


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
