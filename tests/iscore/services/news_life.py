"""A person with a news filter, feeds on the loopback, and a clock set by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from benchmarks.sample_news import NewsServer
from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind

START = datetime(2026, 3, 2, tzinfo=UTC)
SOURCES = ("orrery", "gridpost", "meridian", "northwire")


class Life:
    """A person, some feeds, and the time."""

    def __init__(self, folder: Path, server: NewsServer) -> None:
        self.server = server
        self.home = folder / "home"
        self.home.mkdir()
        (self.home / "config.toml").write_text(
            "allow_private_networks = true\nhost_spacing = 0\nrefresh_cooldown = 0\nparse_processes = 1\n"
        )
        listed = "".join(f"  - url: {server.urls[name]}\n" for name in SOURCES)
        (self.home / "feeds.yaml").write_text(f"feeds:\n{listed}")
        self.begin(NewsFilter.create)

    @classmethod
    def copied(cls, other: Path, folder: Path, server: NewsServer) -> Self:
        """Open a copy of a home that was closed on the same morning."""
        made = cls.__new__(cls)
        made.server = server
        made.home = shutil.copytree(other, folder / "home")
        made.begin(NewsFilter.open)
        return made

    def begin(self, opened: Callable[..., NewsFilter]) -> None:
        """It is the third morning."""
        self.server.at = self.now = START + timedelta(days=2)
        self.news = opened(self.home, clock=lambda: self.now)
        self.database = self.news.database

    def later(self, **time: float) -> None:
        self.now += timedelta(**time)
        self.server.at = self.now

    def everything(self) -> dict[str, list[tuple[object, ...]]]:
        """All rows of all tables but the times in ``feeds``, and how many commits there have been."""
        times = {"next_due", "last_attempt", "last_success", "last_change"}
        found = {}
        with self.database.read() as tx:
            names = tx.connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars().all()
            for name in (each for each in names if each != "changes"):
                rows = tx.connection.exec_driver_sql(f'SELECT * FROM "{name}"')
                kept = [number for number, column in enumerate(rows.keys()) if column not in times]
                found[name] = [tuple(row[number] for number in kept) for row in rows]
        return found

    def teach(self, count: int) -> list[str]:
        """Give verdicts on what stands on top, for a taste that is one source and a whim."""
        ids = []
        for item in self.news.inbox(everything=True, limit=count).items:
            kind = Kind.LIKE if "orrery" in item.url or len(item.title) % 3 == 0 else Kind.DISLIKE
            self.news.give(kind, [item.id])
            ids.append(item.id)
        return ids

    def scores(self) -> dict[str, float]:
        return {item.id: item.score for item in self.news.inbox(everything=True, limit=None).items}
