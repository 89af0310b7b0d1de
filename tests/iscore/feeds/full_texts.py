"""What tests of full texts share: a site with a feed and its pages, and polls of it."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta

from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll import poll
from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.recorder import PollReport
from storage.opening.database import Database
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.stream import articles, feeds
from tests.servers.feed_server import FeedServer, document, html, page, rss

SETTINGS = PollSettings(
    fetch_timeout=1.0, host_spacing=0.0, refresh_cooldown=0, allow_private_networks=True, parse_timeout=2.0
)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(hours=2)  # so that the feed is due again at every poll
        return self.now


def follow(database: Database, *urls: str, fulltext: bool = True) -> None:
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(url, fulltext=fulltext) for url in urls])


def texts(database: Database) -> dict[str, str]:
    with database.read() as tx:
        return {article.title: article.text for article in articles.without_features(tx, 10_000)}


def is_full(text: str) -> bool:
    return text.startswith("Paragraph 0 of story") and text.count("\n\n") == 5 and "Nobody objected" in text


def is_teaser(text: str) -> bool:
    return text.startswith("What happened in story")


class Site(FeedServer):
    """A feed and its pages on one host."""

    pool: ParserPool
    """Reads them."""

    def publish(self, entries: int, **feed: str) -> None:
        self.routes["/feed"] = document(rss(entries, site=self.url(""), **feed))
        for n in range(entries):
            self.routes.setdefault(f"/{n}", html(page(n)))

    def pages(self) -> list[str]:
        return [request.path for request in self.requests if request.path not in ("/feed", "/robots.txt")]


def a_poll(database: Database, site: Site, settings: PollSettings = SETTINGS) -> Awaitable[PollReport]:
    follow(database, site.url("/feed"))
    return poll(database, settings, Clock(), pool=site.pool, force=True)
