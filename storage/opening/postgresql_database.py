"""A database on a server, by PostgreSQL and psycopg.

A transaction that reads sees one moment (REPEATABLE READ). One that writes takes an advisory lock before anything else,
and then sees what was committed before (READ COMMITTED), so that a second writer sees all that the first one did:

    write(ARRIVALS)   one at a time           write(user_id)   one at a time for each user
    write()           alone: the others' lock on the whole is shared

The numbers of articles, and those of a user's log, are given under such a lock: a lower one never appears later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import cache
from time import monotonic
from typing import Any

from sqlalchemy import QueuePool, create_engine, event, func, select
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from storage.engine import changes
from storage.engine.base_database import BUSY_TIMEOUT, Database, Transaction
from storage.engine.errors import (
    DatabaseBusy,
    DatabaseFailed,
    DatabaseReadOnly,
    DiskFull,
    MissingDatabase,
    NoDriver,
    NoRights,
    NoServer,
    NotADatabase,
    StorageError,
    UnknownSchema,
    WrongAddress,
)
from storage.opening import creation, postgresql_schema
from storage.people import users
from storage.records.users import Role
from storage.schema import APPLICATION_ID, REVISIONS, metadata

try:
    import psycopg
    import psycopg.conninfo
except ImportError:  # the extra is not installed
    psycopg = None

LISTED = 3
"""Missing rights that are named."""
CONNECT_TIMEOUT = 10
"""Seconds to wait for a server that does not answer; an address may say otherwise."""
SILENCE = {
    "keepalives_idle": 10,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""After 30 to 40 seconds without a sign of life from the server's machine a connection is given up; an address may say
otherwise. Linux alone would wait for two hours, and a worker whose network was down for a while with it."""
UNCHECKED = 0.1
"""Seconds after which it is asked whether the server still knows a connection. A round begins 20 transactions."""
IDLE_TIMEOUT = 60.0
"""Seconds after which the server undoes a transaction that writes, if its process does nothing: it was stopped, or the
network is down, and others wait for its locks."""
_WHOLE = -1
"""The lock that everybody shares who writes a part."""
_NAME = re.compile(r"(?:[\w.:,%-]+|/[\w./ -]*)?")
_PORT = re.compile(r"[\d,]*")
_DATABASE = re.compile(r"[\w. $-]*")

# By SQLSTATE, see PostgreSQL's "Error Codes".
_WITH_DETAIL: dict[str, Callable[[str, str], StorageError]] = {
    **dict.fromkeys(("08000", "08003", "08006", "53300", "57P01", "57P02", "57P03"), NoServer),
    "42501": NoRights,
}
_BY_STATE: dict[str, Callable[[str], StorageError]] = {
    **dict.fromkeys(("40P01", "55P03", "57014"), DatabaseBusy),
    "25006": DatabaseReadOnly,
    "53100": DiskFull,
}
_PLAIN = {"no_parameters": True}  # several statements at once, without %


class PostgresqlDatabase(Database):
    """One database of a server. Connections are made when they are needed."""

    def __init__(self, address: str, *, busy_timeout: float = BUSY_TIMEOUT) -> None:
        if psycopg is None:
            raise NoDriver
        self._parameters = _parameters(address)
        self.name = _shown(self._parameters)
        self._wait = int(busy_timeout * 1000)
        self._engine = create_engine(
            "postgresql+psycopg://",
            creator=self._connect,
            poolclass=QueuePool,
            max_overflow=30,
            use_native_hstore=False,
        )
        event.listen(self._engine, "checkin", _note_use)
        event.listen(self._engine, "checkout", _check)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ") as tx:
            yield tx

    @contextmanager
    def write(self, of: int | None = None, *, durable: bool = False, marks_only: bool = False) -> Iterator[Transaction]:
        with self.locked(of, durable=durable) as tx:
            yield tx
            written = tx.connection.exec_driver_sql("SELECT pg_current_xact_id_if_assigned() IS NOT NULL").scalar_one()
            if marks_only or written:
                changes.count(tx, of, marks_only=marks_only)

    @contextmanager
    def write_work(self) -> Iterator[Transaction]:
        # A claim that a crash of the server undid would be given again, with the same fence.
        with self._transaction(f"BEGIN ISOLATION LEVEL READ COMMITTED; {self._limits(durable=True)}") as tx:
            yield tx

    @contextmanager
    def locked(self, of: int | None = None, *, durable: bool = False) -> Iterator[Transaction]:
        """Like ``write``, but count no change: an older schema has no table for that."""
        begin = f"BEGIN ISOLATION LEVEL READ COMMITTED; {self._limits(durable=durable)}"
        if of is None:
            begin += f"; SELECT pg_advisory_xact_lock({APPLICATION_ID}, {_WHOLE})"
        else:
            begin += f"; SELECT pg_advisory_xact_lock_shared({APPLICATION_ID}, {_WHOLE})"
            begin += f"; SELECT pg_advisory_xact_lock({APPLICATION_ID}, {of:d})"
        with self._transaction(begin) as tx:
            yield tx

    def version(self) -> Hashable:
        """Return which transactions of the server a new one would see."""
        try:
            with self._engine.connect() as connection:
                return str(connection.exec_driver_sql("SELECT pg_current_snapshot()::text").scalar_one())
        except SQLAlchemyError as error:
            raise self.translated(error) from error

    def shrink(self) -> None:
        """Leave that to the server, which does it by itself."""

    def rewrite(self) -> None:
        """Leave that to the server, too."""

    def size(self) -> int:
        with self.read() as tx:
            query = "SELECT pg_database_size(current_database())"
            return int(tx.connection.exec_driver_sql(query).scalar_one())

    def close(self) -> None:
        self._engine.dispose()

    def _limits(self, *, durable: bool = False) -> str:
        return (
            f"SET LOCAL synchronous_commit = {'on' if durable else 'off'}; SET LOCAL lock_timeout = {self._wait}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {int(IDLE_TIMEOUT * 1000)}"
        )

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(begin, execution_options=_PLAIN)
                yield Transaction(connection)  # an exception leaves `with`, which rolls back
                connection.commit()
        except SQLAlchemyError as error:
            raise self.translated(error) from error

    def _connect(self) -> psycopg.Connection[Any]:
        # Transactions begin where we say so.
        connection = psycopg.connect(**self._parameters, autocommit=True, cursor_factory=_binary_cursor())
        # Our statements end sooner than they could be compiled; pages are in memory or on an SSD, where finding a
        # thousand rows of a large table costs less than reading the whole; and of what comes in pieces all is read.
        connection.execute("SET jit = off; SET random_page_cost = 1.1; SET cursor_tuple_fraction = 1")
        return connection

    def translated(self, error: SQLAlchemyError) -> StorageError:
        """Return our error for one of SQLAlchemy's or psycopg's."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        state = getattr(cause, "sqlstate", None) or ""
        detail = _one_line(str(cause))
        if isinstance(cause, psycopg.OperationalError) and not state:
            return NoServer(self.name, detail.rpartition(" failed: ")[2])
        if state in _WITH_DETAIL:
            return _WITH_DETAIL[state](self.name, detail)
        return _BY_STATE[state](self.name) if state in _BY_STATE else DatabaseFailed(self.name, detail)


def _note_use(_: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
    record.info["used"] = monotonic()


def _check(connection: DBAPIConnection, record: ConnectionPoolEntry, _: PoolProxiedConnection) -> None:
    """Make another connection if this one was not used just now, and was closed: the server was restarted."""
    if monotonic() - record.info.get("used", monotonic()) > UNCHECKED:
        try:
            connection.cursor().execute("")
        except psycopg.Error as error:
            raise InvalidatePoolError from error


@cache
def _binary_cursor() -> type[psycopg.Cursor[Any]]:
    """Return a cursor that gets values as they are: as text, bytes take twice the room, and numbers are read again."""

    class BinaryCursor(psycopg.Cursor[Any]):  # type: ignore[misc]  # mypy skips what is optional
        def execute(self, query: Any, params: Any = None, **how: Any) -> Any:
            # Several statements at once, which have no parameters, are answered as text.
            return super().execute(query, params, binary=params is not None, **how)

    return BinaryCursor


def open_address(
    address: str, *, create: bool, seed: int, busy_timeout: float, progress: creation.Progress | None
) -> PostgresqlDatabase:
    """Open an address, like ``storage.opening.database.open_database``."""
    database = PostgresqlDatabase(address, busy_timeout=busy_timeout)
    try:
        revision = _known_revision(database)
        if revision is None and not create:
            raise MissingDatabase(database.name)
        if revision != REVISIONS[-1]:
            with database.locked(durable=True) as tx:
                _bring_up_to_date(database, tx, seed, progress)
        with database.read() as tx:
            if not _is_read_only(tx):  # a copy that can be read only is read
                _check_rights(database, tx)
    except BaseException:
        database.close()
        raise
    return database


def inspect(address: str) -> tuple[str, dict[str, int]]:
    """Return the revision of the schema, and how many rows each of our tables has.

    Raises ``MissingDatabase``, ``NotADatabase``, ``UnknownSchema``, ``NoRights`` for a user who may not change
    everything, ``DatabaseReadOnly`` or another ``StorageError``.
    """
    with PostgresqlDatabase(address) as database:
        revision = _known_revision(database)
        if revision is None:
            raise MissingDatabase(database.name)
        with database.read() as tx:
            if _is_read_only(tx):
                raise DatabaseReadOnly(database.name)
            _check_rights(database, tx)
            names = sorted(postgresql_schema.tables(tx) & set(metadata.tables))
            counts = {name: select(func.count()).select_from(metadata.tables[name]) for name in names}
            return revision, {name: tx.connection.execute(query).scalar_one() for name, query in counts.items()}


def _is_read_only(tx: Transaction) -> bool:
    return bool(tx.connection.exec_driver_sql("SHOW transaction_read_only").scalar_one() == "on")


def _check_rights(database: PostgresqlDatabase, tx: Transaction) -> None:
    """Raise ``NoRights`` for a user who may not change everything."""
    if missing := postgresql_schema.missing_rights(tx):
        more = f" and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        raise NoRights(database.name, f"no right to {', '.join(missing[:LISTED])}{more}")


def _bring_up_to_date(
    database: PostgresqlDatabase, tx: Transaction, seed: int, progress: creation.Progress | None
) -> None:
    revision = _known_revision(database)  # another process may have been faster
    if revision is None:
        make_tables(database, tx)
        users.add(tx, "local", seed, role=Role.ADMIN)
    elif revision != REVISIONS[-1]:
        creation.migrate(tx, progress)
        postgresql_schema.compare_bytes(tx)


def make_tables(database: PostgresqlDatabase, tx: Transaction) -> None:
    """Make iScore's tables in an empty database. Raises ``NotADatabase`` if it cannot have all languages."""
    encoding = tx.connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise NotADatabase(database.name, f"a database in {encoding}, without `--encoding UTF8`")
    postgresql_schema.create(tx)


def options(address: str) -> list[str]:
    """Return the options with which the server's own programs find a database, which comes last; without password.

    >>> options("postgresql://ann:secret@db.example:5433/news")
    ['--host=db.example', '--port=5433', '--username=ann', 'news']
    """
    found = _parameters(address)
    named = (("host", "host"), ("port", "port"), ("user", "username"))
    return [*(f"--{option}={found[name]}" for name, option in named if found.get(name)), str(found["dbname"])]


def _known_revision(database: PostgresqlDatabase) -> str | None:
    """Return the revision of the schema; None if the database is empty. Raises ``NotADatabase``, ``UnknownSchema``."""
    with database.read() as tx:
        names = postgresql_schema.tables(tx)
        if not names:
            return None
        if not postgresql_schema.is_ours(tx):
            raise NotADatabase(database.name, "another program's database")
    revision = database.revision()
    if revision not in REVISIONS:
        raise UnknownSchema(database.name, revision)
    return revision


def _parameters(address: str) -> dict[str, Any]:
    """Return what an address says, for the driver. Raises ``WrongAddress``.

    A password with characters that mean something in an address would be taken for a part of host, port or database,
    and be shown.
    """
    try:
        found = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError:
        raise WrongAddress("cannot be understood") from None
    for part, allowed in (("host", _NAME), ("port", _PORT), ("dbname", _DATABASE)):
        if not allowed.fullmatch(str(found.get(part) or "")):
            raise WrongAddress(f"has characters in its {part} that cannot be there")
    if not found.get("dbname"):
        raise WrongAddress("names no database")
    return {"connect_timeout": CONNECT_TIMEOUT, "application_name": "iscore", **SILENCE, **found}


def _shown(parameters: dict[str, Any]) -> str:
    port = f":{parameters['port']}" if parameters.get("port") else ""
    return f"postgresql://{parameters.get('host') or 'localhost'}{port}/{parameters['dbname']}"


def _one_line(text: str) -> str:
    """Return the first line of a message of the server, as part of a sentence."""
    first = text.strip().splitlines()[0] if text.strip() else "no reason given"
    return re.sub(r"\b(?:FATAL|ERROR):\s+", "", first).rstrip(".")
