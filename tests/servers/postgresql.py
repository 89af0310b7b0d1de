"""A PostgreSQL server of the tests' own: in a temporary folder, on a Unix socket and a free port of the loopback.

Nothing waits for the disk. A new database takes as long as fifty statements, so tests that leave the schema as it is
use one after the other the same, emptied in between.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

USER, PASSWORD = "iscore", "p/w:d@ä"
"""The server's admin. They need the password on the loopback, and not on the socket."""
_OPTIONS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",  # its transactions would look like changes
    "shared_buffers": "64MB",
    "max_connections": "60",
}


def missing() -> str:
    """Return why there can be no server; empty if there can be one."""
    if find_spec("psycopg") is None:
        return "psycopg is not installed: the extra `postgresql`"
    return "" if _programs() else "the server of PostgreSQL is not installed"


@contextmanager
def running(
    address: str = "", environment: Mapping[str, str] | None = None, options: Mapping[str, str] | None = None
) -> Iterator[PostgresqlServer]:
    """Run a server, and remove all that is left of it, also when this process is killed.

    ``address``: another one at which it listens, for the 65,536 addresses that begin alike. ``environment``: variables
    that its processes have besides ours. ``options``: settings in place of the usual ones.
    """
    folder = Path(tempfile.mkdtemp(prefix="iscore-postgresql-"))
    # It reads from a pipe that has an end only when we close it, or when we are no more.
    command = ["/bin/sh", "-c", _CLEAN_UP, "clean-up", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):
        server = PostgresqlServer(folder, address, environment, options)
        server.start()
        yield server


_CLEAN_UP = """
read _
if read pid < "$1/data/postmaster.pid"; then
    kill -QUIT "$pid"  # at once, as a crash would
    for _ in $(seq 200); do [ -e "$1/data/postmaster.pid" ] && sleep 0.05; done
fi 2> /dev/null
rm -r "$1"
"""


def server_program(name: str) -> str:
    """Return the path of a program that comes with the server."""
    return str(_programs()["initdb"].with_name(name))


class PostgresqlServer:
    """A server with its files in a folder, which must be new."""

    def __init__(
        self,
        folder: Path,
        address: str = "",
        environment: Mapping[str, str] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._options = {**_OPTIONS, **(options or {})}
        self._addresses = ",".join(filter(None, ("127.0.0.1", address)))
        self._environment = {**os.environ, **(environment or {})}
        self.port = _free_port()
        self._data = str(folder / "data")
        self._made = 0
        self._resets: dict[str, str] = {}
        password = folder / "password"
        password.write_text(PASSWORD, "utf-8")
        self._user = None
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self._user = next(name for name in ("postgres", "nobody") if _exists(name))
            for path in (folder, password):
                shutil.chown(path, self._user)
        who = ("--username", USER, "--pwfile", str(password), "--auth-local=trust", "--auth-host=scram-sha-256")
        self._run("initdb", *who, "--no-sync", "--locale=C.UTF-8", "--encoding=UTF8")
        if address:
            with (folder / "data" / "pg_hba.conf").open("a") as file:
                file.write(f"host all all {address}/16 scram-sha-256\n")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = " ".join(f"-c {name}={value}" for name, value in self._options.items())
        options += f" -k {self.folder} -p {self.port} -c listen_addresses={self._addresses}"
        self._run("pg_ctl", "start", "--wait", "--silent", "-l", str(self.folder / "log"), "-o", options)

    def crash(self) -> None:
        """Stop the server at once, as a crash would."""
        self._run("pg_ctl", "stop", "--wait", "--silent", "--mode=immediate")

    def address(self, name: str) -> str:
        """Return the address of a database of the server's admin, by the socket."""
        return f"postgresql://{USER}@/{name}?host={quote(str(self.folder), safe='')}&port={self.port}"

    def loopback_address(self, name: str, password: str = PASSWORD) -> str:
        """Return the address of a database by the loopback, with a password."""
        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{name}"

    def create(self, template: str = "template0") -> str:
        """Create a database, as a copy of another that nobody uses, and return its name."""
        self._made += 1
        name = f"test_{self._made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, name: str) -> None:
        """Drop a database, also while somebody uses it."""
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Execute a statement in a database and return its rows, if it has any."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def processor_time(self) -> float:
        """Return the processor seconds of the processes that the server has now; Linux only."""
        main = Path(self._data, "postmaster.pid").read_text().split()[0]
        pids = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9

    def keep(self, database: str) -> None:
        """Remember what a database contains, for ``reset``."""
        rows = self.execute(
            "SELECT tablename, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', tablename), "
            "true, true, '')))[1]::text::int FROM pg_tables WHERE schemaname = 'public'",
            database,
        )
        statements = ["SET session_replication_role = replica"]  # without triggers and references
        statements += [f'DELETE FROM "{table}"' for table, _ in rows]
        self.execute("CREATE SCHEMA kept", database)
        for table in (table for table, count in rows if count):
            self.execute(f'CREATE TABLE kept."{table}" AS TABLE "{table}"', database)
            statements.append(f'INSERT INTO "{table}" TABLE kept."{table}"')
        query = "SELECT sequencename, coalesce(last_value, 0) + 1 FROM pg_sequences"
        statements += [f'ALTER SEQUENCE "{name}" RESTART {value}' for name, value in self.execute(query, database)]
        self._resets[database] = "; ".join(statements)

    def reset(self, database: str) -> None:
        """Empty a database, except for what it contained when it was kept."""
        self.execute(self._resets[database], database)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(_programs()[program]), *arguments, "-D", self._data]
        with (self.folder / "output").open("ab") as output:  # not a pipe, which the server would hold open
            subprocess.run(
                command, check=True, user=self._user, cwd="/", env=self._environment, stdout=output, stderr=output
            )


@cache
def _programs() -> dict[str, Path]:
    """Return where the server's programs are; empty without a server."""
    places = [os.environ.get("PATH", ""), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    for place in os.pathsep.join(places).split(os.pathsep):
        found = {name: Path(place, name) for name in ("initdb", "pg_ctl", "postgres")}
        if all(each.is_file() for each in found.values()):
            return {name: each.resolve() for name, each in found.items()}
    return {}


def _exists(user: str) -> bool:
    try:
        return bool(pwd.getpwnam(user))
    except KeyError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
