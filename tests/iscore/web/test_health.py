"""What starts and watches the server: whether it runs, and whether it is ready."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing
from pathlib import Path

import pytest

from iscore.web.api.health import NO_ANSWER, OTHER_TABLES, Readiness
from storage.opening.database import Database, open_database, unchecked
from storage.schema import REVISIONS
from tests.iscore.web.conftest import NOW
from tests.iscore.web.in_process import site
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer


@pytest.fixture
def address(postgresql_server: PostgresqlServer) -> str:
    """A new database of a server of PostgreSQL."""
    return postgresql_server.address(postgresql_server.create())


def set_revision(database: Database, revision: str) -> None:
    with database.write() as tx:
        tx.connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")


def problem(readiness: Readiness) -> str:
    return asyncio.run(readiness.problem())


def test_anybody_may_ask_whether_it_works_under_any_name(empty_home: Path) -> None:
    with site(empty_home, NOW) as running:
        browser = running.client(host="iscore:8473")
        for path in ("/healthz", "/readyz"):
            answer = browser.get(path)
            assert (answer.status, answer.body) == (200, "OK\n")
            assert "set-cookie" not in answer.headers
            assert browser.post(path, {}).status == 405
        assert browser.get("/").status == 421


def test_it_is_not_ready_with_tables_of_another_version_and_says_so_once(empty_home: Path) -> None:
    with open_database(empty_home / "iscore.db") as database, site(empty_home, NOW, complaints=2) as running:
        set_revision(database, "0001")
        for _ in range(2):
            answer = running.client().get("/readyz")
            assert (answer.status, answer.body) == (503, f"{OTHER_TABLES}\n")
        assert running.client().get("/healthz").status == 200
        set_revision(database, REVISIONS[-1])
        assert running.client().get("/readyz").status == 200
        assert "0001" in running.logged[0]


def test_it_knows_the_tables_of_a_server(address: str) -> None:
    logged: list[str] = []
    with open_database(address, create=True) as database:
        readiness = Readiness(database, logged.append)
        assert problem(readiness) == ""
        set_revision(database, "9999")
        assert problem(readiness) == OTHER_TABLES
    assert len(logged) == 1


def test_a_server_that_is_silent_or_gone_makes_nobody_wait() -> None:
    if postgresql.missing():
        pytest.skip(postgresql.missing())
    logged: list[str] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        where = f"postgresql://me:secret@127.0.0.1:{silent.getsockname()[1]}/news"
        readiness = Readiness(unchecked(where), logged.append, patience=0.05)
        assert problem(readiness) == problem(readiness) == NO_ANSWER
    readiness = Readiness(unchecked(where), logged.append)
    assert problem(readiness) == NO_ANSWER
    assert len(logged) == 2
    assert not any("secret" in line for line in logged)
