"""Of a user who is removed nothing is left; the log keeps refusing to lose rows otherwise."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import delete, event, select

from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseFailed, LastAdmin
from storage.exchange.user_removal import remove_user
from storage.opening.database import Database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import users
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Role
from storage.schema import articles as article_rows
from storage.schema import feedback, metadata
from storage.schema import feeds as feed_rows
from storage.stream import articles, feeds
from tests.storage.conftest import FEED, Newsroom
from tests.storage.two_people import SECOND, live, rows_of, shared

__all__ = ["shared"]
PRIVATE = "https://ann:secret@news.example/feed?token=hidden"


def indexed(tx: Transaction, word: str) -> int:
    """Count the articles that the search index has under a word."""
    condition = f"search MATCH '{word}'" if is_file(tx) else f"words @@ '{word}'::tsquery"
    return int(tx.connection.exec_driver_sql(f"SELECT count(*) FROM search WHERE {condition}").scalar_one())


def is_file(tx: Transaction) -> bool:
    """Whether it is SQLite's."""
    return tx.connection.dialect.name == "sqlite"


def content(tx: Transaction) -> str:
    """Every row of every table, as one text."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if not is_file(tx):
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    names = tx.connection.exec_driver_sql(tables).scalars().all()
    return repr([tx.connection.exec_driver_sql(f'SELECT * FROM "{name}"').all() for name in names])


def test_nothing_is_left_of_who_is_removed_and_all_of_the_others(shared: Database, newsroom: Newsroom) -> None:
    with shared.write() as tx:
        live(tx, newsroom, LOCAL_USER, liked=1, rules="harbour")
        live(tx, newsroom, SECOND, liked=2, rules="orchard")
        feeds.subscribe(tx, SECOND, [Subscription(FEED), Subscription(PRIVATE)])
        mine, harbours = rows_of(tx, LOCAL_USER), indexed(tx, "harbour")
        assert indexed(tx, "orchard")
        count = articles.last_seq(tx)
        items = tx.connection.execute(select(article_rows.c.id).where(article_rows.c.title.contains("orchard")))
        ids = items.scalars().all()
        assert len(ids) == 2
        remove_user(tx, SECOND)
        assert articles.last_seq(tx) == count
        assert articles.ingested_count(tx) == 12 + 1  # the feed's, and what the first user saved elsewhere
        assert {name: rows for name, rows in rows_of(tx, SECOND).items() if rows} == {}
        assert rows_of(tx, LOCAL_USER) == mine
        assert (indexed(tx, "orchard"), indexed(tx, "harbour")) == (0, harbours)
        assert FEED in tx.connection.execute(select(feed_rows.c.url)).scalars().all()
        assert users.find(tx, "second") is None
    with shared.read() as tx:
        left = content(tx)
    words = ("secret", "hidden", "orchard", f"imported-items/{SECOND}", f"saved/{SECOND}", *ids)
    assert [word for word in words if word in left] == []
    assert "harbour" in left
    if isinstance(shared, SqliteDatabase):
        assert shared.integrity() == []


def test_no_row_is_deleted_that_the_database_would_seek_in_whole_tables(shared: Database, newsroom: Newsroom) -> None:
    """For each row that is deleted, the database looks for rows that refer to it."""
    with shared.write() as tx:
        live(tx, newsroom, SECOND, liked=2, rules="orchard")
    deleted: set[str] = set()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        deleted.update(re.findall(r'DELETE FROM "?(\w+)', statement))

    with shared.write() as tx:
        event.listen(tx.connection, "before_cursor_execute", note)
        remove_user(tx, SECOND)
    found = {
        f"{table.name}.{key.parent.name}"
        for table in metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name in deleted - {"users", "imports"}  # of these a user has few
        and key.parent.name not in {next(iter(each.columns)).name for each in (table.primary_key, *table.indexes)}
    }
    assert "feedback" in deleted
    assert found == set()


@pytest.mark.parametrize("table", ["feedback", "decisions", "late_deliveries"])
def test_facts_of_a_user_who_stays_cannot_be_deleted(shared: Database, newsroom: Newsroom, table: str) -> None:
    with shared.write() as tx:
        live(tx, newsroom, LOCAL_USER, liked=1, rules="harbour")
    rows = metadata.tables[table]
    with pytest.raises(DatabaseFailed, match="append-only"), shared.write() as tx:
        tx.connection.execute(delete(rows).where(rows.c.user_id == LOCAL_USER))


def test_the_last_admin_stays_and_another_one_makes_the_first_removable(shared: Database) -> None:
    with shared.write() as tx, pytest.raises(LastAdmin):
        remove_user(tx, LOCAL_USER)
    with shared.write() as tx:
        users.set_role(tx, SECOND, Role.ADMIN)
        remove_user(tx, LOCAL_USER)
        assert users.first(tx).id == SECOND
        assert tx.connection.execute(select(feedback.c.row)).all() == []
