"""Fetches the pages of imported items without a text, if the user asks for it, as politely as full texts of feeds.

    items without text ─► robots.txt ─► page ─► its main text, in a child process ─► items with text

If a page fails, its item stays as it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from iscore.feeds import fulltext
from iscore.feeds.fulltext import FullText
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.robots import Robots, RobotsCache
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll_settings import PollSettings
from iscore.services.imports.item import Form, ImportedItem
from storage.database import Database
from storage.records import Feed, NewArticle

SECONDS_A_PAGE = 5.0
LONGEST = 1800.0
"""Seconds for all pages together: five for each, half an hour at most."""

_NOWHERE = Feed(
    id=0, url="", title="", site_url="", interval=None, fulltext=True, etag=None, last_modified=None, body_hash=None,
    items_seen=b"", next_due=None, last_attempt=None, last_success=None, last_change=None, failures=0, error="",
    gone_since=None, moved_to="", moved_since=None, ttl_minutes=None, skip_hours=(), skip_days=(),
)  # fmt: skip
"""Seeds have come through no feed."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Seeds after their pages were asked for."""

    items: tuple[ImportedItem, ...]
    """All, in their order."""
    pages: int
    """How many have got a text."""
    failed: int
    problem: str
    """Why, for the first that failed."""


async def with_texts(
    items: Sequence[ImportedItem],
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    progress: Callable[[int, int, str], None] | None = None,
) -> Fetched:
    """Fetch the pages of links that have no text. Needs the extra ``fulltext``: see ``is_possible``."""
    wanted = [item for item in items if item.form in (Form.TITLE, Form.ADDRESS) and item.url]
    limit = min(LONGEST, max(settings.fulltext_timeout, SECONDS_A_PAGE * len(wanted)))
    settings = replace(settings, fulltext_pages=max(len(wanted), 1), fulltext_timeout=limit, start_timeout=limit)
    closes_at = asyncio.get_running_loop().time() + limit
    reader = ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout)
    async with reader, Fetcher(settings) as fetcher:
        robots = Robots(fetcher, reader, RobotsCache(database, clock), settings.user_agent)
        texts = FullText(fetcher, reader, settings, robots, lambda _feed, _keys: set(), closes_at)
        found = await texts.read_pages(_NOWHERE, tuple(_entry(item) for item in wanted), _page_progress(progress))
    read = {article.key: article.text for article in found.articles if article.text}
    return Fetched(tuple(_with(item, read.get(item.key, "")) for item in items), len(read), found.failed, found.problem)


def is_possible() -> bool:
    """Whether the extra that fetching pages needs is installed."""
    return fulltext.is_installed()


def _page_progress(progress: Callable[[int, int, str], None] | None) -> Callable[[int, int], None]:
    return lambda done, pages: progress(done, pages, "pages") if progress is not None else None


def _with(item: ImportedItem, text: str) -> ImportedItem:
    return replace(item, form=Form.TEXT, text=text) if text else item


def _entry(item: ImportedItem) -> NewArticle:
    return NewArticle(
        key=item.key, url=item.url, title=item.title, author="", categories=(), text="", language="", published=None,
        links=0, pictures=0, content_hash=b"",
    )  # fmt: skip
