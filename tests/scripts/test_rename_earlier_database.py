"""The script that renames a database of schema 0036: nothing is lost, and the program goes on with it.

The fixtures are one small data folder after three days of sample news: verdicts, a digest, rules, an import, an
interest, marks, a second user, and at least one row in every table.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.file_access import exclusive_lock
from iscore.evaluation.demo import SampleNews
from iscore.evaluation.feed_server import FeedServer
from iscore.services.news_filter import NewsFilter
from scripts import rename_earlier_database as script
from storage.engine.errors import UnknownSchema
from storage.opening.database import open_database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import deliveries
from storage.records.users import LOCAL_USER
from storage.schema import REVISIONS
from tests.new_database import new_database
from tests.servers.postgresql import PostgresqlServer
from tests.storage.conftest import shape

STORAGE = Path(__file__).parents[1] / "storage"
FILE, SERVER = STORAGE / "schema-0036.db.xz", STORAGE / "postgresql-0036.sql.xz"
"""A data folder's database, and the same on a server by ``pg_dump --inserts --no-owner``."""
DAYS, FEEDS = 3, 3
OTHER_WORDS = {
    "held_back": "hidden",
    "judged": "decided",
    "ruling": "rule_outcome",
    "carriers": "sources",
    "warm": "trained",
    "summary": "text",
    "seeds": "imported",
}

GONE = {
    "arrived_items": {"round"},
    "current_scores": {"round"},
    "decisions": {"tags"},
    "rounds": {"learned", "rule_change", "basis", "settings", "fingerprint", "event"},
}
"""Columns that nothing reads any more; all others have to be there afterwards."""
FORMER_SETTINGS = """\
# mine
classifier = "two-opinions"  # the best
explore_share = 0.2
follow_changes = true
beta = 1
"""
SETTINGS = """\
# mine
classifier = "stacking"  # the best
beta = 1
"""
FORMER_CONFIG = 'allow_private_networks = true\nextractor_timeout = 3\nclassifier = "two-opinions"\nhost_spacing = 0\n'
CONFIG = 'allow_private_networks = true\nclassifier = "stacking"\nhost_spacing = 0\n'
SET = "UPDATE documents SET text = '{}' WHERE user_id = 1 AND name = 'config.toml'"

Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture
def home(tmp_path: Path) -> DataFolder:
    """The data folder, as it was."""
    made = DataFolder(tmp_path / "home")
    made.path.mkdir(0o700)
    made.database.touch(0o600)
    made.database.write_bytes(lzma.decompress(FILE.read_bytes()))
    with closing(sqlite3.connect(made.database)) as connection:
        connection.execute(SET.format(FORMER_SETTINGS))
        connection.commit()
        connection.execute("PRAGMA journal_mode = WAL")
    made.config.write_text(FORMER_CONFIG)
    return made


@pytest.fixture
def renamed(home: DataFolder) -> DataFolder:
    """The data folder, renamed."""
    assert script.main([str(home.path)]) == 0
    return home


@pytest.fixture
def address(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """A database on a server, as it was."""
    name = postgresql_server.create()
    postgresql_server.execute(lzma.decompress(SERVER.read_bytes()).decode(), name)
    postgresql_server.execute(SET.format(FORMER_SETTINGS), name)
    yield postgresql_server.address(name)
    postgresql_server.drop(name)


def database_of(address: str) -> str:
    return address.partition("?")[0].rpartition("/")[2]


def now() -> datetime:
    """Return the evening of the last day."""
    return SampleNews.load().start + timedelta(days=DAYS, hours=10)


def of_file(path: Path) -> Tables:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name in names}


def of_server(server: PostgresqlServer, name: str) -> Tables:
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    found = {}
    for (table,) in server.execute(query, name):
        rows = server.execute(f'SELECT to_jsonb(t) FROM "{table}" AS t', name)
        found[table] = [row for (row,) in rows]
    return found


def expected(former: Tables) -> Tables:
    """What has to be there afterwards."""
    tables = {"standings": "current_scores", "rulings": "rule_outcomes", "seen": "effective_verdicts"}
    tables |= {"seeds": "imported_items", "editions": "digests"}
    found = {tables.get(name, name): [dict(row) for row in rows] for name, rows in former.items()}
    for name, old, new in (
        ("users", "judged_to", "decided_to"),
        ("deliveries", "edition", "digest"),
        ("mailings", "edition", "digest"),
        ("digests", "edition", "digest"),
    ):
        for row in found[name]:
            row[new] = row.pop(old)
    for name, columns in GONE.items():
        for row in found[name]:
            for column in columns:
                del row[column]
    for row in found["documents"]:
        row["text"] = SETTINGS if row["name"] == "config.toml" else row["text"]
    for row in found["feedback"] + found["effective_verdicts"]:
        row["kind"] = {"seed": "imported"}.get(row["kind"], row["kind"])
    for row in found["feeds"]:
        row["url"] = row["url"].replace("iscore:seeds/", "iscore:imported-items/")
    for row in found["digests"]:
        row["content"] = other_words(json.loads(row["content"]))
    for row in found["users"]:
        row["ruled_by"] = other_words(json.loads(row["ruled_by"] or "null"))
    found["alembic_version"] = [{"version_num": "1000"}]
    found["snapshots"] = []
    return found


def other_words(found: Any) -> Any:
    if isinstance(found, dict):
        if "item" in found:  # a story with a number
            found = {**found.pop("item"), **found}
            del found["sources"]
        elif "summary" in found:
            title, url = found["title"], found["url"]
            assert found["sources"] == [found["source"]]
            found["sources"] = [{"source": found["source"], "title": title, "url": url}]
        return {OTHER_WORDS.get(name, name): other_words(value) for name, value in found.items()}
    return [other_words(each) for each in found] if isinstance(found, list) else found


def compared(tables: Tables) -> dict[str, list[str]]:
    """Make contents comparable: of our tables, whatever their order, with JSON as values."""
    for row in tables["digests"] + tables["users"]:
        for column in ("content", "ruled_by"):
            if isinstance(row.get(column), str):
                row[column] = json.loads(row[column] or "null")
    return {
        name: sorted(json.dumps(row, sort_keys=True, default=bytes.hex) for row in rows)
        for name, rows in tables.items()
    }


def test_every_row_of_a_file_is_there_afterwards_in_the_first_schema(home: DataFolder, tmp_path: Path) -> None:
    before, former = home.database.read_bytes(), of_file(home.database)
    assert {name for name, rows in former.items() if not rows} <= {"bases", "search"}
    assert script.main([str(home.path)]) == 0
    kept = home.database.with_name("iscore.db.before-renaming")
    assert of_file(kept) == former
    assert len(kept.read_bytes()) == len(before)
    assert compared(of_file(home.database)) == compared(expected(former))
    left = {path.name for path in home.path.iterdir()}
    locks = {"run.lock", "mail.lock", "connect.lock"}
    assert left == {"iscore.db", kept.name, "config.toml", "config.toml.before-renaming", *locks}
    assert home.config.read_text() == CONFIG
    assert home.config.with_name("config.toml.before-renaming").read_text() == FORMER_CONFIG
    with open_database(home.database) as database:
        assert database.revision() == REVISIONS[-1]
    new_database(tmp_path / "new.db").close()
    assert shape(home.database) == shape(tmp_path / "new.db")
    parts = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'index') ORDER BY 1, 2"
    with closing(sqlite3.connect(home.database)) as one, closing(sqlite3.connect(tmp_path / "new.db")) as other:
        assert one.execute(parts).fetchall() == other.execute(parts).fetchall()
        for name in ("page_size", "auto_vacuum", "journal_mode", "application_id"):
            assert one.execute(f"PRAGMA {name}").fetchone() == other.execute(f"PRAGMA {name}").fetchone()
    assert home.database.stat().st_mode == (tmp_path / "new.db").stat().st_mode


def test_the_program_goes_on_with_a_renamed_folder(renamed: DataFolder) -> None:
    with NewsFilter.open(renamed.path, clock=now) as news:
        assert [each.name for each in news.people.list()] == ["local", "bea"]
        assert news.inbox().items
        assert (news.status().learning.likes, news.status().learning.imported) > (0, 4)
        assert [each.items for each in news.imports.list()] == [4, 1]
        digest = news.digest(date(2026, 3, 5))
        with news.database.read() as tx:
            content = json.loads(str(deliveries.content(tx, LOCAL_USER, "2026-03-05")))
        assert content["hidden"] == digest.hidden > 0
        assert (len(digest.numbered), digest.rated) == (13, 1)  # one was rated since
        assert all(each.text and each.sources for each in (*digest.numbered, *digest.below))
        assert digest.status.learning.trained is content["status"]["learning"]["trained"]
        found = news.search.find("ferrymen's").items
        assert any("Ferrymen" in each.title for each in found)
        check = news.models.rebuild(check=True)
        assert check.equal
        assert check.verdicts > 15


def test_a_digest_of_which_only_the_articles_are_known_can_be_shown(home: DataFolder) -> None:
    with closing(sqlite3.connect(home.database)) as connection:
        connection.execute("DELETE FROM editions")
        connection.commit()
    assert script.main([str(home.path)]) == 0
    with NewsFilter.open(home.path, clock=now) as news:
        digest = news.digest(date(2026, 3, 5))
    assert (len(digest.numbered), digest.rated) == (13, 1)
    assert all(each.title and each.text and each.arrived for each in digest.numbered)


def test_the_next_poll_goes_on_with_a_renamed_folder(renamed: DataFolder) -> None:
    news, later = SampleNews.load(), now() + timedelta(days=1)
    with FeedServer(lambda path: news.document(path, later), lambda: later) as server:
        with closing(sqlite3.connect(renamed.database)) as connection:
            for table, column in (("feeds", "url"), ("subscriptions", "url"), ("documents", "text")):
                moved = f"UPDATE {table} SET {column} = replace({column}, 'http://127.0.0.1:18641', ?)"
                connection.execute(moved, (server.url,))
            connection.commit()
        with NewsFilter.open(renamed.path, clock=lambda: later) as opened:
            polled = opened.poll()
            assert polled.new_articles > 10
            assert opened.models.rebuild(check=True).equal
        before = len(of_file(renamed.database)["decisions"])
    assert before > len(of_file(renamed.database.with_name("iscore.db.before-renaming"))["decisions"])


def test_every_row_on_a_server_is_there_afterwards_in_the_first_schema(
    address: str, postgresql_server: PostgresqlServer, capsys: pytest.CaptureFixture[str]
) -> None:
    name = database_of(address)
    former = of_server(postgresql_server, name)
    assert script.main([address]) == 0
    assert "has schema 1000 now" in capsys.readouterr().out
    assert compared(of_server(postgresql_server, name)) == compared(expected(former))
    new = postgresql_server.create()
    open_database(postgresql_server.address(new), create=True).close()
    open_database(address).close()
    assert shape_on_server(postgresql_server, name) == shape_on_server(postgresql_server, new)
    with open_database(address) as database, database.write() as tx:
        with pytest.raises(Exception, match="append-only"):
            tx.connection.exec_driver_sql("UPDATE feedback SET kind = 'like'")
        tx.connection.rollback()
    assert script.main([address]) == 0
    assert "nothing to do" in capsys.readouterr().out


def shape_on_server(server: PostgresqlServer, name: str) -> list[list[tuple[Any, ...]]]:
    """Describe all tables as PostgreSQL sees them, columns in the order of their names."""
    queries = (
        "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity "
        "FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
        "SELECT relname, reloptions, obj_description(oid, 'pg_class') FROM pg_class "
        "WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY 1",
        "SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled FROM pg_trigger "
        "WHERE NOT tgisinternal ORDER BY 1, 2",
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    )
    return [server.execute(query, name) for query in queries]


def test_what_fails_on_a_server_leaves_it_as_it_was(
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    postgresql_server: PostgresqlServer,
) -> None:
    name = database_of(address)
    former = of_server(postgresql_server, name)
    monkeypatch.setattr(script, "UPDATES", (*script.UPDATES, "UPDATE no_such_table SET x = 1"))
    assert script.main([address]) == 1
    assert "no_such_table" in capsys.readouterr().err
    assert of_server(postgresql_server, name) == former
    with pytest.raises(UnknownSchema, match="rename_earlier_database"):
        open_database(address)


def contents(path: Path) -> object:
    """Return what is in a file: the rows of a database, whose header may change."""
    content = path.read_bytes() if path.exists() else b""
    return of_file(path) if content.startswith(b"SQLite") else content


def refused(home: DataFolder, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that the script says when it changes nothing."""
    before = contents(home.database)
    assert script.main([str(home.path)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert contents(home.database) == before
    assert not list(home.path.glob("*unfinished*"))
    return said


def test_a_folder_in_use_is_refused(home: DataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    with exclusive_lock(home.path / "run.lock", "it runs"):
        assert "`iscore serve` is running" in refused(home, capsys)
    with closing(sqlite3.connect(home.database)) as other:
        other.execute("SELECT count(*) FROM users").fetchall()
        assert "is in use" in refused(home, capsys)
    assert script.main([str(home.path)]) == 0


def test_other_schemas_are_refused(home: DataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    for revision, what in (("0028", "first run `iscore status`"), ("9999", "renames 0036 only")):
        with closing(sqlite3.connect(home.database)) as connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
            connection.commit()
        assert what in refused(home, capsys)


def test_what_fails_leaves_a_file_as_it_was(
    home: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = home.database.with_name("iscore.db.before-renaming")
    kept.write_text("precious")
    assert "is there already" in refused(home, capsys)
    kept.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(script, "UPDATES", (*script.UPDATES, "UPDATE no_such_table SET x = 1"))
        assert "no_such_table" in refused(home, capsys)
    home.database.write_bytes(b"something else")
    assert "not an iScore database" in refused(home, capsys)
    home.database.unlink()
    refused(home, capsys)


def test_settings_that_cannot_be_read_stay_and_are_named(home: DataFolder, capsys: pytest.CaptureFixture[str]) -> None:
    home.config.write_text("classifier = two-opinions")
    with closing(sqlite3.connect(home.database)) as connection:
        connection.execute(SET.format("beta ="))
        connection.commit()
    assert script.main([str(home.path)]) == 0
    assert "config.toml is as it was, since it is not valid TOML" in capsys.readouterr().out
    assert home.config.read_text() == "classifier = two-opinions"
    texts = [row["text"] for row in of_file(home.database)["documents"] if row["name"] == "config.toml"]
    assert texts == ["beta ="]
    # Settings of a folder that is renamed already are brought up to date when they can be read.
    home.config.write_text(FORMER_CONFIG)
    assert script.main([str(home.path)]) == 0
    assert home.config.read_text() == CONFIG


def test_the_program_says_what_to_do_with_an_earlier_schema(home: DataFolder, tmp_path: Path) -> None:
    before = home.database.read_bytes()
    with pytest.raises(UnknownSchema, match=r"has schema 0036, of an earlier iScore; .*scripts/rename_earlier_data"):
        open_database(home.database)
    assert home.database.read_bytes() == before
    with SqliteDatabase(home.database) as database:
        assert database.integrity() == []


def test_it_runs_as_a_program(home: DataFolder) -> None:
    command = [sys.executable, str(Path(script.__file__)), str(home.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "has schema 1000 now" in done.stdout
