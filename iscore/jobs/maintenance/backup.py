"""``iscore backup``: a data folder in one file, made while it is in use.

    iscore.db ─► SQLite's backup ─► copy ─► checked ─► archive ─► read back and compared ─► FILE

The copy is the database at one moment, whatever other processes write meanwhile.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shlex import quote

from iscore.core.data_folder import DataFolder
from iscore.core.errors import os_problem
from iscore.jobs.maintenance import archive
from iscore.jobs.maintenance.archive import ARCHIVE, EXISTS, BackupError, give_name, sync_folder, temporary_folder
from storage.engine.errors import DatabaseDamaged, NotADatabase, UnknownSchema
from storage.opening import creation
from storage.opening.diagnostics import inspect, server_options
from storage.opening.sqlite_database import SqliteDatabase


@dataclass(frozen=True, slots=True)
class BackupView:
    """What was backed up."""

    file: Path
    bytes: int
    articles: int
    verdicts: int
    """Rows of the log, including undone ones."""
    feeds: int
    schema: str


def back_up(source: DataFolder, file: Path, *, at: datetime, replace: bool = False) -> BackupView:
    """Back up a data folder into ``file``; if that is a folder, the file name is the time.

    An existing file is only overwritten with ``replace``, and only by a finished backup. When this returns, the backup
    was read back and is on disk. Raises ``DataFolderError``, ``BackupError``, ``StorageError``.
    """
    source.require()
    require_file(source, file)
    if file.is_dir():
        file = file / f"iscore-{at:%Y-%m-%d-%H%M%S}.zip"
    if file.exists() and not replace:
        raise BackupError(file, EXISTS)
    if not file.parent.is_dir():
        raise BackupError(file, "cannot be written: no such folder")
    try:
        # Beside the target, so that a rename finishes it. Only its owner may read it.
        with temporary_folder(file) as folder:
            view = _write(source, file, folder, at)
            give_name(folder / ARCHIVE, file, replace=replace)
            sync_folder(file.parent)
    except FileExistsError as error:
        raise BackupError(file, EXISTS) from error
    except OSError as error:
        raise BackupError(file, f"cannot be written: {os_problem(error)}") from error
    return view


def require_file(folder: DataFolder, file: Path, program: str = "pg_dump --format=custom --file=FILE") -> None:
    """Raise ``BackupError`` if the database is on a server, which has its own ``program`` for that."""
    if folder.database_address:
        *where, name = map(quote, server_options(folder.database_address))
        place = f"--dbname={name} FILE" if program.startswith("pg_restore") else name
        command = " ".join((program, *where, place))
        files = ", ".join(path.name for path in _texts(folder).values() if path.exists())
        keep = f"; keep {files} of {folder.path}, too" if files else ""
        raise BackupError(file, f"the database is on a server, which has its own way: `{command}`{keep}")


def _write(source: DataFolder, file: Path, folder: Path, at: datetime) -> BackupView:
    copy, unfinished = folder / archive.DATABASE, folder / ARCHIVE
    creation.check_file(source.database)
    SqliteDatabase(source.database).backup(copy)
    try:
        found = inspect(copy)
    # The copy has what the original has.
    except DatabaseDamaged as error:
        raise DatabaseDamaged(source.database, error.detail) from error
    except UnknownSchema as error:
        raise UnknownSchema(source.database, error.revision) from error
    except NotADatabase as error:
        raise NotADatabase(source.database, error.what) from error
    files = {archive.DATABASE: copy}
    files |= {name: path for name, path in _texts(source).items() if path.exists()}
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as target:
        archive.write(target, files, made=at, schema=found.revision, rows=found.rows)
        target.flush()
        os.fsync(target.fileno())
    with archive.Archive(unfinished) as written:
        written.verify()
    return BackupView(
        file=file,
        bytes=unfinished.stat().st_size,
        articles=found.rows["articles"],
        verdicts=found.rows["feedback"],
        feeds=found.rows["subscriptions"],
        schema=found.revision,
    )


def _texts(source: DataFolder) -> dict[str, Path]:
    return {archive.CONFIG: source.config, archive.FEEDS: source.feeds, archive.RULES: source.rules}
