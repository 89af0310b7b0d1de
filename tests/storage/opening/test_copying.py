"""A database is copied whole, to the other kind and back, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Boolean, update

from storage.engine.base_database import Database, Transaction
from storage.engine.bulk_insert import Bulk
from storage.engine.errors import CopyFailed, DatabaseInUse, MissingDatabase, NotEmpty, StorageError
from storage.opening.copying import copied, exclusive
from storage.opening.database import open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import documents, users
from storage.records.users import LOCAL_USER
from storage.schema import decisions, late_deliveries, metadata
from storage.stories import search
from storage.stories.article_filter import EVERYTHING
from tests.servers.postgresql import PostgresqlServer
from tests.storage.conftest import NOON, Newsroom
from tests.storage.two_people import THIRD, live, shared

__all__ = ["shared"]

COUNTED = {
    "articles": "(id, feed_id, key, url, site, title, author, categories, language, arrived, links, pictures, "
    "content_hash) SELECT {0}, feed_id, {0}, url, site, title, author, categories, language, arrived, links, pictures, "
    "content_hash FROM articles LIMIT 1 RETURNING seq",
    "feedback": "(user_id, id, seq, story, kind, at) SELECT 1, {0}, seq, seq, 'like', arrived FROM articles LIMIT 1 "
    'RETURNING "row"',
    "imports": "(user_id, name, at) VALUES (1, {0}, 0) RETURNING id",
    "reading_events": "(user_id, id, story, act, visit, seconds, at) SELECT 1, {0}, seq, 'open', 'v', 1, arrived "
    'FROM articles LIMIT 1 RETURNING "row"',
}
"""Tables that give no number twice, and the rest of a statement that adds a row."""


@pytest.fixture
def elsewhere(database: Database, server: PostgresqlServer, tmp_path: Path) -> Path | str:
    """Where nothing is yet, of the other kind."""
    return server.address(server.create()) if isinstance(database, SqliteDatabase) else tmp_path / "copy.db"


def contents(database: Database) -> dict[str, list[str]]:
    """Return all rows of each table, as the driver reads them, without the number of commits."""
    found = {}
    with database.read() as tx:
        for name, table in metadata.tables.items():
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            flags = {place for place, column in enumerate(table.columns) if isinstance(column.type, Boolean)}
            rows = [list(row) for row in tx.connection.exec_driver_sql(f'SELECT {columns} FROM "{name}"')]
            for row in rows:
                row[:] = [bool(each) if place in flags and each is not None else each for place, each in enumerate(row)]
            found[name] = sorted(map(repr, rows))
    return {name: rows for name, rows in found.items() if name != "changes"}


def next_number(tx: Transaction, table: str, name: str) -> int:
    """Add a row, and return its number."""
    return int(tx.connection.exec_driver_sql(f"INSERT INTO {table} {COUNTED[table].format(repr(name))}").scalar_one())


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True)
def test_every_row_is_copied_there_and_back(
    shared: Database, newsroom: Newsroom, elsewhere: Path | str, tmp_path: Path
) -> None:
    odd = {"score": 1e308, "threshold": 5e-324, "margin": float("inf"), "round": 2**63 - 1}
    with shared.write() as tx:
        for user_id, name in ((1, "first"), (2, "second")):
            live(tx, newsroom, user_id, liked=user_id, rules=name)
        documents.put(tx, THIRD, "rules.yaml", "Zoë 'x' \\ %s \r\n \U0001f4f0", NOON)
        tx.connection.execute(
            late_deliveries.insert().values(user_id=THIRD, seq=1, interesting=True, explore=False, at=NOON, **odd)
        )
    before = contents(shared)
    assert sum(bool(rows) for rows in before.values()) > 35
    with copied(shared, elsewhere):
        pass
    with open_database(elsewhere) as copy:
        assert contents(copy) == before
        with copy.read() as tx, shared.read() as original:
            everything = search.parse("title"), EVERYTHING
            assert search.find(tx, LOCAL_USER, *everything) == search.find(original, LOCAL_USER, *everything) != []
        with copied(copy, tmp_path / "back.db"):
            pass
    with open_database(tmp_path / "back.db") as back:
        assert contents(back) == before


def test_numbers_go_on_behind_the_last_that_was_given(
    newsroom: Newsroom, database: Database, elsewhere: Path | str
) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        last = {table: [next_number(tx, table, name) for name in ("a", "b")][1] for table in COUNTED}
        tx.connection.exec_driver_sql("DELETE FROM imports")
        tx.connection.exec_driver_sql(f"DELETE FROM articles WHERE seq = {last['articles']}")
    with copied(database, elsewhere):
        pass
    with open_database(elsewhere) as copy, copy.write() as tx:
        assert {table: next_number(tx, table, "c") for table in COUNTED} == {
            table: number + 1 for table, number in last.items()
        }
        assert users.add(tx, "second", 0).id == LOCAL_USER + 1


def test_facts_of_a_copy_cannot_be_changed(newsroom: Newsroom, database: Database, elsewhere: Path | str) -> None:
    newsroom.articles(1)
    newsroom.judge((1, 0.5, False))
    with copied(database, elsewhere):
        pass
    with (
        open_database(elsewhere) as copy,
        pytest.raises(StorageError, match="append-only"),
        copy.write() as tx,
    ):
        tx.connection.execute(update(decisions).values(score=1.0))


@pytest.mark.parametrize("fails", ["copying", pytest.param("later", marks=pytest.mark.long)])
def test_nothing_is_left_of_a_copy_that_fails(
    newsroom: Newsroom, database: Database, elsewhere: Path | str, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    newsroom.articles(3)
    before = contents(database)
    with monkeypatch.context() as patch:
        if fails == "copying":
            whole = Bulk.run
            patch.setattr(Bulk, "run", lambda bulk, tx, rows: whole(bulk, tx, rows[:2]))
        with pytest.raises(CopyFailed if fails == "copying" else KeyError), copied(database, elsewhere):
            raise KeyError
    with pytest.raises(MissingDatabase):
        open_database(elsewhere)
    assert not isinstance(elsewhere, Path) or not list(elsewhere.parent.glob("copy.db*"))
    assert contents(database) == before
    with copied(database, elsewhere):
        pass
    with pytest.raises(NotEmpty), copied(database, elsewhere):
        pass
    with open_database(elsewhere) as copy:
        assert contents(copy) == before


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_server_waits_for_as_long_as_the_copy_is_checked(database: Database, elsewhere: str) -> None:
    with copied(database, elsewhere) as copy, copy.read() as tx:
        assert tx.connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar_one() == "0"


def test_a_database_that_is_open_elsewhere_is_in_use(
    newsroom: Newsroom, database: Database, open_again: Callable[..., Database]
) -> None:
    where = open_again.args[0]  # type: ignore[attr-defined]
    with database.read(), pytest.raises(DatabaseInUse), exclusive(where):
        pass
    database.close()
    with exclusive(where) as before:
        pass
    newsroom.articles(1)
    database.close()
    with exclusive(where) as after:
        assert after > before
    if isinstance(where, Path):
        with open_again() as again, again.read() as tx:
            assert tx.connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
