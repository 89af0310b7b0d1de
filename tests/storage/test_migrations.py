"""A later revision runs on a database that an earlier one made, wholly or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.engine.errors import DatabaseFailed
from storage.log import decisions, evidence
from storage.opening.database import open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import users
from storage.records.articles import StoredBasis
from storage.records.users import LOCAL_USER
from storage.schema import REVISIONS
from storage.stories import story_query
from storage.stories.story_query import Section, StoryQuery
from storage.stream import features
from tests.storage.conftest import NOON, shape, without_dates
from tests.storage.next_program import NEXT, next_program


@pytest.fixture
def database(sqlite_database: SqliteDatabase) -> SqliteDatabase:
    """A file: those before it are files, too."""
    return sqlite_database


def test_recent_arrivals_are_found_by_an_index(database: SqliteDatabase) -> None:
    """The window of days must not cost more when the archive grows."""
    with database.read() as tx:
        seen: list[str] = []
        tx.connection.connection.driver_connection.set_trace_callback(seen.append)  # type: ignore[union-attr]
        story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED, limit=30))
        story_query.count(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED))
        decisions.window(tx, LOCAL_USER, NOON)
        evidence.candidates(tx, LOCAL_USER, NOON)
        decisions.decided_count(tx, LOCAL_USER, NOON, NOON)
        tx.connection.connection.driver_connection.set_trace_callback(None)  # type: ignore[union-attr]
        asked = [query for query in seen if "current_scores" in query]
        plans = [
            " ".join(row.detail for row in tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
            for query in asked
        ]
    assert len(plans) == 6
    for plan in plans:
        assert (
            "current_scores USING INDEX current_scores_arrived (user_id=? AND arrived>?" in plan
            or "COVERING INDEX current_scores_arrived" in plan
        ), plan
        assert "SCAN" not in plan, plan


def test_an_older_schema_is_backed_up_and_migrated(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    next_program(monkeypatch, tmp_path / "migrations", "INSERT INTO shelves VALUES (1)")
    with open_database(database.path) as migrated, migrated.read() as tx:
        assert migrated.revision() == NEXT
        assert users.get(tx, LOCAL_USER).seed == 7
        assert tx.connection.exec_driver_sql("SELECT id FROM shelves").scalars().all() == [1]
    monkeypatch.undo()
    with open_database(tmp_path / f"iscore.db.backup-{REVISIONS[-1]}") as backup, backup.read() as tx:
        assert users.get(tx, LOCAL_USER).seed == 7


def test_a_failed_migration_changes_nothing(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    before = shape(database.path)
    next_program(monkeypatch, tmp_path / "migrations", "INSERT INTO no_such_table VALUES (1)")
    with pytest.raises(DatabaseFailed, match="no_such_table"):
        open_database(database.path)
    monkeypatch.undo()
    assert shape(database.path) == before
    with open_database(database.path) as unchanged:
        assert unchanged.revision() == REVISIONS[-1]
        assert unchanged.integrity() == []


def test_bases_of_a_former_kind_are_gone_so_that_one_is_learned_anew(database: SqliteDatabase) -> None:
    with database.write() as tx:
        features.add_basis(tx, StoredBasis(3, 2000, 2000, bytes(260)))
        tx.connection.exec_driver_sql("DROP TABLE meanings")
        without_dates(tx)
        tx.connection.exec_driver_sql("UPDATE alembic_version SET version_num = '1002'")
    database.close()
    with open_database(database.path) as migrated, migrated.read() as tx:
        assert migrated.revision() == REVISIONS[-1]
        assert features.load_bases(tx) == []
