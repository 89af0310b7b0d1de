"""Fetches the full text of articles from their pages, for feeds with teasers only whose subscribers want that.

    new articles ─► the newest of them ─► robots.txt ─► page ─► main text, in a parser process ─► the longer text

A text that came for several articles of a site is none of theirs, but that of a consent page or a login; it is dropped.

Each page is fetched once, when its article is new. If anything goes wrong, the feed's text remains, and the page is not
fetched again later, since the article is known then.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Protocol

from iscore.feeds.errors import FeedError, ParseCrashedError, ParseTimeoutError
from iscore.feeds.http.fetch import PAGE, Fetcher
from iscore.feeds.http.outcomes import FetchFailed
from iscore.feeds.http.robots import Robots, RulesReader
from iscore.feeds.parsing import dates
from iscore.feeds.parsing.article_html import first_picture, without_heading
from iscore.feeds.parsing.jobs import PageArticle, PageJob, Permission
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.urls import without_password
from storage.records.articles import Article, NewArticle
from storage.records.feeds import Feed
from storage.stream.addresses import site

EXTRA = ("lxml_html_clean", "trafilatura")
"""The packages of the extra ``fulltext``."""
MISSING = (
    'a feed with full text needs an extra: pip install "iscore-news[fulltext]". '
    "Until then, its articles have the text of the feed"
)
MAX_HOSTILE = 2
"""Once this many pages of a feed took too long to parse, or killed the parser, its other pages are left out."""
COMPARED = 3
"""Stored articles of a feed, the newest, with whose texts those of pages are compared."""
SHARED = 0.75
"""Part of a text from which on it is that of several articles. The rest may be the address, a number or a date."""
CACHE_SIZE = 4_000_000
"""Characters of texts that are cached, since other feeds of the poll may link to the same pages."""


class PageReader(RulesReader, Protocol):
    """The part of ``ParserPool`` that this module needs."""

    async def page_article(self, job: PageJob) -> PageArticle:
        """Find a page's article. Raises ``FeedError`` if there is none, or if that fails."""


@dataclass(frozen=True, slots=True)
class PageTexts:
    """The results of the pages of one feed's new articles."""

    articles: tuple[NewArticle, ...]
    """All entries of the feed, in their order, each with the longer text."""
    fetched: int = 0
    """Pages that were fetched and read, even if the feed's text was longer."""
    failed: int = 0
    """Pages that were wanted and could not be read. Pages beyond the limit do not count."""
    problem: str = ""
    """Why, if any failed: one readable line."""


class _FeedPages:
    """Reads the pages of one feed, a few at a time, until too many were hostile."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self._slots = asyncio.Semaphore(MAX_HOSTILE)
        self._hostile = 0

    def check(self) -> None:
        """Raise ``FeedError`` if no more pages may be read."""
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
    """Whether the extra is installed. Imports none of it."""
    return all(find_spec(name) is not None for name in EXTRA)


class FullText:
    """What the full texts of one poll share."""

    def __init__(
        self,
        fetcher: Fetcher,
        reader: PageReader,
        settings: PollSettings,
        robots: Robots,
        known: Callable[[int, Sequence[str]], set[str]],
        newest: Callable[[int], Sequence[Article]],
        closes_at: float,
    ) -> None:
        """``known`` returns which keys of a feed's entries are stored, ``newest`` its last ``COMPARED`` stored
        articles. All waiting ends at ``closes_at`` of the event loop's clock."""
        self._fetcher = fetcher
        self._reader = reader
        self._settings = settings
        self._known = known
        self._newest = newest
        self._closes_at = closes_at
        self._robots = robots
        self._pages: dict[str, PageArticle] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def read_pages(
        self, feed: Feed, articles: tuple[NewArticle, ...], progress: Callable[[int, int], None]
    ) -> PageTexts:
        """Fetch the pages of the newest ``settings.fulltext_pages`` new articles, within ``settings.fulltext_timeout``
        seconds; parsing does not count. ``progress`` gets the number of finished pages, and of all pages."""
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
            except Exception as error:  # a bug affects only this page
                problems.append(f"unexpected {type(error).__name__}; please report this: {error}")
            progress(len(found) + len(problems), len(wanted))

        async with asyncio.TaskGroup() as tasks:
            for article in wanted:
                tasks.create_task(read(article))
        texts = [(each, found[each.key].text) for each in wanted if each.key in found]
        stored = self._newest(feed.id) if texts else ()
        for key in _of_several(texts, [(each, each.text) for each in stored]):
            del found[key]
            problems.append("the site has the same text for several articles, such as a consent page or a login")
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
        """Return a page's article, fetched once in a poll even if several feeds link to it. Raises ``FeedError``."""
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
            deadline.reschedule(self._closes_at)  # the rest depends only on this computer
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


def _of_several(texts: Sequence[tuple[NewArticle, str]], stored: Sequence[tuple[Article, str]]) -> list[str]:
    """Return the keys of those articles whose text is mostly that of other articles of their site, too.

    Articles with the same address or title are one.
    """
    names: dict[str, str] = {}
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    every: list[tuple[NewArticle | Article, str]] = [*texts, *stored]
    for article, text in every:
        name = names.setdefault(article.title.casefold() or article.url, article.url)
        for paragraph in text.splitlines():
            found[site(article.url), paragraph].add(name)
    keys = []
    for article, text in texts:
        rows = text.splitlines()
        shared = sum(len(row) for row in rows if len(found[site(article.url), row]) > 1)
        if shared and shared >= SHARED * sum(map(len, rows)):
            keys.append(article.key)
    return keys


def _with_longer(article: NewArticle, page: PageArticle | None) -> NewArticle:
    """Return the article with its page's text and HTML if that text is longer.

    Its hash stays that of the feed's entry, which shows whether the feed has changed it.
    """
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
