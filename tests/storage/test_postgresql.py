"""What only a database on a server has: an address, rights, other programs' tables, and its own schema."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import literal, select

from storage.engine.errors import (
    DatabaseFailed,
    DatabaseReadOnly,
    MissingDatabase,
    NoDriver,
    NoRights,
    NoServer,
    NotADatabase,
    StorageError,
    UnknownSchema,
    WrongAddress,
)
from storage.opening.database import Database, open_database
from storage.opening.postgresql_database import UNCHECKED
from storage.people import users
from storage.records.users import LOCAL_USER
from storage.schema import REVISIONS
from storage.stories import search
from storage.stories.article_filter import EVERYTHING
from storage.stream import articles
from tests.servers.postgresql import PASSWORD, PostgresqlServer
from tests.storage.conftest import Newsroom
from tests.storage.next_program import next_program


@pytest.fixture
def database(postgresql_database: Database) -> Database:
    """One of a server: this is about what only these have."""
    return postgresql_database


@pytest.fixture
def empty(server: PostgresqlServer) -> Iterator[str]:
    """The name of a database without tables."""
    name = server.create()
    yield name
    server.drop(name)


def test_connections_that_the_server_has_closed_are_made_again(
    database: Database, server: PostgresqlServer, new_on_server: str
) -> None:
    with database.read() as tx:
        assert users.count(tx) == 1
    closed = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{new_on_server}'"
    assert server.execute(closed) == [(True,)]
    time.sleep(2 * UNCHECKED)
    with database.read() as tx:
        assert users.count(tx) == 1


def test_values_come_in_binary(database: Database) -> None:
    with database.read() as tx:
        result = tx.connection.execute(select(literal(b"\0\xff")))
        assert result.cursor.pgresult.fformat(0) == 1  # type: ignore[union-attr]
        assert result.scalar_one() == b"\0\xff"


def refused(address: str, kind: type[StorageError], *, create: bool = False) -> str:
    """Return the message with which a database is refused: one line without the password."""
    with pytest.raises(kind) as caught:
        open_database(address, create=create)
    said = str(caught.value)
    assert "\n" not in said
    for part in (PASSWORD, "p/w", "w:d", "d@ä", "secret"):
        assert part not in said
    return said


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://",
        "postgresql://host",
        "postgresql://ann:se/secret@host/news",
        "postgresql://ann:p@secret@host/news",
        "postgresql://ann:p:secret@host/news#x",
        "postgresql://ann:1/2secret@host/news",
        "postgresql://host:secret/news",
        "postgresql://ann:secret@host/news?nonsense=1",
        "postgresql://ann:%zzsecret@host/news",
        "mysql://ann:secret@host/news",
    ],
)
@pytest.mark.usefixtures("server")  # with the library that reads addresses
def test_a_wrong_address_is_refused_and_not_shown(address: str) -> None:
    assert "write postgresql://USER:PASSWORD@HOST" in refused(address, WrongAddress)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.opening.postgresql_database.psycopg", None)
    assert "iscore-news[postgresql]" in refused("postgresql://ann:secret@host/news", NoDriver)


def test_without_a_server_it_says_so(server: PostgresqlServer) -> None:
    with socket.socket() as taken:  # nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        said = refused(f"postgresql://ann:secret@127.0.0.1:{port}/news", NoServer)
    assert said == f"The database postgresql://127.0.0.1:{port}/news cannot be opened: Connection refused."


def test_a_wrong_password_and_a_missing_database_are_named(server: PostgresqlServer) -> None:
    assert "password authentication failed" in refused(server.loopback_address("postgres", "secret"), NoServer)
    assert 'database "nothing" does not exist' in refused(server.loopback_address("nothing"), NoServer)


def test_the_right_password_opens(server: PostgresqlServer, new_on_server: str) -> None:
    with open_database(server.loopback_address(new_on_server)) as database, database.read() as tx:
        assert users.get(tx, LOCAL_USER).seed == 7
    assert PASSWORD not in repr(vars(database)["name"])


def test_an_empty_database_stays_empty_until_it_is_made(server: PostgresqlServer, empty: str) -> None:
    assert "iscore init" in refused(server.address(empty), MissingDatabase)
    assert server.execute("SELECT * FROM pg_tables WHERE schemaname = 'public'", empty) == []
    open_database(server.address(empty), create=True, seed=3).close()
    with open_database(server.address(empty), create=True, seed=4) as database, database.read() as tx:
        assert users.get(tx, LOCAL_USER).seed == 3


def test_many_can_create_at_once(server: PostgresqlServer, empty: str) -> None:
    start, failed = threading.Barrier(3), []

    def create() -> None:
        start.wait()
        try:
            open_database(server.address(empty), create=True).close()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=create) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert server.execute("SELECT count(*) FROM users", empty) == [(1,)]


@pytest.mark.parametrize("table", ["shelves", "alembic_version"])
def test_another_programs_tables_are_left_alone(server: PostgresqlServer, empty: str, table: str) -> None:
    server.execute(f"CREATE TABLE {table} (version_num text)", empty)
    for create in (False, True):
        assert "another program's" in refused(server.address(empty), NotADatabase, create=create)
    assert server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", empty) == [(table,)]


def test_a_newer_schema_is_refused_and_left_alone(server: PostgresqlServer, empty: str) -> None:
    open_database(server.address(empty), create=True).close()
    server.execute("UPDATE alembic_version SET version_num = '9999'", empty)
    assert "9999" in refused(server.address(empty), UnknownSchema, create=True)
    assert server.execute("SELECT version_num FROM alembic_version", empty) == [("9999",)]


def test_a_user_without_rights_is_refused(server: PostgresqlServer, empty: str) -> None:
    server.execute("CREATE ROLE guest LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA public TO guest", empty)
    guest = server.loopback_address(empty).replace(
        server.loopback_address("").rpartition("@")[0], "postgresql://guest:secret"
    )
    try:
        assert "permission denied for schema public" in refused(guest, NoRights, create=True)
        open_database(server.address(empty), create=True).close()
        assert "permission denied" in refused(guest, NoRights)
        server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest", empty)
        assert "no right to DELETE alembic_version, DELETE app_passwords, " in refused(guest, NoRights)
        server.execute("ALTER ROLE guest SET default_transaction_read_only = on", empty)
        open_database(guest).close()
        server.execute(
            "ALTER ROLE guest RESET ALL; GRANT ALL ON ALL TABLES IN SCHEMA public TO guest; "
            "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO guest; CREATE TABLE of_others (id serial)",
            empty,
        )
        open_database(guest).close()
    finally:
        server.execute("DROP OWNED BY guest; DROP ROLE guest", empty)


def test_a_read_only_copy_can_be_read(server: PostgresqlServer, empty: str) -> None:
    open_database(server.address(empty), create=True).close()
    server.execute(f"ALTER DATABASE {empty} SET default_transaction_read_only = on")
    with open_database(server.address(empty)) as database:
        with database.read() as tx:
            assert users.get(tx, LOCAL_USER).name == "local"
        with pytest.raises(DatabaseReadOnly), database.write() as tx:
            users.add(tx, "second", 0)


@pytest.mark.parametrize("facts", ["feedback", "decisions", "reading_events", "rounds"])
def test_facts_cannot_be_emptied(database: Database, facts: str) -> None:
    with pytest.raises(DatabaseFailed, match=f"{facts} is append-only"), database.write() as tx:
        tx.connection.exec_driver_sql(f"TRUNCATE {facts} CASCADE")


def test_ids_are_found_by_their_beginning_in_every_language(server: PostgresqlServer) -> None:
    """Where letters are compared as in a dictionary, a range of ids has others in it."""
    server.execute("CREATE DATABASE dictionary TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
    try:
        with open_database(server.address("dictionary"), create=True) as database:
            newsroom = Newsroom(database)
            newsroom.follow("https://example.org/feed")
            newsroom.articles(20)
            with database.read() as tx:
                for seq, name in enumerate(articles.ids(tx, range(1, 21)), start=1):
                    assert seq in articles.find(tx, LOCAL_USER, name[:4])
            with database.read() as tx:
                query = "SELECT count(*) FROM articles WHERE id BETWEEN 'a' AND 'a~' AND id NOT LIKE 'a%%'"
                assert tx.connection.exec_driver_sql(query).scalar_one() == 0
    finally:
        server.drop("dictionary")


def test_long_texts_and_words_are_searched_as_far_as_the_index_goes(newsroom: Newsroom, database: Database) -> None:
    words = " ".join(f"word{number}" for number in range(40_000))
    newsroom.poll(
        newsroom.entry("long", text=f"{words} {'x' * 30_000} last"),
        newsroom.entry("often", text="same " * 100_000 + "rare end"),
    )
    newsroom.assess()
    with database.read() as tx:
        for query, expected in {"word7": [1], '"word7 word8"': [1], "word39999": [1], "same": [2], "rare": [2]}.items():
            assert search.find(tx, LOCAL_USER, search.parse(query), EVERYTHING) == expected


def test_a_later_revision_runs_and_a_failed_one_changes_nothing(
    server: PostgresqlServer, empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_database(server.address(empty), create=True, seed=7).close()
    with monkeypatch.context() as failing:
        next_program(failing, tmp_path / "failing", "INSERT INTO no_such_table VALUES (1)")
        assert "no_such_table" in refused(server.address(empty), DatabaseFailed)
    assert server.execute("SELECT version_num FROM alembic_version", empty) == [(REVISIONS[-1],)]
    with monkeypatch.context() as working:
        next_program(
            working,
            tmp_path / "working",
            "ALTER TABLE users ADD COLUMN shelf TEXT",
        )
        with open_database(server.address(empty)) as migrated:
            assert migrated.revision() == "next"
    query = "SELECT collation_name FROM information_schema.columns WHERE column_name = 'shelf'"
    assert server.execute(query, empty) == [("C",)]


@pytest.mark.long
def test_a_server_ends_with_the_tests_that_started_it_however_they_end(server: PostgresqlServer) -> None:
    program = "from tests.servers.postgresql import running\nwith running() as it: print(it.port, it.folder); input()"
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        port, folder = tests.stdout.readline().split()
        socket.create_connection(("127.0.0.1", int(port))).close()
        tests.kill()
        assert tests.stdout.read() == ""  # ends when nobody can write to it any more
    assert not Path(folder).exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)))


def test_a_connection_is_given_up_when_its_network_is_silent(server: PostgresqlServer, empty: str) -> None:
    address = server.loopback_address(empty)
    for database, seconds in (
        (open_database(address, create=True), 40),
        (open_database(f"{address}?keepalives_idle=100"), 130),
    ):
        with database, database.read() as tx:
            connection = tx.connection.connection.driver_connection
            assert connection is not None
            with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as ours:
                idle, every, times, unanswered = (
                    ours.getsockopt(socket.IPPROTO_TCP, option)
                    for option in (
                        socket.TCP_KEEPIDLE,
                        socket.TCP_KEEPINTVL,
                        socket.TCP_KEEPCNT,
                        socket.TCP_USER_TIMEOUT,
                    )
                )
                assert (idle + every * times, unanswered) == (seconds, 30_000)
