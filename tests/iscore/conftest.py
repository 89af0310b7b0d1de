"""Articles of the sample world, and a database that holds them as a poll would have stored them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Self
from urllib.parse import urlsplit

import pytest

from benchmarks.sample_news import News
from extractors import EXTRACTORS, Extractor
from iscore.core.data_folder import DataFolder
from iscore.filtering.features.factory import learning_context
from iscore.services.learning.ingestion import Ingestion
from iscore.services.learning.model_store import ModelStore
from iscore.services.news_filter import NewsFilter
from storage.log import feedback
from storage.opening.database import Database, open_database
from storage.people import mail_confirmations
from storage.records.articles import Article, NewArticle
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stream import articles, feeds
from tests import databases_on_server
from tests.databases_on_server import DatabasesOnServer
from tests.new_database import new_database
from tests.servers import postgresql

START = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Piece:
    """An article as extractors see it."""

    id: str
    title: str
    text: str
    url: str
    source: str
    site: str
    author: str
    categories: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime
    links: int = 0
    pictures: int = 0
    tags: tuple[str, ...] = ()


def made_extractors() -> dict[str, Extractor]:
    """Make every extractor that comes with iScore."""
    return {name: factory(learning_context(seed=7)) for name, factory in EXTRACTORS.items()}


def confirm(news: NewsFilter, address: str) -> None:
    """Let a user's address be one that they have confirmed by a code."""
    user, now = news.context.user_id, news.context.clock()
    with news.database.write(user) as tx:
        mail_confirmations.add(tx, user, address, now, now)
        (mail,) = mail_confirmations.list_confirmations(tx, user, address)
        mail_confirmations.put(tx, replace(mail, due=None, confirmed=now))


@pytest.fixture
def make_extractors() -> Callable[[], dict[str, Extractor]]:
    """Return the maker of fresh extractors."""
    return made_extractors


@pytest.fixture(scope="session", autouse=databases_on_server.WANTED)
def _databases() -> Iterator[DatabasesOnServer]:
    """Have the databases of all tests on a server, if that is wanted."""
    if reason := postgresql.missing():
        pytest.skip(reason)
    with databases_on_server.databases_on_server() as databases:
        yield databases


@pytest.fixture(autouse=databases_on_server.WANTED)
def _closed_databases(_databases: DatabasesOnServer) -> Iterator[None]:
    """Close the databases of a test after it."""
    yield
    _databases.close()


@pytest.fixture(scope="session")
def world() -> News:
    """Six days of sample news."""
    return News(seed=3, start=START, days=6)


@pytest.fixture(scope="session")
def pieces(world: News) -> list[Piece]:
    """The sample articles in order of arrival, an hour after publication."""
    return [
        Piece(
            id=article.id,
            title=article.title,
            text=article.text,
            url=article.url,
            source=article.source,
            site=urlsplit(article.url).hostname or "",
            author=article.author,
            categories=article.categories,
            language=article.language,
            published=article.published if article.dated else None,
            arrived=article.published + timedelta(hours=1),
        )
        for article in world.articles
    ]


def ingestion(database: Database, make: Callable[[], dict[str, Extractor]] = made_extractors) -> Ingestion:
    """Return an ingestion with these extractors, whose failures are not reported."""
    extractors = SimpleNamespace(for_arrivals=make, report=lambda _: None)
    return Ingestion(SimpleNamespace(database=database, service=lambda _: extractors))


def model_store(home: DataFolder, database: Database, classifier: str = "") -> ModelStore:
    """Return a model store as a new process has it, perhaps with another classifier."""
    news = NewsFilter(home, database, lambda: START)
    if classifier:
        news.context.__dict__["settings"] = news.context.settings.model_copy(update={"classifier": classifier})
    return news.models


class Archive:
    """A home whose database is filled without a network, the way a poll fills it."""

    def __init__(self, folder: Path) -> None:
        self.home = DataFolder(folder)
        folder.mkdir()
        self.home.feeds.write_text("feeds:\n  - url: https://news.example/feed\n")
        self.database: Database = new_database(self.home.database, seed=11)
        self.news = NewsFilter(self.home, self.database, lambda: START)
        with self.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription("https://news.example/feed")])

    @classmethod
    def copied(cls, other: Path, folder: Path) -> Self:
        """Open a copy of a home that was filled before, and closed."""
        made = cls.__new__(cls)
        shutil.copytree(other, folder)
        made.home = DataFolder(folder)
        made.database = open_database(made.home.database)
        made.news = NewsFilter(made.home, made.database, lambda: START)
        return made

    def store(self, pieces: Sequence[Piece], at: datetime = START, *, feed: int = 0) -> None:
        """Store articles of one of the feeds that are followed, as yet unmeasured."""
        entries = tuple(
            NewArticle(
                key=piece.id,
                url=piece.url,
                title=piece.title,
                author=piece.author,
                categories=piece.categories,
                text=piece.text,
                language=piece.language,
                published=piece.published,
                links=piece.links,
                pictures=piece.pictures,
                content_hash=hashlib.sha256(repr(piece).encode()).digest()[:16],
            )
            for piece in pieces
        )
        with self.database.write() as tx:
            known = feeds.overview(tx, LOCAL_USER)[feed].feed
            feeds.record(tx, [FetchRecord(known, entries, at)])

    def measure(self) -> int:
        """Measure what waits, with the extractors that come with iScore."""
        return ingestion(self.database).catch_up()

    def say(self, kind: Kind, *seqs: int, name: str = "", at: datetime = START) -> None:
        """Append verdicts to the log."""
        with self.database.write() as tx:
            last = feedback.last_row(tx, LOCAL_USER)
            feedback.append(tx, [Verdict(name or f"v{last}-{seq}", LOCAL_USER, seq, kind, at) for seq in seqs])

    def tell(self, verdicts: Sequence[tuple[Kind, int]], at: datetime = START) -> None:
        """Append verdicts of several kinds to the log, in one transaction."""
        with self.database.write() as tx:
            last = feedback.last_row(tx, LOCAL_USER)
            named = [(f"v{last}-{seq}", kind, seq) for kind, seq in verdicts]
            feedback.append(tx, [Verdict(name, LOCAL_USER, seq, kind, at) for name, kind, seq in named])

    def leaders(self) -> list[Article]:
        """List the articles that lead a story, in order of arrival."""
        with self.database.read() as tx:
            everything = articles.get(tx, range(1, articles.last_seq(tx) + 1))
        return [article for article in everything if article.story == article.seq]


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an archive without articles, closed."""
    made = Archive(tmp_path_factory.mktemp("empty") / "home")
    made.database.close()
    return made.home.path


@pytest.fixture(scope="session")
def filled_home(empty_home: Path, tmp_path_factory: pytest.TempPathFactory, pieces: list[Piece]) -> Path:
    """The home of an archive with sixty measured articles, closed."""
    made = Archive.copied(empty_home, tmp_path_factory.mktemp("filled") / "home")
    made.store(pieces[:60])
    made.measure()
    made.database.close()
    return made.home.path


@pytest.fixture
def archive(empty_home: Path, tmp_path: Path) -> Iterator[Archive]:
    """An empty one."""
    made = Archive.copied(empty_home, tmp_path / "home")
    yield made
    made.database.close()


@pytest.fixture
def filled(filled_home: Path, tmp_path: Path) -> Iterator[Archive]:
    """One with sixty measured articles."""
    made = Archive.copied(filled_home, tmp_path / "home")
    yield made
    made.database.close()
