"""A fresh database, and short ways to fill it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from storage.engine.base_database import Transaction
from storage.log import decisions
from storage.opening.database import ARRIVALS, Database, open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.records.articles import Features, NewArticle
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord, Stored, Subscription
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles, features, feeds
from tests.new_database import new_database
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
FEED = "https://example.org/feed"


class Newsroom:
    """Fills a database as the program does: poll, assess, judge."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def follow(self, *urls: str) -> None:
        with self.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])

    def entry(self, key: str, **other: object) -> NewArticle:
        """Make an entry whose content hash follows from its content."""
        fields: dict[str, object] = {
            "key": key,
            "url": f"https://www.example.org/{key}",
            "title": f"Title of {key}",
            "author": "Ada",
            "categories": ("news", "wörld"),
            "text": "One paragraph.\n\nAnother.",
            "language": "en",
            "published": NOON - timedelta(hours=1),
            "links": 2,
            "pictures": 1,
        } | other
        learned_from = sorted(each for each in fields.items() if each[0] != "content")
        digest = hashlib.sha256(repr(learned_from).encode()).digest()[:16]
        return NewArticle(**fields, content_hash=digest)  # type: ignore[arg-type]

    def poll(self, *entries: NewArticle, at: datetime = NOON, title: str = "Example") -> Stored:
        """Record one fetch of the first feed."""
        with self.database.write(ARRIVALS) as tx:
            feed = feeds.overview(tx, LOCAL_USER)[0].feed
            changed = {name: getattr(feed, name) for name in feed.__slots__} | {"title": title}
            return feeds.record(tx, [FetchRecord(type(feed)(**changed), entries, at)])[0]

    def assess(self, stories: dict[int, int] | None = None) -> None:
        """Give all new articles features; ``stories`` says which belong to another's story."""
        stories = stories or {}
        with self.database.write(ARRIVALS) as tx:
            rows = [
                Features(
                    each.seq,
                    stories.get(each.seq, each.seq),
                    -each.seq,
                    ("length", "age"),
                    b"v" * 16,
                    b"terms",
                    b"pair",
                )
                for each in articles.without_features(tx, 1000)
            ]
            features.add(tx, rows)

    def judge(self, *judgements: tuple[int, float, bool], at: datetime = NOON, user_id: int = LOCAL_USER) -> None:
        """Decide: seq, score (interesting from 0 up), explore."""
        with self.database.write(user_id) as tx:
            decisions.add(tx, [decision(seq, score, explore, at, user_id) for seq, score, explore in judgements])

    def articles(self, count: int, at: datetime = NOON) -> None:
        """Have a number of articles, assessed, without verdicts."""
        self.poll(*(self.entry(f"{at.isoformat()}-{number}") for number in range(count)), at=at)
        self.assess()


def log(tx: Transaction, user_id: int = LOCAL_USER) -> list[tuple[int, str, int, int, Kind, tuple[str, ...]]]:
    """List a person's log as it was written: row, id, seq, story, kind, tags."""
    query = f"SELECT row, id, seq, story, kind, tags FROM feedback WHERE user_id = {user_id:d} ORDER BY row"
    found = tx.connection.exec_driver_sql(query)
    return [(*row[:4], Kind(row.kind), tuple(json.loads(row.tags))) for row in found]


def shape(path: Path) -> dict[str, object]:
    """Describe all tables as SQLite sees them: columns, indexes, references."""
    connection = sqlite3.connect(path)
    names = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        if name not in {"alembic_version", "sqlite_sequence"}
    ]
    tables: dict[str, object] = {}
    for name in names:
        indexes = {
            tuple(connection.execute(f"SELECT name FROM pragma_index_info('{index}')").fetchall()): unique
            for _, index, unique, *_ in connection.execute(f"PRAGMA index_list({name})")
        }
        sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
        tables[name] = (
            connection.execute(f"PRAGMA table_info({name})").fetchall(),
            indexes,
            sorted(key[2:] for key in connection.execute(f"PRAGMA foreign_key_list({name})")),
            "AUTOINCREMENT" in sql,
            "WITHOUT ROWID" in sql,
        )
    connection.close()
    return tables


def without_dates(tx: Transaction) -> None:
    """Take away what the revisions 1005 and later add."""
    tx.connection.exec_driver_sql("ALTER TABLE users DROP COLUMN list_views")
    tx.connection.exec_driver_sql("DROP TABLE icons")
    for table in ("articles", "current_scores"):
        tx.connection.exec_driver_sql(f"DROP INDEX {table}_dated")
        tx.connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN dated")


def decision(seq: int, score: float, explore: bool = False, at: datetime = NOON, user_id: int = LOCAL_USER) -> Decision:
    probability = 1.0 if score >= 0 else 0.25
    return Decision(user_id, seq, score, 0.0, score >= 0, explore, probability, at)


@pytest.fixture(scope="session")
def server(postgresql_server: PostgresqlServer) -> PostgresqlServer:
    """A server of PostgreSQL."""
    return postgresql_server


@pytest.fixture(scope="session")
def new_on_server(server: PostgresqlServer) -> str:
    """The name of a new database of the server, which tests use one after the other."""
    name = server.create()
    open_database(server.address(name), create=True, seed=7).close()
    server.keep(name)
    return name


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A new database in a file."""
    with new_database(tmp_path / "iscore.db", seed=7) as opened:
        assert isinstance(opened, SqliteDatabase)
        yield opened


@pytest.fixture(scope="session")
def opened_on_server(server: PostgresqlServer, new_on_server: str) -> Iterator[Database]:
    """That database, open: one that is opened again compiles every statement again."""
    with open_database(server.address(new_on_server)) as opened:
        yield opened


@pytest.fixture
def postgresql_database(server: PostgresqlServer, new_on_server: str, opened_on_server: Database) -> Iterator[Database]:
    """A new database of a server."""
    server.reset(new_on_server)
    yield opened_on_server
    opened_on_server.close()  # its connections; the next test makes new ones


@pytest.fixture(params=["sqlite"] if postgresql.missing() else ["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """A new database, of each kind; why there is only one kind is said by the tests of ``test_postgresql``."""
    found: Database = request.getfixturevalue(f"{request.param}_database")
    return found


@pytest.fixture
def open_again(database: Database, request: pytest.FixtureRequest) -> Callable[..., Database]:
    """Open the same database a second time, as another process does."""
    if isinstance(database, SqliteDatabase):
        return partial(open_database, database.path)
    server: PostgresqlServer = request.getfixturevalue("server")
    return partial(open_database, server.address(request.getfixturevalue("new_on_server")))


@pytest.fixture
def newsroom(database: Database) -> Newsroom:
    room = Newsroom(database)
    room.follow(FEED)
    return room


@pytest.fixture
def tx(database: Database) -> Iterator[Transaction]:
    """One write transaction for a whole test."""
    with database.write() as opened:
        yield opened


@pytest.fixture
def six(newsroom: Newsroom) -> Database:
    """Six articles; the fifth repeats the second, so that five stories have scores."""
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"{number}") for number in range(1, 7)))
    newsroom.assess({5: 2})
    newsroom.judge(*((seq, seq / 10 - 0.3, False) for seq in (1, 2, 3, 4, 6)))
    return newsroom.database
