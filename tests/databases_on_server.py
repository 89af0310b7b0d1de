"""Puts the databases of tests on a server: a file that a test makes contains only the name of one there.

So tests that were written for files run on PostgreSQL, with ``ISCORE_TEST_DATABASE=postgresql``: `make test` does that
with those where the database matters. Not those that read the file by themselves, or start a program that opens it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from storage.engine.base_database import Database
from storage.opening import database
from storage.opening.sqlite_database import open_file
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

WANTED = os.environ.get("ISCORE_TEST_DATABASE") == "postgresql"
_MARK = "on the server: "


class DatabasesOnServer:
    """A server, and what stands for its databases in folders."""

    def __init__(self, server: PostgresqlServer) -> None:
        self._server = server
        self._templates: dict[int, str] = {}
        self._opened: list[Database] = []

    def open(self, path: Path, *, create: bool = False, seed: int = 0, **how: Any) -> Database:
        """Open what stands for a file, like ``open_file``; a copy of the file is a copy of the database."""
        path = path.absolute()
        if create and not path.exists():
            self._copy(self._template(seed), path)
        if not path.is_file():
            return open_file(path)
        content = path.read_bytes()
        assert content.startswith(_MARK.encode()), "this test needs a file"
        name, place = content.decode().removeprefix(_MARK).splitlines()
        if place != str(path):
            self.close()  # nobody may use what is copied
            name = self._copy(name, path)
        opened = database.open_database(self._server.address(name), **how)
        self._opened.append(opened)
        return opened

    def close(self) -> None:
        """Close all connections; a database that is used again opens new ones."""
        for each in self._opened:
            each.close()

    def _template(self, seed: int) -> str:
        if seed not in self._templates:
            name = self._templates[seed] = self._server.create()
            database.open_database(self._server.address(name), create=True, seed=seed).close()
        return self._templates[seed]

    def _copy(self, template: str, path: Path) -> str:
        name = self._server.create(template)
        path.write_text(f"{_MARK}{name}\n{path}")
        return name


@contextmanager
def databases_on_server() -> Iterator[DatabasesOnServer]:
    """Open a database of a server wherever this process would open a file."""
    with postgresql.running() as server:
        databases = DatabasesOnServer(server)
        database.open_file = databases.open  # type: ignore[assignment]
        try:
            yield databases
        finally:
            databases.close()
            database.open_file = open_file
