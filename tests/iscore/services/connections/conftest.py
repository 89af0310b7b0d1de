"""A filter that is connected to another reader server on the loopback."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

import pytest
from sqlalchemy import select

from benchmarks.sample_news import News
from iscore.services.connections.passwords import Secret
from iscore.services.news_filter import NewsFilter
from storage.exchange import remote_items
from storage.records.connections import ConnectionOption, ReaderKind
from storage.schema import feedback
from storage.stories import client_items
from storage.stories.client_items import Unread
from tests.servers.reader_server import LABEL, PASSWORD, STARRED, Entry, ReaderServer, reader_server

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
BY_US = {"iScore: best", "iScore: maybe", "iScore: hidden"}


class Clock:
    """Moved by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def later(self, **much: float) -> None:
        self.now += timedelta(**much)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """Titles and contents."""
    news = News(seed=3, start=NOW - timedelta(days=3), days=3)
    return [(each.title, f"<p>{escape(each.text)}</p>") for each in news.articles]


@pytest.fixture(scope="module")
def running_server() -> Iterator[ReaderServer]:
    """Without items."""
    with reader_server() as served:
        yield served


def fill(server: ReaderServer, texts: list[tuple[str, str]]) -> None:
    """Leave nothing on the server but thirty items of the last days, and an old one that is starred."""
    server.entries, server.bad, server.asked, server.refused = {}, [], [], set()
    for number, (title, html) in enumerate(texts[:30], start=1):
        server.add(number, title, html, NOW - timedelta(hours=60 - number), feed=f"feed/{number % 3}")
    server.add(99, "An old star", "<p>About old stars.</p>", NOW - timedelta(days=300))
    server.entries[99].tags.add(STARRED)


@pytest.fixture
def server(running_server: ReaderServer, texts: list[tuple[str, str]]) -> ReaderServer:
    """With thirty items of the last days, and an old one that is starred."""
    fill(running_server, texts)
    return running_server


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def news(tmp_path: Path, clock: Clock) -> Iterator[NewsFilter]:
    with new_filter(tmp_path, clock) as made:
        yield made


def new_filter(folder: Path, clock: Clock) -> NewsFilter:
    (folder / "feeds.yaml").write_text("feeds: []\n")
    made = NewsFilter.create(folder / "home", folder / "feeds.yaml", clock=clock)
    (folder / "home" / "config.toml").write_text("host_spacing = 0.0\nparse_processes = 1\n")
    return made


@dataclass(frozen=True)
class Synced:
    """A home after its first synchronisation, closed, and what the server had then."""

    home: Path
    entries: dict[int, Entry]


@pytest.fixture(scope="module")
def synced_home(
    running_server: ReaderServer, texts: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Synced:
    """Of somebody who has starred the fifth item, and given it a label."""
    fill(running_server, texts)
    running_server.entries[5].tags |= {STARRED, f"{LABEL}mine"}
    folder = tmp_path_factory.mktemp("synced")
    with new_filter(folder, Clock()) as news:
        connect(news, running_server)
        news.connections.sync()
    return Synced(folder / "home", running_server.entries)


@pytest.fixture
def synced(synced_home: Synced, running_server: ReaderServer, tmp_path: Path, clock: Clock) -> Iterator[NewsFilter]:
    """A copy of that home, with the server as it was."""
    running_server.entries, running_server.bad, running_server.asked = deepcopy(synced_home.entries), [], []
    with NewsFilter.open(shutil.copytree(synced_home.home, tmp_path / "home"), clock=clock) as news:
        yield news


def connect(news: NewsFilter, server: ReaderServer, *options: ConnectionOption, kind: str = "greader") -> None:
    news.connections.connect(ReaderKind(kind), server.address, "anna", Secret(PASSWORD), options)


def verdicts(news: NewsFilter) -> list[str]:
    """The kinds of all rows of the log, in order."""
    with news.database.read() as tx:
        return list(tx.connection.execute(select(feedback.c.kind).order_by(feedback.c.row)).scalars())


def bands(news: NewsFilter) -> dict[int, set[str]]:
    """What each item should be labelled, by the decisions."""
    with news.database.read() as tx:
        there = {each.seq: each.item for each in remote_items.since(tx, 1, news.context.inbox_start())}
        stories = {each.seq: each for each in client_items.get(tx, 1, Unread(NOW), range(1, 200))}
    found = {}
    for seq, item in there.items():
        if seq in stories:
            each = stories[seq]
            found[item] = {"iScore: best" if each.best else "iScore: maybe" if each.maybe else "iScore: hidden"}
    return found


def labelled(server: ReaderServer) -> dict[int, set[str]]:
    """What each item is labelled there, of ours."""
    named = {number: {tag.rpartition("/label/")[2] for tag in each.tags} for number, each in server.entries.items()}
    return {number: names & BY_US for number, names in named.items() if names & BY_US}
