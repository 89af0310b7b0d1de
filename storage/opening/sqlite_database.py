"""A database in a file, by SQLite.

In WAL mode: readers never wait. Every transaction that writes begins with BEGIN IMMEDIATE, so that it waits at its
start and never fails half-way because another process wrote first.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import QueuePool, create_engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from storage.engine import changes
from storage.engine.base_database import BUSY_TIMEOUT, Database
from storage.engine.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFailed,
    DatabaseReadOnly,
    DiskFull,
    NotADatabase,
    StorageError,
    UnknownSchema,
)
from storage.engine.transaction import Transaction
from storage.opening import creation
from storage.opening.sqlite_dialect import COMPILED, URL
from storage.people import users
from storage.records.users import Role
from storage.schema import REVISIONS

NO_ROOM = frozenset({sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP})
"""SQLite's error codes when the disk has no room for the index of the log, which readers need as well."""

NO_ACCESS = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY_DIRECTORY})
"""SQLite's error codes when the folder may not have such an index."""

PAGES_AT_ONCE = 64
"""Pages that ``shrink`` gives back in one transaction: 1 MB."""

_open_here: Counter[tuple[int, int]] = Counter()
"""How many databases this process has open, by the device and number of their file.

To close a file by other means than SQLite's takes the locks of the whole process from it (POSIX). Another process then
takes itself for the last one, and deletes the log in which this one goes on writing. So a file that is open is not
looked into."""
_opening = threading.Lock()


class SqliteDatabase(Database):
    """One database file, open."""

    def __init__(self, path: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> None:
        self.path = path
        self.name = str(path)
        self.writable = creation.is_writable(path)
        self._busy_timeout = busy_timeout
        self._file: tuple[int, int] | None = None
        self._observer: sqlite3.Connection | None = None
        self._observers = 0
        self._observing = threading.Lock()
        shared = {"compiled_cache": COMPILED}
        self._engine = create_engine(URL, creator=self.connect, poolclass=QueuePool, execution_options=shared)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._transaction("BEGIN", "NORMAL") as tx:
            yield tx

    @contextmanager
    def write(self, of: int | None = None, *, durable: bool = False, marks_only: bool = False) -> Iterator[Transaction]:
        with self._transaction("BEGIN IMMEDIATE", "FULL" if durable else "NORMAL") as tx:  # all wait
            before = _rows_changed(tx)
            yield tx
            if marks_only or _rows_changed(tx) != before:
                changes.count(tx, of, marks_only=marks_only)

    @contextmanager
    def write_work(self) -> Iterator[Transaction]:
        with self._transaction("BEGIN IMMEDIATE", "NORMAL") as tx:
            yield tx

    def version(self) -> tuple[int, int] | None:
        try:
            with self._observing:
                if self._observer is None:
                    self._observer = self.connect()
                    self._observers += 1
                # Of a connection that never writes: SQLite does not count a connection's own commits.
                number = int(self._observer.execute("PRAGMA data_version").fetchone()[0])
                if isinstance(self._observer, _Frozen):  # it would never see the disk change
                    self._observer.close()
                    self._observer = None
                    return None
                return self._observers, number
        except sqlite3.Error as error:
            raise self.translated(error) from error

    def backup(self, target: Path) -> None:
        """Copy the database as it is now to ``target``, replacing it at the end; others may go on writing."""
        unfinished = creation.new_private_file(target)
        try:
            with closing(self.connect()) as source, closing(sqlite3.connect(unfinished)) as copy:
                source.backup(copy)
            unfinished.replace(target)
        except sqlite3.Error as error:
            raise self.translated(error) from error
        finally:
            unfinished.unlink(missing_ok=True)

    def integrity(self) -> list[str]:
        """Check every page, index and reference. What is wrong, in SQLite's words; empty when all is well."""
        try:
            with closing(self.connect()) as connection:
                found = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
                for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                    found.append(f"row {row} of {table} refers to something missing in {parent}")
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return found

    def shrink(self) -> None:
        try:
            with closing(self.connect()) as connection:
                (free,) = connection.execute("PRAGMA freelist_count").fetchone()
                for _ in range(0, free, PAGES_AT_ONCE):
                    # Each is a transaction of its own: others write in between. ``execute`` would give back one page.
                    connection.executescript(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise self.translated(error) from error

    def rewrite(self) -> None:
        try:
            with closing(self.connect()) as connection:
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise self.translated(error) from error

    def size(self) -> int:
        log = self.path.with_name(f"{self.path.name}-wal")
        return sum(file.stat().st_size for file in (self.path, log) if file.exists())

    def enable_wal(self) -> None:
        """Switch to write-ahead logging, for good: the file itself remembers it."""
        with closing(self.connect()) as connection:
            connection.execute("PRAGMA journal_mode = WAL")

    def close(self) -> None:
        self._engine.dispose()
        with self._observing:
            if self._observer is not None:
                self._observer.close()
            self._observer = None
        with _opening:
            if self._file is not None:
                _open_here[self._file] -= 1
            self._file = None

    def remember(self) -> None:
        """Count this as open."""
        found = self.path.stat()
        self._file = (found.st_dev, found.st_ino)
        _open_here[self._file] += 1

    @contextmanager
    def _transaction(self, begin: str, synchronous: str) -> Iterator[Transaction]:
        if begin != "BEGIN" and not self.writable:
            raise DatabaseReadOnly(self.path)
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA synchronous = {synchronous}")
                connection.exec_driver_sql(begin)
                if self.writable and isinstance(connection.connection.driver_connection, _Frozen):
                    connection.detach()  # closed afterwards: the next may find room
                    if begin != "BEGIN":
                        raise DiskFull(self.path)
                yield Transaction(connection)  # an exception leaves `with`, which rolls back
                connection.commit()
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise self.translated(error) from error

    def connect(self) -> sqlite3.Connection:
        """Open a connection of one's own; of a full or protected disk it can only read. Raises ``sqlite3.Error``."""
        try:
            # A missing file must not come into being.
            return self._opened("mode=rw" if self.writable else "mode=ro", sqlite3.Connection)
        except sqlite3.Error as error:
            log = self.path.with_name(f"{self.path.name}-wal")
            no_index = NO_ROOM if self.writable else NO_ROOM | NO_ACCESS
            if error.sqlite_errorcode not in no_index or (log.exists() and log.stat().st_size):
                raise
        # Nothing is in the log, and no user can write: the file may be read as it is.
        return self._opened("mode=ro&immutable=1", _Frozen)

    def _opened(self, how: str, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(str(self.path))}?{how}",
            uri=True,
            timeout=self._busy_timeout,
            isolation_level=None,  # transactions begin where we say so
            check_same_thread=False,  # the pool hands a connection to one thread at a time
            factory=factory,
        )
        connection.execute("PRAGMA foreign_keys = ON")
        try:
            connection.execute("PRAGMA cache_size = -32768")  # KiB: the working set of a poll; opens the log, too
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def translated(self, error: SQLAlchemyError | sqlite3.Error) -> StorageError:
        cause = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(cause, "sqlite_errorcode", 0)
        if code in NO_ROOM or code & 0xFF == sqlite3.SQLITE_FULL:
            return DiskFull(self.path)
        match code & 0xFF:  # the rest of the number is detail
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return DatabaseBusy(self.path)
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return DatabaseDamaged(self.path, str(cause))
            case sqlite3.SQLITE_READONLY:
                return DatabaseReadOnly(self.path)
            case sqlite3.SQLITE_CANTOPEN if not self.writable:
                return DatabaseReadOnly(self.path)
        return DatabaseFailed(self.path, str(cause))


def _rows_changed(tx: Transaction) -> int:
    """Return how many rows the connection of a transaction has changed so far."""
    connection = tx.connection.connection.driver_connection
    return connection.total_changes if isinstance(connection, sqlite3.Connection) else 0


class _Frozen(sqlite3.Connection):
    """A read-only connection to a database on a full or protected disk, without log and locks."""


def open_file(
    path: Path,
    *,
    create: bool = False,
    seed: int = 0,
    busy_timeout: float = BUSY_TIMEOUT,
    progress: creation.Progress | None = None,
) -> SqliteDatabase:
    """Do as ``storage.opening.database.open_database``, with a file."""
    path = path.absolute()
    if create and not path.exists():
        _create(path, seed, busy_timeout)
    with _opening:
        if not _is_open_here(path):
            creation.check_file(path)
        database = SqliteDatabase(path, busy_timeout=busy_timeout)
        database.remember()
    try:
        _bring_up_to_date(database, progress)
    except BaseException:
        database.close()
        raise
    return database


def _is_open_here(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:  # the check says what is wrong
        return False
    return _open_here[found.st_dev, found.st_ino] > 0


def _create(path: Path, seed: int, busy_timeout: float) -> None:
    """Make the database under another name first, so that a half-made one never bears the right name."""
    unfinished = creation.new_database_file(path)
    try:
        with SqliteDatabase(unfinished, busy_timeout=busy_timeout) as database:
            with database.write(durable=True) as tx:
                creation.make_tables(tx)
                creation.sign(tx)
                users.add(tx, "local", seed, role=Role.ADMIN)
            database.enable_wal()
        creation.put_in_place(unfinished, path)
    except OSError as error:
        raise creation.from_system(path, error) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _bring_up_to_date(database: SqliteDatabase, progress: creation.Progress | None) -> None:
    if _known_revision(database) == REVISIONS[-1]:
        return
    # Not by ``write``: an older schema has no table in which changes are counted.
    with database._transaction("BEGIN IMMEDIATE", "FULL") as tx:
        revision = _known_revision(database)  # another process may have migrated it while we waited
        if revision != REVISIONS[-1]:
            if progress is not None:
                progress(0, 0, "copying the database")
            database.backup(database.path.with_name(f"{database.path.name}.backup-{revision}"))
            creation.migrate(tx, progress)


def _known_revision(database: SqliteDatabase) -> str:
    try:
        revision = database.revision()
    except DatabaseFailed as error:
        if "no such table" not in str(error):
            raise
        # The mark is ours, the tables are not.
        raise NotADatabase(database.path, "a file without iScore's tables") from error
    if revision not in REVISIONS:
        raise UnknownSchema(database.path, revision)
    return revision
