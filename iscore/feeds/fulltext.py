"""The articles' own pages, for feeds that bring no more than teasers and whose followers wish for the full text.

    new articles ─► the newest, not too many ─► robots.txt ─► page ─► its main text, in a child ─► the longer text

Each page is asked for once, when its article is new. Whatever goes wrong, the feed's text remains, and the article
is not asked for again: it is known then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Protocol

from iscore.feeds.errors import FeedError, ParseCrashedError, ParseTimeoutError
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.media_types import PAGE
from iscore.feeds.http.outcomes import FetchFailed
from iscore.feeds.http.robots import Robots, RulesReader
from iscore.feeds.lru_cache import Kept
from iscore.feeds.page_jobs import PageJob, Permission
from iscore.feeds.parsing import dates
from iscore.feeds.poll_settings import PollSettings
from storage.records import Feed, NewArticle

EXTRA = ("lxml_html_clean", "protego", "trafilatura")
"""What the extra ``fulltext`` installs."""
MISSING = (
    "a feed asks for full text, but what fetches it is not installed; install iscore-news[fulltext]. "
    "Until then articles have the feed's own text"
)
HOSTILE = 2
"""Pages of a feed that may take their reader too long, or kill it, before its other pages are left alone."""
ROOM = 4_000_000
"""Characters of texts that are kept for other feeds of the round that lead to the same pages."""


class PageReader(RulesReader, Protocol):
    """What is needed of ``ParserPool``."""

    async def page_text(self, job: PageJob) -> str:
        """Find a page's main text. Raises ``FeedError`` when there is none or that cannot be done."""


@dataclass(frozen=True, slots=True)
class Pages:
    """What came of the pages of one feed's new articles."""

    articles: tuple[NewArticle, ...]
    """All of the feed's entries, in their order, each with the longer text."""
    fetched: int = 0
    """Pages that came and could be read, even if the feed's text was the longer one."""
    failed: int = 0
    """Pages that were wanted and not read. Those beyond the limit were not wanted."""
    problem: str = ""
    """Why, if any failed: one readable line."""


class _Desk:
    """Where the pages of one feed are read, a few at a time, until too many were too much."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self._turns = asyncio.Semaphore(HOSTILE)
        self._hostile = 0

    def check(self) -> None:
        """Raise ``FeedError`` when no more pages are read."""
        if self._hostile >= HOSTILE:
            raise FeedError("other pages of the feed were too much for their reader")

    async def read(self, job: PageJob) -> str:
        """Find a page's main text. Raises ``FeedError``."""
        async with self._turns:
            self.check()
            try:
                return await self._reader.page_text(job)
            except (ParseTimeoutError, ParseCrashedError):
                self._hostile += 1
                raise


def is_installed() -> bool:
    """Whether the extra is there. Loads nothing of it."""
    return all(find_spec(name) is not None for name in EXTRA)


class FullText:
    """Everything that the full texts of one round share."""

    def __init__(
        self,
        fetcher: Fetcher,
        reader: PageReader,
        settings: PollSettings,
        robots: Robots,
        known: Callable[[int, Sequence[str]], set[str]],
        closes_at: float,
    ) -> None:
        """``known`` tells which of a feed's entries, by their keys, are stored. No page is waited for longer than to
        ``closes_at``, on the event loop's clock."""
        self._fetcher = fetcher
        self._reader = reader
        self._settings = settings
        self._known = known
        self._closes_at = closes_at
        self._robots = robots
        self._texts: Kept[str, str] = Kept(ROOM)
        self._locks: dict[str, asyncio.Lock] = {}

    async def of(self, feed: Feed, articles: tuple[NewArticle, ...], told: Callable[[int, int], None]) -> Pages:
        """Fetch the pages of the newest ``settings.fulltext_pages`` new articles, for ``settings.fulltext_timeout``
        seconds at most. ``told`` hears how many are done, and of how many."""
        wanted = self._wanted(feed, articles)
        if not wanted:
            return Pages(articles)
        texts: dict[str, str] = {}
        reasons: list[str] = []
        desk = _Desk(self._reader)

        async def one(article: NewArticle) -> None:
            try:
                texts[article.key] = await self._text(article.url, desk)
            except FeedError as error:
                reasons.append(str(error))
            except Exception as error:  # what nobody foresaw costs this page alone
                reasons.append(f"unexpected {type(error).__name__}; please report this: {error}")
            told(len(texts) + len(reasons), len(wanted))

        until = min(asyncio.get_running_loop().time() + self._settings.fulltext_timeout, self._closes_at)
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until), asyncio.TaskGroup() as tasks:
                for article in wanted:
                    tasks.create_task(one(article))
        failed = len(wanted) - len(texts)
        reason = reasons[0] if reasons else "there was no time for more"
        return Pages(
            tuple(_with_longer(article, texts.get(article.key, "")) for article in articles),
            len(texts),
            failed,
            f"{failed} of {len(wanted)} article pages could not be read: {reason}" if failed else "",
        )

    def _wanted(self, feed: Feed, articles: Sequence[NewArticle]) -> list[NewArticle]:
        with_page = [article for article in articles if article.url]
        known = self._known(feed.id, [article.key for article in with_page]) if with_page else set()
        new = [article for article in with_page if article.key not in known]
        return dates.newest(new, self._settings.fulltext_pages, lambda article: article.published)

    async def _text(self, url: str, desk: _Desk) -> str:
        """A page's main text, fetched once in a round, however many feeds lead there. Raises ``FeedError``."""
        async with self._locks.setdefault(url, asyncio.Lock()):
            found = self._texts.get(url)
            return found if found is not None else self._texts.put(url, await self._read(url, desk))

    async def _read(self, url: str, desk: _Desk) -> str:
        desk.check()
        async with self._fetcher.fetch(url, wanted=PAGE, permit=self._permission) as answer:
            if isinstance(answer, FetchFailed):
                raise FeedError(answer.reason)
            return await desk.read(PageJob(answer.body or b"", answer.content_type))

    async def _permission(self, url: str) -> Permission:
        permission = await self._robots.permission(url)
        if permission.delay > self._settings.fulltext_timeout and not permission.refusal:
            return replace(
                permission, refusal=f"the site's robots.txt asks for {permission.delay:g} seconds between requests"
            )
        return permission


def _with_longer(article: NewArticle, text: str) -> NewArticle:
    """The article with its page's text if that is longer. Its hash stays that of the feed's entry, which tells
    whether the feed has changed it."""
    first, _, rest = text.partition("\n\n")
    if first.casefold() == article.title.casefold():
        text = rest  # the heading: nobody needs the title twice
    return replace(article, text=text) if len(text) > len(article.text) else article
