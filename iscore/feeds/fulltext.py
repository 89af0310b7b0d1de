"""The articles' own pages, for feeds that have only teasers and whose subscribers want the full text.

    new articles ─► the newest of them ─► robots.txt ─► page ─► main text, in a parser process ─► the longer text

Each page is fetched once, when its article is new. Whatever goes wrong, the feed's text remains, and the page is not
fetched later: the article is known then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Protocol

from iscore.feeds.errors import FeedError, ParseCrashedError, ParseTimeoutError
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.media_types import PAGE
from iscore.feeds.http.outcomes import FetchFailed
from iscore.feeds.http.robots import Robots, RulesReader
from iscore.feeds.parsing import dates
from iscore.feeds.parsing.article_html import first_picture, without_heading
from iscore.feeds.parsing.jobs import PageArticle, PageJob, Permission
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import without_password
from storage.records.articles import NewArticle
from storage.records.feeds import Feed

EXTRA = ("lxml_html_clean", "protego", "trafilatura")
"""What the extra ``fulltext`` installs."""
MISSING = (
    'a feed with full text needs an extra: pip install "iscore-news[fulltext]". '
    "Until then, its articles have the text of the feed"
)
MAX_HOSTILE = 2
"""Pages of a feed that may take too long to parse, or kill the parser, before its other pages are left out."""
CACHE_SIZE = 4_000_000
"""Characters of texts that are cached for other feeds of the poll that link to the same pages."""


class PageReader(RulesReader, Protocol):
    """The part of ``ParserPool`` that is needed."""

    async def page_article(self, job: PageJob) -> PageArticle:
        """Find a page's article. Raises ``FeedError`` when there is none or that cannot be done."""


@dataclass(frozen=True, slots=True)
class PageTexts:
    """What came of the pages of one feed's new articles."""

    articles: tuple[NewArticle, ...]
    """All of the feed's entries, in their order, each with the longer text."""
    fetched: int = 0
    """Pages that were fetched and read, even if the feed's text was the longer one."""
    failed: int = 0
    """Pages that were wanted and could not be read. Those beyond the limit were not wanted."""
    problem: str = ""
    """Why, if any failed: one readable line."""


class _FeedPages:
    """Reads the pages of one feed, a few at a time, until too many of them were hostile."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self._slots = asyncio.Semaphore(MAX_HOSTILE)
        self._hostile = 0

    def check(self) -> None:
        """Raise ``FeedError`` when no more pages are read."""
        if self._hostile >= MAX_HOSTILE:
            raise FeedError("other pages of the feed could not be read")

    async def read(self, job: PageJob) -> PageArticle:
        """Find a page's article. Raises ``FeedError``."""
        async with self._slots:
            self.check()
            try:
                return await self._reader.page_article(job)
            except (ParseTimeoutError, ParseCrashedError):
                self._hostile += 1
                raise


def is_installed() -> bool:
    """Whether the extra is installed. Loads nothing of it."""
    return all(find_spec(name) is not None for name in EXTRA)


class FullText:
    """Everything that the full texts of one poll share."""

    def __init__(
        self,
        fetcher: Fetcher,
        reader: PageReader,
        settings: PollSettings,
        robots: Robots,
        known: Callable[[int, Sequence[str]], set[str]],
        closes_at: float,
    ) -> None:
        """``known`` returns which of a feed's entries, by their keys, are stored. Nothing is waited for after
        ``closes_at``, on the event loop's clock."""
        self._fetcher = fetcher
        self._reader = reader
        self._settings = settings
        self._known = known
        self._closes_at = closes_at
        self._robots = robots
        self._pages: dict[str, PageArticle] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def read_pages(
        self, feed: Feed, articles: tuple[NewArticle, ...], progress: Callable[[int, int], None]
    ) -> PageTexts:
        """Fetch the pages of the newest ``settings.fulltext_pages`` new articles, for ``settings.fulltext_timeout``
        seconds at most; parsing does not count. ``progress`` gets the pages done, and in all."""
        wanted = self._wanted(feed, articles)
        if not wanted:
            return PageTexts(articles)
        found: dict[str, PageArticle] = {}
        problems: list[str] = []
        pages = _FeedPages(self._reader)
        until = min(asyncio.get_running_loop().time() + self._settings.fulltext_timeout, self._closes_at)

        async def read(article: NewArticle) -> None:
            try:
                async with asyncio.timeout_at(until) as deadline:
                    found[article.key] = await self._page(article.url, pages, deadline)
            except TimeoutError:
                problems.append("the time was up")
            except FeedError as error:
                problems.append(str(error))
            except Exception as error:  # a bug costs this page alone
                problems.append(f"unexpected {type(error).__name__}; please report this: {error}")
            progress(len(found) + len(problems), len(wanted))

        async with asyncio.TaskGroup() as tasks:
            for article in wanted:
                tasks.create_task(read(article))
        return PageTexts(
            tuple(_with_longer(article, found.get(article.key)) for article in articles),
            len(found),
            len(problems),
            f"{len(problems)} of {len(wanted)} article pages could not be read: {problems[0]}" if problems else "",
        )

    def _wanted(self, feed: Feed, articles: Sequence[NewArticle]) -> list[NewArticle]:
        with_page = [article for article in articles if article.url]
        known = self._known(feed.id, [article.key for article in with_page]) if with_page else set()
        new = [article for article in with_page if article.key not in known]
        return dates.newest(new, self._settings.fulltext_pages, lambda article: article.published)

    async def _page(self, url: str, pages: _FeedPages, deadline: asyncio.Timeout) -> PageArticle:
        """A page's article, fetched once in a poll, however many feeds link to it. Raises ``FeedError``."""
        async with self._locks.setdefault(url, asyncio.Lock()):
            if url not in self._pages:
                page = await self._read(url, pages, deadline)
                if sum(map(_size, self._pages.values())) + _size(page) > CACHE_SIZE:
                    self._pages.clear()
                self._pages[url] = page
            return self._pages[url]

    async def _read(self, url: str, pages: _FeedPages, deadline: asyncio.Timeout) -> PageArticle:
        pages.check()
        async with self._fetcher.fetch(url, accepted=PAGE, permit=self._permission) as answer:
            if isinstance(answer, FetchFailed):
                raise FeedError(answer.reason)
            deadline.reschedule(self._closes_at)  # what is left is up to this computer
            url = without_password(answer.final_url)
            return await pages.read(PageJob(answer.body or b"", answer.content_type, url))

    async def _permission(self, url: str) -> Permission:
        permission = await self._robots.permission(url)
        if permission.delay > self._settings.fulltext_timeout and not permission.refusal:
            refusal = f"the site's robots.txt asks for {permission.delay:g} seconds between requests"
            return replace(permission, refusal=refusal)
        return permission


def _size(page: PageArticle) -> int:
    return len(page.text) + len(page.html)


def _with_longer(article: NewArticle, page: PageArticle | None) -> NewArticle:
    """The article with its page's text and HTML if that text is longer. Its hash stays that of the feed's entry, which
    shows whether the feed has changed it."""
    if page is None:
        return article
    text, html = page.text, page.html
    first, _, rest = text.partition("\n\n")
    if first.casefold() == article.title.casefold():
        text, html = rest, without_heading(html, article.title)
    if len(text) <= len(article.text):
        return article
    content = article.content
    return replace(
        article,
        text=text,
        content=replace(content, html=html, thumbnail=content.thumbnail or first_picture(html)),
    )
