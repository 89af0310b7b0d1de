"""Finds the icons of feeds on their sites, a few sites at a time.

    site's page ─► <link rel="icon"> ─► /favicon.ico ─► the feed's own picture ─► decoded in a child process ─► PNG

The first that is a picture is the icon. All requests are checked, with pauses and limits, and obey robots.txt. An
address in a private network is only asked for an icon of a feed that is at the same host and port. Of a feed whose
address has a password or seems to have a secret nothing is asked: it has no icon.

However sites behave, all together take less than ``BEGIN_SECONDS`` and ``FEED_SECONDS``.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from urllib.parse import urljoin

from iscore.feeds.errors import FeedError
from iscore.feeds.http.fetch import PAGE, Accepted, Fetcher
from iscore.feeds.http.outcomes import Fetched
from iscore.feeds.http.robots import Robots, RobotsCache
from iscore.feeds.http.sessions import host_and_port
from iscore.feeds.parsing.jobs import IconJob, IconLinksJob, Permission
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.picture_files import can_be_icon, read_header
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import safe_url, without_password
from iscore.feeds.websub.discovery import is_private
from storage.engine.errors import StorageError
from storage.opening.database import Database
from storage.records.feeds import IconSource

MAX_BYTES = 256_000
"""Of a picture, and of the beginning of a page, whose head is in it."""
SITES_AT_ONCE = 32
"""As many feeds may wait for one host that has the icons of all: a second each."""
BEGIN_SECONDS = 30.0
"""In which sites begin to be asked; the others are left to the next time."""
FEED_SECONDS = 45.0
"""For all that is asked for one feed."""
DOCUMENT_SECONDS = 10.0
"""For one document, redirects included; also the longest pause that a site may ask for."""
DECODE_SECONDS = 2.0
"""Of processor time, for one picture or page."""
SITE_PAGE = replace(PAGE, max_size=MAX_BYTES, truncate=True)
PICTURE = Accepted("image/png, image/x-icon, image/webp, image/gif, image/jpeg;q=0.9, */*;q=0.1", max_size=MAX_BYTES)


async def find_icons(
    sources: Sequence[IconSource],
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    *,
    may_ask: Callable[[], bool] = lambda: True,
) -> dict[int, bytes]:
    """Return the icons of feeds as PNG, by their numbers; empty for a feed that has none.

    Feeds whose sites were not asked are left out. Nothing is raised.
    """
    known = replace(settings, allow_private_networks=True, private_hosts=frozenset())
    found = {each.feed_id: b"" for each in sources if is_private(each.url, known)}
    sites: dict[str, list[IconSource]] = defaultdict(list)
    for each in sources:
        if each.feed_id not in found:
            sites[host_and_port(_site(each))].append(each)
    hosts = {host_and_port(each.url) for of_site in sites.values() for each in of_site}
    allowed = hosts if settings.allow_private_networks else hosts & settings.private_hosts
    settings = replace(
        settings.for_public(),
        private_hosts=frozenset(allowed),
        fetch_timeout=DOCUMENT_SECONDS,
        start_timeout=BEGIN_SECONDS + FEED_SECONDS,
    )
    loop, slots = asyncio.get_running_loop(), asyncio.Semaphore(SITES_AT_ONCE)
    closes_at = loop.time() + BEGIN_SECONDS
    async with (
        ParserPool(1, cpu_seconds=DECODE_SECONDS) as pool,
        Fetcher(settings, may_ask=may_ask) as fetcher,
    ):
        robots = Robots(fetcher, pool, RobotsCache(database, clock), settings.user_agent)
        finder = _Finder(fetcher, pool, robots, allowed)

        async def one_by_one(of_site: Sequence[IconSource]) -> None:
            for each in of_site:  # so that what begins is finished when the time is up
                async with slots:
                    if loop.time() > closes_at or not may_ask():
                        return
                    with suppress(StorageError):  # what is stored of robots.txt cannot be read
                        found[each.feed_id] = await finder.icon(each)

        await asyncio.gather(*map(one_by_one, sites.values()))
    return found


def _site(source: IconSource) -> str:
    """Return the address of a feed's page, else of the first page of its host."""
    return safe_url(source.site_url) or urljoin(source.url, "/")


class _Finder:
    """Asks sites, each page and picture once for all feeds that may see it."""

    def __init__(self, fetcher: Fetcher, pool: ParserPool, robots: Robots, inside: set[str]) -> None:
        """``inside``: hosts with ports that may be in a private network."""
        self._fetcher = fetcher
        self._pool = pool
        self._robots = robots
        self._inside = inside
        self._sites: dict[tuple[str, str], bytes] = {}
        self._pictures: dict[tuple[str, str], bytes] = {}

    async def icon(self, source: IconSource) -> bytes:
        """Return a feed's icon; empty if there is none. A bug costs one feed its icon. Raises ``StorageError``."""
        own = host_and_port(source.url)
        own = own if own in self._inside else ""
        try:
            async with asyncio.timeout(FEED_SECONDS):
                return await self._of_site(_site(source), own) or await self._picture(safe_url(source.icon), own)
        except StorageError:
            raise
        except Exception:  # the time is up, or a bug
            return b""

    async def _of_site(self, page: str, own: str) -> bytes:
        if (own, page) in self._sites:
            return self._sites[own, page]
        links: list[str] = []
        base = page
        async with self._fetcher.fetch(page, accepted=SITE_PAGE, permit=partial(self._permission, own)) as answer:
            if isinstance(answer, Fetched):
                base = without_password(answer.final_url)
                with suppress(FeedError):
                    links = await self._pool.icon_links(IconLinksJob(answer.body or b"", answer.content_type, base))
        found = b""
        for url in (*links, urljoin(base, "/favicon.ico")):
            found = found or await self._picture(url, own)
        self._sites[own, page] = found
        return found

    async def _picture(self, url: str, own: str) -> bytes:
        if (own, url) in self._pictures or not url:
            return self._pictures.get((own, url), b"")
        found = b""
        async with self._fetcher.fetch(url, accepted=PICTURE, permit=partial(self._permission, own)) as answer:
            body = answer.body or b"" if isinstance(answer, Fetched) else b""
            header = read_header(body)
            if header is not None and can_be_icon(header):
                with suppress(FeedError):
                    found = await self._pool.icon(IconJob(body))
        self._pictures[own, url] = found
        return found

    async def _permission(self, own: str, url: str) -> Permission:
        if host_and_port(url) in self._inside - {own}:
            return Permission("the address may be in a private network")
        permission = await self._robots.permission(url)
        if permission.delay > DOCUMENT_SECONDS and not permission.refusal:
            return Permission(f"the site's robots.txt asks for {permission.delay:g} seconds between requests")
        return permission
