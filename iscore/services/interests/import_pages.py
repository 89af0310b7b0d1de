"""Fetches the pages of imported items without a text, if the user asks for it, as politely as full texts of feeds.

    items without text ─► robots.txt ─► page ─► its main text, in a child process ─► items with text

If a page fails, its item stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from iscore.feeds.poll_settings import PollSettings
from iscore.services.learning.imported_item import Form, ImportedItem
from iscore.services.reading.full_text import read_pages
from storage.opening.database import Database
from storage.records.articles import NewArticle

SECONDS_A_PAGE = 5.0
LONGEST = 1800.0
"""Seconds for all pages together: five for each, half an hour at most."""


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
    """Fetch the pages of links that have no text. Needs ``full_text.is_possible``."""
    wanted = [item for item in items if item.form in (Form.TITLE, Form.ADDRESS) and item.url]
    limit = min(LONGEST, max(settings.fulltext_timeout, SECONDS_A_PAGE * len(wanted)))
    settings = replace(settings, fulltext_pages=max(len(wanted), 1), fulltext_timeout=limit, start_timeout=limit)
    found = await read_pages([_entry(item) for item in wanted], database, settings, clock, _page_progress(progress))
    read = {article.key: article.text for article in found.articles if article.text}
    return Fetched(tuple(_with(item, read.get(item.key, "")) for item in items), len(read), found.failed, found.problem)


def _page_progress(progress: Callable[[int, int, str], None] | None) -> Callable[[int, int], None]:
    return lambda done, pages: progress(done, pages, "pages") if progress is not None else None


def _with(item: ImportedItem, text: str) -> ImportedItem:
    return replace(item, form=Form.TEXT, text=text) if text else item


def _entry(item: ImportedItem) -> NewArticle:
    return NewArticle(
        key=item.key, url=item.url, title=item.title, author="", categories=(), text="", language="", published=None,
        links=0, pictures=0, content_hash=b"",
    )  # fmt: skip
