"""A data folder's database moves to a server and back with everybody's models, or stays where it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError, IscoreError
from iscore.core.file_access import exclusive_lock
from iscore.filtering.serialization import pack
from iscore.jobs.maintenance.migrate_database import migrate_database
from iscore.services.learning.model_store import ModelStore
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import DatabaseInUse, MissingDatabase, NotEmpty, StorageError
from storage.log import snapshots
from storage.opening.database import open_database
from storage.people import documents
from storage.records.users import LOCAL_USER, Kind, Snapshot
from storage.schema import REVISIONS
from tests.iscore.conftest import START, Archive
from tests.servers.postgresql import PASSWORD, PostgresqlServer
from tests.storage.next_program import NEXT, next_program


@pytest.fixture(scope="session")
def server(postgresql_server: PostgresqlServer) -> PostgresqlServer:
    """A server of PostgreSQL."""
    return postgresql_server


@pytest.fixture(scope="module")
def lived_home(filled_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty articles, verdicts and a saved model; closed."""
    made = Archive.copied(filled_home, tmp_path_factory.mktemp("lived") / "home")
    leaders = [article.seq for article in made.leaders()][:12]
    made.tell([((Kind.LIKE, Kind.DISLIKE)[seq % 2], seq) for seq in leaders])
    made.news.models.current()
    made.database.close()
    return made.home.path


@pytest.fixture
def lived(lived_home: Path, tmp_path: Path) -> Archive:
    """A copy of it, closed as well."""
    made = Archive.copied(lived_home, tmp_path / "home")
    made.database.close()
    return made


def states(home: Path) -> dict[str, object]:
    """Return the row of the log and the learned entries of everybody's saved model, which equals a replay."""
    found: dict[str, object] = {}
    with NewsFilter.open(home) as news:
        for number, name in news.people.names().items():
            person = news.for_user(number)
            with news.database.read() as tx:
                row = snapshots.newest_sequence(tx, number)
            view = person.models.rebuild(check=True)
            assert view.equal
            found[name] = row, view.verdicts
    return found


def test_everybody_moves_and_comes_back(lived: Archive, server: PostgresqlServer) -> None:
    home, name = lived.home, server.create()
    with NewsFilter.open(home.path) as news:
        news.people.add("Zoë")
    before = states(home.path)
    files = {path.name for path in home.path.iterdir()} - {"iscore.db"}
    view = migrate_database(home, server.loopback_address(name), at=START)
    assert (view.users, view.learned, PASSWORD in f"{view}") == (2, 12, False)
    assert home.database_address == server.loopback_address(name)
    assert states(home.path) == before
    with NewsFilter.open(home.path) as news, news.database.read() as tx:
        assert documents.are_stored(tx, 2)
    view = migrate_database(home, "file", at=START)
    assert home.database_address == ""
    assert states(home.path) == before
    assert files <= {path.name for path in home.path.iterdir()}


def test_a_folder_in_use_stays_where_it_is(lived: Archive, server: PostgresqlServer) -> None:
    home, name = lived.home, server.create()
    for running in ("run.lock", "mail.lock", "connect.lock"):
        with exclusive_lock(home.path / running, "something runs"):
            refused(lived, server, name, IscoreError, "lock file")
    with open_database(home.database) as database, database.read():
        refused(lived, server, name, DatabaseInUse)


def refused(lived: Archive, server: PostgresqlServer, name: str, kind: type[Exception], about: str = ".") -> None:
    """Try to move to a database, which must fail with nothing changed."""
    home = lived.home
    before = content(home), server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name)
    with pytest.raises(kind, match=about) as caught:
        migrate_database(home, server.loopback_address(name), at=START)
    assert PASSWORD not in str(caught.value)
    tables = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name)
    assert (content(home), tables) == before


def content(home: DataFolder) -> tuple[str, str]:
    """Return what the settings and the database have."""
    with closing(sqlite3.connect(home.database)) as connection:
        dump = "\n".join(connection.iterdump())
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    return home.config.read_text() if home.config.exists() else "", dump


def test_a_write_during_the_move_stops_it(
    lived: Archive, server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = ModelStore.rebuild

    def meanwhile(store: ModelStore, **how: object) -> object:
        with open_database(lived.home.database) as other, other.write() as tx:
            documents.put(tx, LOCAL_USER, "note", "written meanwhile", START)
        return check(store, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(ModelStore, "rebuild", meanwhile)
    name = server.create()
    with pytest.raises(DatabaseInUse):
        migrate_database(lived.home, server.address(name), at=START)
    with pytest.raises(MissingDatabase):
        open_database(server.address(name))
    with open_database(lived.home.database) as database, database.read() as tx:
        assert documents.get(tx, LOCAL_USER, "note") == "written meanwhile"


def test_a_model_that_differs_from_its_replay_does_not_move(lived: Archive, server: PostgresqlServer) -> None:
    with open_database(lived.home.database) as database, database.write() as tx:
        last = snapshots.newest_sequence(tx, LOCAL_USER)
        models = NewsFilter(lived.home, database, lambda: START).models
        assert last is not None
        earlier = models.at(3)
        snapshots.discard(tx, LOCAL_USER)
        state = pack(earlier.model.state())
        snapshots.save(tx, Snapshot(LOCAL_USER, last, models.fingerprint, state))
    refused(lived, server, server.create(), IscoreError, "differs from a replay")


def test_other_schemas_and_places_that_are_not_empty_are_refused(
    lived: Archive, server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = server.create()
    server.execute("CREATE TABLE shelves (number int)", name)
    refused(lived, server, name, NotEmpty)
    home = lived.home
    with pytest.raises(IscoreError, match="in the file already"):
        migrate_database(home, "file", at=START)
    home.config.write_text("database =\n")
    refused(lived, server, server.create(), ConfigError, "TOML")
    home.config.unlink()
    with monkeypatch.context() as later:
        next_program(later, home.path.parent / "migrations")
        refused(lived, server, server.create(), IscoreError, f"has schema {REVISIONS[-1]}, and this iScore's is {NEXT}")
    with pytest.raises(StorageError, match="names no database"):
        migrate_database(home, "postgresql://ann@host", at=START)
