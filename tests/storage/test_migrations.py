"""Databases that earlier versions wrote come through, and lose nothing on the way."""

from __future__ import annotations

import lzma
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command

from storage.engine.errors import DatabaseFailed
from storage.log import decisions, evidence, feedback
from storage.opening import creation
from storage.opening.database import open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import users
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.schema import REVISIONS
from storage.stories import inbox, search
from storage.stories.article_filter import EVERYTHING
from storage.stream import articles
from tests.storage.conftest import NOON, log, shape

OLD = Path(__file__).parent / "schema-0001.db.xz"
"""Written by the version before 0002: two days of sample news, two digests, likes, dislikes, a skip and an undo."""

Rows = dict[str, list[dict[str, object]]]


@pytest.fixture
def database(sqlite_database: SqliteDatabase) -> SqliteDatabase:
    """A file: those before it are files, too."""
    return sqlite_database


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of the old database."""
    path = tmp_path / "iscore.db"
    path.write_bytes(lzma.decompress(OLD.read_bytes()))
    return path


def content(path: Path) -> Rows:
    """Every row of every table, read without the program."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name in names}


def test_nothing_is_lost_and_what_is_new_is_empty(old: Path) -> None:
    before = content(old)
    open_database(old).close()
    after = content(old)
    assert after.pop("alembic_version") == [{"version_num": REVISIONS[-1]}]
    assert before.pop("alembic_version") == [{"version_num": "0001"}]
    assert all(len(before[name]) > 1 for name in ("articles", "features", "decisions", "feedback", "deliveries"))
    assert {row.pop("archive") for name in ("articles", "standings") for row in after[name]} == {0}
    assert {row.pop("pairs") for row in after["features"]} == {b""}
    assert {row.pop(name) for name in ("margin", "vote", "round") for row in after["decisions"]} == {None}
    assert {row.pop("round") for row in after["standings"]} == {None}
    assert {row.pop("tags") for name in ("feedback", "decisions") for row in after[name]} == {"[]"}
    assert {row.pop("interest") for row in after["standings"]} == {""}
    assert {tuple(row.pop(name) for name in ("ruled_by", "last_change", "headlines")) for row in after["users"]} == {
        ("", "", "")
    }
    assert {(row.pop("icon"), row.pop("items_seen"), row.pop("added")) for row in after["feeds"]} == {("", b"", None)}
    assert {(row.pop("host")[:6], row.pop("login")) for row in after["feeds"]} == {("127.0.", "")}
    assert all(row.pop("items_seen") for row in before["feeds"] if row["last_success"])
    for row in after["users"]:
        added = [row.pop(name) for name in ("name_key", "role", "time_zone", "password", "created")]
        assert added == [row["name"], "admin", "", "", None]
        assert row.pop("learns_from_reading") == 0
        assert row.pop("feeds_key") == ""
    assert {row.pop("priority") for row in after["subscriptions"]} == {"filtered"}
    new = ("robots", "imports", "seeds", "rulings", "mailings", "editions", "bases", "late_deliveries", "contents")
    new += (
        "rounds",
        "rule_changes",
        "arrived_items",
        "labels",
        "documents",
        "sessions",
        "invitations",
        "app_passwords",
        "reading_events",
        "reading_sums",
        "removals",
        "login_attempts",
        "import_marks",
        "changes",
        "connections",
        "remote_items",
        "remote_tags",
        "folders",
        "work",
        "host_pauses",
        "hub_subscriptions",
        "pushed_documents",
        "identities",
    )
    assert [after.pop(name) for name in new] == [[]] * len(new)
    rated = {row["story"] for row in after["seen"]}
    assert {row["story"] for row in after.pop("marks") if row["read_at"] and not row["saved_at"]} == rated
    assert {name: rows for name, rows in after.items() if not name.startswith("search")} == before


def test_old_articles_are_found_by_their_words(old: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    with open_database(old, progress=lambda *step: steps.append(step)) as migrated, migrated.read() as tx:
        everything = articles.get(tx, range(1, articles.last_seq(tx) + 1))
        for each in everything:
            words = search.parse(f'"{each.title}"')
            assert each.seq in search.find(tx, LOCAL_USER, words, EVERYTHING) or each.story != each.seq
    assert steps == [(0, 0, "copying the database"), (0, len(everything), "preparing the search")]


def test_what_was_old_when_it_arrived_becomes_archive(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        week = 7 * 86_400 * 1_000_000
        connection.execute(f"UPDATE articles SET published = arrived - {week} - 1 WHERE seq % 2")
        connection.execute(f"UPDATE articles SET published = arrived - {week} WHERE seq % 4 = 0")
        connection.execute("UPDATE standings SET interesting = 1, explore = 1")
        before = connection.execute("SELECT * FROM decisions").fetchall()
    open_database(old).close()
    after = content(old)
    assert {(row["seq"] % 2, row["archive"]) for row in after["articles"]} == {(0, 0), (1, 1)}
    for row in after["standings"]:
        assert (row["archive"], row["interesting"], row["explore"]) == ((1, 0, 0) if row["seq"] % 2 else (0, 1, 1))
    assert [tuple(row.values())[: len(before[0])] for row in after["decisions"]] == before


def test_imported_items_keep_the_weight_of_their_form(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = {"text": 1.0, "title": 0.5, "keywords": 0.5, "address": 0.25, "feed": 0.25, "of a later version": 0.25}
    with monkeypatch.context() as before:
        upgrade = command.upgrade
        before.setattr(command, "upgrade", lambda config, _: upgrade(config, "0010"))
        open_database(old).close()
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("INSERT INTO imports VALUES (1, 1, 'x', 0)")
        connection.executemany("INSERT INTO seeds VALUES (1, ?, 1, ?)", enumerate(forms, start=1))
    open_database(old).close()
    assert {row["form"]: row["weight"] for row in content(old)["seeds"]} == forms
    assert {row["interest"] for row in content(old)["seeds"]} == {"imported"}


def test_names_of_feeds_lose_their_html_escapes(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        named = "'Nuts &#8211; &amp; bolts'"
        connection.execute(f"UPDATE feeds SET title = {named}, name = {named} WHERE id = 1")
        connection.commit()
    open_database(old).close()
    (first, *_) = content(old)["feeds"]
    assert (first["title"], first["name"]) == ("Nuts – & bolts", "Nuts – & bolts")


def test_the_tables_are_those_of_a_new_database(old: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    open_database(fresh, create=True).close()
    with open_database(old) as migrated:
        assert migrated.integrity() == []
    assert shape(old) == shape(fresh)


def test_a_copy_of_the_old_one_is_kept(old: Path, tmp_path: Path) -> None:
    before = content(old)
    open_database(old).close()
    open_database(old).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["iscore.db", "iscore.db.backup-0001"]
    assert content(tmp_path / "iscore.db.backup-0001") == before


def test_the_log_goes_on_and_can_only_grow(old: Path) -> None:
    with open_database(old) as migrated:
        with migrated.write() as tx:
            earlier = log(tx)
            feedback.append(
                tx, [Verdict("new", LOCAL_USER, 1, Kind.LIKE, NOON), Verdict("and", LOCAL_USER, 2, Kind.LIKE, NOON)]
            )
            assert log(tx)[: len(earlier)] == earlier
            assert [row[:3] for row in log(tx)[len(earlier) :]] == [(22, "new", 1), (23, "and", 2)]
            assert {row[-1] for row in log(tx)[len(earlier) :]} <= {("science", "space"), ("world",)}
        for change in ("UPDATE feedback SET tags = '[]'", "DELETE FROM feedback"):
            with pytest.raises(DatabaseFailed, match="append-only"), migrated.write() as tx:
                tx.connection.exec_driver_sql(change)


def test_many_can_migrate_at_once(old: Path) -> None:
    before = [row | {"archive": 0} for row in content(old)["articles"]]
    start, failed = threading.Barrier(4), []

    def migrate() -> None:
        start.wait()
        try:
            open_database(old).close()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert content(old)["articles"] == before


def test_a_migration_cut_off_is_none(old: Path, tmp_path: Path) -> None:
    before = content(old)
    with closing(sqlite3.connect(old)) as connection:
        # The revision's last step then fails, after the columns have been added.
        connection.execute("CREATE INDEX standings_arrived ON decisions (user_id)")
    with pytest.raises(DatabaseFailed, match="standings_arrived"):
        open_database(old)
    assert content(old) == before
    assert content(tmp_path / "iscore.db.backup-0001") == before


def test_recent_arrivals_are_found_by_an_index(database: SqliteDatabase) -> None:
    """The window of days must not cost more when the archive grows."""
    with database.read() as tx:
        seen: list[str] = []
        tx.connection.connection.driver_connection.set_trace_callback(seen.append)  # type: ignore[union-attr]
        inbox.seqs(tx, LOCAL_USER, NOON, limit=30)
        inbox.count(tx, LOCAL_USER, NOON)
        decisions.window(tx, LOCAL_USER, NOON)
        evidence.candidates(tx, LOCAL_USER, NOON)
        decisions.decided_count(tx, LOCAL_USER, NOON, NOON)
        tx.connection.connection.driver_connection.set_trace_callback(None)  # type: ignore[union-attr]
        asked = [query for query in seen if "standings" in query]
        plans = [
            " ".join(row.detail for row in tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
            for query in asked
        ]
    assert len(plans) == 6
    for plan in plans:
        assert (
            "standings USING INDEX standings_arrived (user_id=? AND arrived>?" in plan
            or "COVERING INDEX standings_arrived" in plan
        ), plan
        assert "SCAN" not in plan, plan


def next_program(
    monkeypatch: pytest.MonkeyPatch, folder: Path, last_statement: str, opener: str = "storage.opening.sqlite_database"
) -> None:
    """Become the iScore after this one: its second revision makes a table, then does ``last_statement``."""
    shutil.copytree(creation.MIGRATIONS, folder)
    (folder / "versions" / "next.py").write_text(
        "from alembic import op\n"
        f"revision, down_revision = 'next', '{REVISIONS[-1]}'\n"
        "def upgrade():\n"
        "    op.execute('CREATE TABLE shelves (id INTEGER PRIMARY KEY)')\n"
        f"    op.execute('{last_statement}')\n"
    )
    monkeypatch.setattr(creation, "MIGRATIONS", folder)
    monkeypatch.setattr(f"{opener}.REVISIONS", (*REVISIONS, "next"))


def test_an_older_schema_is_backed_up_and_migrated(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    next_program(monkeypatch, tmp_path / "migrations", "INSERT INTO shelves VALUES (1)")
    with open_database(database.path) as migrated, migrated.read() as tx:
        assert migrated.revision() == "next"
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
