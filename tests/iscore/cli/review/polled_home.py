"""A data folder after one poll of the sample news."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.sample_news import News, NewsServer
from iscore.services.news_filter import NewsFilter

START = datetime(2025, 3, 3, tzinfo=UTC)
NOON = START + timedelta(days=1, hours=12)
FEWEST = 8
"""Fewest articles that the tests need in the inbox."""


def make_home(home: Path) -> None:
    """Poll five feeds at noon of their second day, in an existing folder."""
    (home / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\nparse_processes = 1\n")
    with NewsServer(News(seed=7, start=START, days=2), at=NOON) as server:
        listed = "".join(f"  - url: {url}\n" for url in list(server.urls.values())[:5])
        (home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        with NewsFilter.create(home, clock=lambda: NOON) as news:
            news.poll()
            assert FEWEST <= len(news.review_queue.inbox().ids) < len(news.review_queue.inbox(everything=True).ids)
