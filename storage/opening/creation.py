"""How a database file comes into being, is recognised, and gets the newest schema."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from storage.engine.errors import (
    DatabaseFailed,
    DatabaseReadOnly,
    DiskFull,
    MissingDatabase,
    NotADatabase,
    StorageError,
)
from storage.engine.transaction import Transaction
from storage.schema import APPLICATION_ID, REVISIONS

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parents[1] / "migrations"
PAGE_SIZE = 16384
"""Bytes of a page. Rows of articles and models fill larger pages better: such files are smaller."""
REVISION_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)

Progress = Callable[[int, int, str], None]
"""``progress(done, total, what)``."""

MAGIC = b"SQLite format 3\x00"
APPLICATION_ID_AT = 68
"""Offset of the application id: four bytes, big-endian (sqlite.org/fileformat2.html, section 1.3)."""


def check_file(path: Path) -> None:
    """Check by its first bytes whether SQLite may open this file: SQLite changes what it opens.

    Raises ``MissingDatabase``, ``NotADatabase``, or ``DatabaseReadOnly`` for a file that may not be read.
    """
    if path.is_dir():
        raise NotADatabase(path, "a folder")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        raise MissingDatabase(path) from None
    except OSError as error:
        raise from_system(path, error) from error
    if not header:
        raise NotADatabase(path, "an empty file")
    if not header.startswith(MAGIC):
        raise NotADatabase(path, "another kind of file")
    if int.from_bytes(header[APPLICATION_ID_AT : APPLICATION_ID_AT + 4], "big") != APPLICATION_ID:
        raise NotADatabase(path, "another program's database")


def is_writable(path: Path) -> bool:
    """Whether a database can be written: SQLite puts its log beside the file."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def new_private_file(target: Path) -> Path:
    """Make an empty file beside ``target``, readable by its owner only, to become ``target`` later."""
    unfinished = target.with_name(f"{target.name}.unfinished-{os.getpid()}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in ("", "-journal", "-wal", "-shm"):  # left by a process of the same number that was killed
            unfinished.with_name(unfinished.name + part).unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise from_system(target, error) from error
    return unfinished


def new_database_file(target: Path) -> Path:
    """Make an empty database beside ``target``, as ``new_private_file`` does.

    Size of the pages, and that pages can be given back one by one, cannot be changed once there are tables.
    """
    unfinished = new_private_file(target)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")  # writes both into the file
    return unfinished


def put_in_place(unfinished: Path, target: Path) -> bool:
    """Rename a finished database to its target, unless another process was faster: then that one's database stays.

    Return whether it is there.
    """
    done = True
    try:
        target.hardlink_to(unfinished)
    except FileExistsError:
        done = False
    except OSError:  # a file system without links
        done = not target.exists()
        if done:
            unfinished.rename(target)
    unfinished.unlink(missing_ok=True)
    return done


def make_tables(tx: Transaction) -> None:
    """Make the tables of the newest revision in an empty file, without Alembic, whose import takes longer."""
    for statement in (*statements(REVISIONS[-1]), REVISION_TABLE):
        tx.connection.exec_driver_sql(statement)
    tx.connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (REVISIONS[-1],))


def statements(revision: str) -> list[str]:
    """Return what makes the tables, indexes and triggers of a revision in an empty file."""
    return (MIGRATIONS / f"{revision}.sql").read_text("utf-8").removesuffix("\n").split("\n\n")


def migrate(tx: Transaction, progress: Progress | None = None) -> None:
    """Bring the schema up to the newest revision, within the transaction."""
    # Alembic costs half a second; only here is it needed.
    from alembic import command

    command.upgrade(_config(tx, progress), "head")


def stamp(tx: Transaction) -> None:
    """Record that the schema has the newest revision."""
    from alembic import command

    command.stamp(_config(tx, None), "head")


def sign(tx: Transaction) -> None:
    """Mark the file as ours."""
    tx.connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def from_system(path: Path, error: OSError) -> StorageError:
    """Translate an error of the operating system into one of ours."""
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return DatabaseReadOnly(path)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(path)
    return DatabaseFailed(path, error.strerror or str(error))


def _config(tx: Transaction, progress: Progress | None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = tx.connection
    config.attributes["progress"] = progress
    return config
