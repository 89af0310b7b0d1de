"""Articles' own pages, fetched when the user asks for it, as politely as the full texts that feeds are set to have.

    article ─► robots.txt ─► page ─► its main text, in a child process ─► the article's text, if it is longer

Only what pages and searches show changes. What was computed from an article when it arrived stays, and so does what
was learned from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from iscore.core.errors import IscoreError
from iscore.core.translation import gettext
from iscore.services.session.user_session import UserSession, find_article
from storage.opening.database import ARRIVALS, Database
from storage.records.articles import Article, Content, NewArticle
from storage.records.feeds import Feed
from storage.stream import articles, contents

if TYPE_CHECKING:
    from iscore.feeds.fulltext import PageTexts
    from iscore.feeds.poll_settings import PollSettings

LONGEST = 20.0
"""Seconds that a user waits for a page."""

_NO_FEED = Feed(
    id=0, url="", title="", site_url="", interval=None, fulltext=True, etag=None, last_modified=None, body_hash=None,
    items_seen=b"", next_due=None, last_attempt=None, last_success=None, last_change=None, failures=0, error="",
    gone_since=None, moved_to="", moved_since=None, ttl_minutes=None, skip_hours=(), skip_days=(),
)  # fmt: skip
"""These pages are fetched for no feed."""


class FullTextError(IscoreError):
    """An article's full text cannot be had."""


class FullTexts:
    """Fetches full texts for one user."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context

    def fetch(self, article_id: str) -> bool:
        """Fetch an article's page and store its text if that is longer; return whether it was.

        A page in a private network is fetched only if that is allowed, and only from where the article's feed is.

        Raises ``FullTextError``, ``UnknownArticleError``, ``AmbiguousIdError``; then nothing has changed.
        """
        from iscore.feeds.fulltext import COMPARED
        from iscore.feeds.urls import origin

        with self._database.read() as tx:
            seq = find_article(tx, self._context.user_id, article_id)
            (article,) = articles.get(tx, [seq])
            content, feed = contents.get(tx, seq), contents.feed_address(tx, seq)
            others = articles.newest(tx, article.feed_id, COMPARED)
        if not article.url:
            raise FullTextError(gettext("the article has no page of its own"))
        if not is_possible():
            raise FullTextError(gettext('this needs an extra: pip install "iscore-news[fulltext]"'))
        settings = self._context.poll_settings
        if origin(article.url) != origin(feed):
            settings = settings.for_public()
        limit = min(LONGEST, settings.fulltext_timeout)
        settings = replace(settings, fulltext_timeout=limit, start_timeout=limit)
        wanted = _entry(article, content)
        found = asyncio.run(read_pages([wanted], self._database, settings, self._context.clock, others=others))
        if found.failed:
            raise FullTextError(found.problem)
        (read,) = found.articles
        longer = len(read.text) > len(article.text)
        if longer:
            with self._database.write(ARRIVALS) as tx:
                articles.replace_text(tx, seq, read.text, read.content)
        return longer


async def read_pages(
    wanted: Sequence[NewArticle],
    database: Database,
    settings: PollSettings,
    clock: Callable[[], datetime],
    progress: Callable[[int, int], None] = lambda _done, _pages: None,
    others: Sequence[Article] = (),
) -> PageTexts:
    """Fetch the pages of articles, and return the articles with the longer texts. Needs ``is_possible``.

    ``settings`` limit the number of pages and the time; ``progress`` gets the pages done, and in all.
    A text that ``others`` have, too, is no article's.
    """
    from iscore.feeds.fulltext import FullText
    from iscore.feeds.http.fetch import Fetcher
    from iscore.feeds.http.robots import Robots, RobotsCache
    from iscore.feeds.parsing.parser_pool import ParserPool

    closes_at = asyncio.get_running_loop().time() + settings.start_timeout
    reader = ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout)
    async with reader, Fetcher(settings) as fetcher:
        robots = Robots(fetcher, reader, RobotsCache(database, clock), settings.user_agent)
        texts = FullText(fetcher, reader, settings, robots, lambda _feed, _keys: set(), lambda _feed: others, closes_at)
        return await texts.read_pages(_NO_FEED, tuple(wanted), progress)


def is_possible() -> bool:
    """Whether the extra that fetching pages needs is installed."""
    from iscore.feeds import fulltext

    return fulltext.is_installed()


def _entry(article: Article, content: Content) -> NewArticle:
    """Return a stored article as one that a feed would bring."""
    return NewArticle(
        key=article.id, url=article.url, title=article.title, author=article.author, categories=article.categories,
        text=article.text, language=article.language, published=article.published, links=article.links,
        pictures=article.pictures, content_hash=b"", content=content,
    )  # fmt: skip
