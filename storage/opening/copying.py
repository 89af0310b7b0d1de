"""Copies a database to another place, from a file to a server or back: every row of every table.

    source ─► rows ─► new tables ─► read again and compared ─► last numbers ─► search ─► committed

All is one transaction: until it is committed there is nothing at the target, and nothing stays if it fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Row, Table, func, insert, select, type_coerce
from sqlalchemy.types import NullType

from storage.engine.base_database import Database, Transaction
from storage.engine.bulk_insert import Bulk
from storage.engine.errors import CopyFailed, DatabaseBusy, DatabaseInUse, DatabaseReadOnly, NotADatabase, NotEmpty
from storage.opening import creation, postgresql_schema
from storage.opening.creation import Progress
from storage.opening.database import unchecked
from storage.opening.file_swap import out_of_use
from storage.opening.sqlite_database import SqliteDatabase
from storage.schema import metadata
from storage.stream import search_index

PIECE = 1000
"""Rows in memory at once."""
PATIENCE = 2.0
"""Seconds to wait for somebody who writes at this moment."""

_NO_LIMIT = "SET LOCAL idle_in_transaction_session_timeout = 0"
"""To load and check models takes minutes, in which the database is not asked."""
_COMMITS = "SELECT coalesce(sum(number + others), 0) FROM changes"
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = 'iscore' AND pid <> pg_backend_pid()"
)


class Copy(Database):
    """A copy before it is committed. All that reads and writes is one transaction, in one thread."""

    def __init__(self, name: str, tx: Transaction) -> None:
        self.name = name
        self._tx = tx

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        yield self._tx

    @contextmanager
    def write(
        self,
        of: int | None = None,  # noqa: ARG002 -- nobody else is there
        *,
        durable: bool = False,  # noqa: ARG002 -- as the whole
        marks_only: bool = False,  # noqa: ARG002 -- nobody has read anything yet
    ) -> Iterator[Transaction]:
        yield self._tx

    def write_work(self) -> AbstractContextManager[Transaction]:
        return self.read()

    def version(self) -> None:
        """Return None: nobody may cache what is not committed."""

    def shrink(self) -> None:
        """Do nothing: it is new."""

    def rewrite(self) -> None:
        """Do nothing: it is new."""

    def size(self) -> int:
        """Return 0: nothing is on the disk yet."""
        return 0

    def close(self) -> None:
        """Do nothing: it is closed when it is committed."""


@contextmanager
def copied(source: Database, where: Path | str, progress: Progress | None = None) -> Iterator[Copy]:
    """Copy ``source``, which has today's schema, and yield the copy. It is committed when the block ends without error.

    ``where`` is a file that does not exist, or the address of an empty database; ``progress(done, total, what)`` is
    called now and then. Raises ``NotEmpty``, ``CopyFailed``, and what ``open_database`` raises; then the source and
    ``where`` are as they were.
    """
    with ExitStack() as reading:
        tx = reading.enter_context(source.read())
        # Within: most errors are the target's, and name it.
        with _created(where) as copy, copy.read() as target:
            copy_rows(tx, target, progress)
            reading.close()
            search_index.fill(target, progress)
            yield copy


@contextmanager
def exclusive(where: Path | str) -> Iterator[int]:
    """Have a database with today's schema to oneself while the block runs; yield how many commits it has had so far.

    A file may be renamed within the block. Raises ``DatabaseInUse`` if somebody else has it open.
    """
    with ExitStack() as held:
        try:
            number = held.enter_context(_exclusive_file(where) if isinstance(where, Path) else _exclusive_server(where))
        except DatabaseBusy as error:
            raise DatabaseInUse(where if isinstance(where, Path) else unchecked(where).name) from error
        yield number


def copy_rows(source: Transaction, target: Transaction, progress: Progress | None = None) -> None:
    """Copy every row into empty tables, and compare what is there then. The next rows get the numbers that they would
    have got in the source."""
    tables = metadata.sorted_tables  # what others refer to first
    total = sum(source.connection.execute(select(func.count()).select_from(each)).scalar_one() for each in tables)
    done = 0
    for table in tables:
        copy_row = Bulk(insert(table), [column.name for column in table.columns])
        for rows in _pieces(source, table):
            copy_row.run(target, rows)
            done += len(rows)
            if progress is not None:
                progress(done, total, "copying the database")
        _set_last_number(target, table, _last_number(source, table))
    done = 0
    for table in tables:
        for rows, there in zip_longest(_pieces(source, table), _pieces(target, table)):
            if rows != there:
                raise CopyFailed(table.name)
            done += len(rows)
            if progress is not None:
                progress(done, total, "comparing the copy")


def _pieces(tx: Transaction, table: Table) -> Iterator[list[tuple[Any, ...]]]:
    """Yield all rows in the order of their keys, some at once, with values as both drivers take them."""
    flags = [place for place, column in enumerate(table.columns) if isinstance(column.type, Boolean)]
    columns: list[ColumnElement[Any]] = [type_coerce(column, NullType()) for column in table.columns]
    query = select(*columns).order_by(*table.primary_key).execution_options(yield_per=PIECE)
    with tx.connection.execute(query) as rows:
        for piece in rows.partitions():
            yield [_with_flags(row, flags) if flags else tuple(row) for row in piece]


def _with_flags(row: Row[Any], flags: list[int]) -> tuple[Any, ...]:
    """Return a row whose truth values are such: SQLite has 0 and 1."""
    values = list(row)
    for place in flags:
        if values[place] is not None:
            values[place] = bool(values[place])
    return tuple(values)


def _last_number(tx: Transaction, table: Table) -> int:
    """Return the last number that a table has given; rows that had the last ones may be gone."""
    column = table.autoincrement_column
    if column is None:
        return 0
    last = int(tx.connection.execute(select(func.coalesce(func.max(column), 0))).scalar_one())
    if tx.connection.dialect.name == "sqlite":
        if not _never_reuses(table):
            return last
        query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        given = tx.connection.exec_driver_sql(query, (table.name,)).scalar()
    else:
        sequence = tx.connection.execute(select(func.pg_get_serial_sequence(table.name, column.name))).scalar_one()
        query = f"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {sequence}"  # noqa: S608 -- its own name
        given = tx.connection.exec_driver_sql(query).scalar()
    return max(last, given or 0)


def _set_last_number(tx: Transaction, table: Table, number: int) -> None:
    column = table.autoincrement_column
    if column is None:
        return
    if tx.connection.dialect.name != "sqlite":
        sequence = func.pg_get_serial_sequence(table.name, column.name)
        tx.connection.execute(select(func.setval(sequence, number + 1, False)))
    elif _never_reuses(table):
        tx.connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table.name,))
        tx.connection.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table.name, number))


def _never_reuses(table: Table) -> bool:
    """Return whether SQLite remembers the last number, of a row that is gone, too."""
    return bool(table.dialect_options["sqlite"]["autoincrement"])


@contextmanager
def _exclusive_file(path: Path) -> Iterator[int]:
    if not creation.is_writable(path):
        raise DatabaseReadOnly(path)
    try:
        with out_of_use(path) as connection:
            if connection is None:
                raise NotADatabase(path, "a damaged file")
            yield int(connection.execute(_COMMITS).fetchone()[0])
    finally:
        if path.exists():
            SqliteDatabase(path).enable_wal()


@contextmanager
def _exclusive_server(address: str) -> Iterator[int]:
    from storage.opening.postgresql_database import PostgresqlDatabase

    with PostgresqlDatabase(address, busy_timeout=PATIENCE) as database, database.locked() as tx:
        tx.connection.exec_driver_sql(_NO_LIMIT)
        require_alone(database.name, tx)
        yield int(tx.connection.exec_driver_sql(_COMMITS).scalar_one())


def require_alone(name: str, tx: Transaction) -> None:
    """Raise ``DatabaseBusy`` if another process has a connection to the server's database ``name``."""
    if tx.connection.exec_driver_sql(_OTHERS).scalar_one():
        raise DatabaseBusy(name)


@contextmanager
def _created(where: Path | str) -> Iterator[Copy]:
    """Make tables without rows, and yield them before they are committed."""
    if isinstance(where, Path):
        with _created_file(where) as copy:
            yield copy
        return
    from storage.opening.postgresql_database import (  # a file needs none of it
        PostgresqlDatabase,
        make_tables,
    )

    with PostgresqlDatabase(where) as database, database.locked(durable=True) as tx:
        tx.connection.exec_driver_sql(_NO_LIMIT)
        if postgresql_schema.tables(tx):
            raise NotEmpty(database.name)
        make_tables(database, tx)
        yield Copy(database.name, tx)


@contextmanager
def _created_file(path: Path) -> Iterator[Copy]:
    if path.exists():
        raise NotEmpty(path)
    unfinished = creation.new_database_file(path)
    try:
        with SqliteDatabase(unfinished) as database:
            with database.write(durable=True) as tx:
                creation.make_tables(tx)
                creation.sign(tx)
                yield Copy(str(path), tx)
            database.enable_wal()
        if not creation.put_in_place(unfinished, path):
            raise NotEmpty(path)
    finally:
        unfinished.unlink(missing_ok=True)
