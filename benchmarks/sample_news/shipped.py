"""The demo's news as the data that iScore ships: feeds in pieces, and which articles the simulated reader likes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from benchmarks.sample_news.feed_documents import entry, frame, updated
from benchmarks.sample_news.news import ENTRIES, News
from benchmarks.sample_news.reader import RAIL_FROM_DAY, Reader
from benchmarks.sample_news.sources import Source

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 28


def shipped() -> dict[str, Any]:
    """Return what ``iscore.evaluation.demo.SampleNews.from_json`` reads."""
    news = News(start=START, days=DAYS + 1)  # the demo's last morning brings news too
    reader = Reader()
    paths = {urlsplit(article.url).path for article in news.articles}
    chosen = {path: news.article_at(path) for path in paths}
    return {
        "start": START.isoformat(),
        "days": DAYS,
        "entries_per_feed": ENTRIES,
        "change_after_day": RAIL_FROM_DAY,
        "feeds": {source.path: _feed(news, source) for source in news.sources},
        "liked": sorted(path for path, article in chosen.items() if article is not None and reader.verdict(article)),
    }


def _feed(news: News, source: Source) -> dict[str, Any]:
    articles = [article for article in news.articles if article.source == source.key]
    parts = frame(source)
    return {
        "content_type": parts.content_type,
        "encoding": source.encoding,
        "head": parts.head,
        "tail": parts.tail,
        "separator": parts.separator,
        "published": [article.published.isoformat() for article in articles],
        "updated": [updated(source, article.published) for article in articles],
        "entries": [entry(source, article) for article in articles],
    }
