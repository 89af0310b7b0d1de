"""What tests of polls share: a clock set by hand, and short ways to ask the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from iscore.feeds.poll_settings import PollSettings
from iscore.feeds.recorder import PollReport
from storage.opening.database import Database
from storage.records.feeds import Feed, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import articles, feeds

SETTINGS = PollSettings(fetch_timeout=1.0, host_spacing=0.0, allow_private_networks=True, parse_timeout=5.0)
START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
HOSTS = tuple(f"127.0.0.{n}" for n in range(1, 9))


class Clock:
    """A clock that only ``later`` moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def later(self, **time_: float) -> None:
        self.now += timedelta(**time_)


def follow(database: Database, *urls: str) -> None:
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])


def states(database: Database) -> list[Feed]:
    with database.read() as tx:
        return [row.feed for row in feeds.overview(tx, LOCAL_USER)]


def titles(database: Database) -> list[str]:
    with database.read() as tx:
        return [article.title for article in articles.without_features(tx, 10_000)]


def counts(report: PollReport) -> tuple[int, int, int, int]:
    return report.feeds, report.changed, report.unchanged, report.failed
