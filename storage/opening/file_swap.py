"""Puts another database into the place of one that may be in use, may be damaged, and must not be lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from storage.engine.errors import DatabaseBusy, NotADatabase, StorageError
from storage.opening import creation
from storage.opening.sqlite_database import SqliteDatabase

_COMPANIONS = ("-wal", "-shm", "-journal")
_PATIENCE = 2.0
"""Seconds to wait for other processes to close the database: a verdict ends in time, a poll does not."""


def swap_files(path: Path, new: Path, kept: Path) -> None:
    """Make the file ``new`` the database at ``path``, and what was there the file ``kept``, which must not exist.

    Nobody else may have the database open: a process that goes on writing would mix two databases. A damaged file
    cannot be locked, and is moved as it is with SQLite's companions. When this fails, ``path`` is as it was. Raises
    ``DatabaseBusy`` and other ``StorageError``.
    """
    whole = False
    try:
        if not path.exists():
            new.rename(path)
            return
        if kept.exists():
            raise FileExistsError(17, "is there already", str(kept))
        with out_of_use(path) as connection:
            whole = connection is not None
            if not whole:
                for companion in _COMPANIONS:
                    with suppress(FileNotFoundError):
                        path.with_name(path.name + companion).rename(kept.with_name(kept.name + companion))
            keep(path, kept)
            new.replace(path)
    except OSError as error:
        raise creation.from_system(path, error) from error
    # SQLite would clean up beside a file that it cannot read, and the user may want to rescue that.
    for each in (kept, path) if whole else (path,):
        with suppress(StorageError, sqlite3.Error):
            SqliteDatabase(each).enable_wal()


def keep(path: Path, kept: Path) -> None:
    """Link the old file under a second name, so that there is a database at ``path`` at every moment."""
    try:
        kept.hardlink_to(path)
    except OSError:  # a file system without links
        path.rename(kept)


@contextmanager
def out_of_use(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Lock out all other processes, with the logs written back into the file; yield the connection that has the lock.

    None if that is not possible, since the file is no database any more. Without an error the file is left without
    write-ahead logging. Raises ``DatabaseBusy``.
    """
    try:
        creation.check_file(path)
    except NotADatabase:
        yield None
        return
    locked = False
    uri = f"file:{quote(str(path))}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
        try:
            # SQLite leaves write-ahead logging only when no other connection is left.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN EXCLUSIVE")
            locked = True
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise DatabaseBusy(path) from error
        try:
            yield connection if locked else None
        except BaseException:
            if locked:
                connection.execute("ROLLBACK")
                connection.execute("PRAGMA journal_mode = WAL")
            raise
