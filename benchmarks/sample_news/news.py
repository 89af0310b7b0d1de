"""A small world of news: some weeks of articles from twelve sources, the same for the same seed, start and length."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime
from urllib.parse import urlsplit

from benchmarks.sample_news.article import Article
from benchmarks.sample_news.feed_documents import feed_bytes
from benchmarks.sample_news.newsroom import Newsroom
from benchmarks.sample_news.sources import SOURCES, Source

ENTRIES = 30
"""How many entries a feed holds."""


class News:
    """All sources and articles of a simulated period.

    ``start`` is aware and in UTC; the world reads no clock. About 65 articles appear a day.
    Raises ``ValueError`` for a naive ``start`` or fewer than one day.
    """

    def __init__(self, *, seed: int = 0, start: datetime, days: int = 28) -> None:
        if start.tzinfo is None:
            raise ValueError("the start of the world must be an aware time")
        if days < 1:
            raise ValueError("a world lasts at least one day")
        self.seed = seed
        self.start = start
        self.days = days
        newsroom = Newsroom(seed, start, days)
        newsroom.work()
        self.sources: tuple[Source, ...] = SOURCES
        self.articles: tuple[Article, ...] = tuple(newsroom.articles)
        """In order of publication."""
        self._of_source: dict[str, list[Article]] = {source.key: [] for source in SOURCES}
        for article in self.articles:
            self._of_source[article.source].append(article)
        self._times = {key: [a.published for a in articles] for key, articles in self._of_source.items()}
        self._by_id = {article.id: article for article in self.articles}
        # A reprint that links to the agency's page shares its path; there the agency's report is meant.
        self._by_path = {_path(a.url): a for a in sorted(self.articles, key=lambda article: not article.copy_of)}
        self._documents: dict[tuple[str, int], tuple[bytes, str]] = {}

    def article_at(self, url: str) -> Article | None:
        """Return the article that an address leads to, whatever its query says, or ``None``."""
        return self._by_path.get(_path(url))

    def original(self, article: Article) -> Article:
        """Return the wire report that ``article`` reprints, or the article itself."""
        return self._by_id[article.copy_of] if article.copy_of else article

    def entries(self, source: Source, at: datetime) -> list[Article]:
        """Return what the feed holds at ``at``: the last 30 articles published by then, newest first."""
        count = bisect_right(self._times[source.key], at)
        return self._of_source[source.key][max(0, count - ENTRIES) : count][::-1]

    def feed_document(self, source: Source, at: datetime) -> tuple[bytes, str]:
        """Return the bytes of the feed as it stands at ``at``, and its content type."""
        key = (source.key, bisect_right(self._times[source.key], at))
        if key not in self._documents:
            self._documents[key] = feed_bytes(source, self.entries(source, at))
        return self._documents[key]


def _path(url: str) -> str:
    return urlsplit(url).path
