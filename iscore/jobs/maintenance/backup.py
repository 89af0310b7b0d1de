"""``iscore backup``: a copy of a home in one file, made while the home is in use.

    iscore.db ─► SQLite's backup ─► copy ─► checked ─► archive ─► read again, compared ─► FILE

The copy is the database of one moment, whatever others write meanwhile.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance import archive
from iscore.jobs.maintenance.errors import BackupError
from iscore.jobs.maintenance.file_replacement import TAKEN, give_name, settle
from iscore.jobs.maintenance.temporary_files import ARCHIVE, workplace
from storage import creation
from storage.database import Database
from storage.diagnostics import inspect
from storage.errors import DatabaseDamaged, NewerSchema, NotADatabase


@dataclass(frozen=True, slots=True)
class BackupView:
    """What a backup holds."""

    file: Path
    bytes: int
    articles: int
    verdicts: int
    """Rows of the log, undone ones included."""
    feeds: int
    schema: str


def back_up(home: DataFolder, file: Path, *, at: datetime, replace: bool = False) -> BackupView:
    """Write everything of a home into ``file``; into a folder, under a name with the time.

    The home is not changed. A file that is there is only overwritten with ``replace``, and only when the new one is
    finished. When this returns, the backup has been read again, and is on disk. Raises
    ``DataFolderError``, ``BackupError``, ``StorageError``.
    """
    home.require()
    if file.is_dir():
        file = file / f"iscore-{at:%Y-%m-%d-%H%M%S}.zip"
    if file.exists() and not replace:
        raise BackupError(file, TAKEN)
    if not file.parent.is_dir():
        raise BackupError(file, "cannot be written: there is no such folder")
    try:
        # Beside the target, so that the finished file gets its name in one step. Only its owner may look into it.
        with workplace(file) as folder:
            view = _made(home, file, folder, at)
            give_name(folder / ARCHIVE, file, replace=replace)
            settle(file.parent)
    except FileExistsError as error:
        raise BackupError(file, TAKEN) from error
    except OSError as error:
        raise BackupError(file, f"cannot be written: {error.strerror or error}") from error
    return view


def _made(home: DataFolder, file: Path, folder: Path, at: datetime) -> BackupView:
    copy, unfinished = folder / archive.DATABASE, folder / ARCHIVE
    creation.check_file(home.database)
    Database(home.database).backup(copy)
    try:
        found = inspect(copy)
    # As its original is.
    except DatabaseDamaged as error:
        raise DatabaseDamaged(home.database, error.detail) from error
    except NewerSchema as error:
        raise NewerSchema(home.database, error.revision) from error
    except NotADatabase as error:
        raise NotADatabase(home.database, error.what) from error
    files = {archive.DATABASE: copy}
    files |= {name: path for name, path in _texts(home).items() if path.exists()}
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


def _texts(home: DataFolder) -> dict[str, Path]:
    return {archive.CONFIG: home.config, archive.FEEDS: home.feeds, archive.RULES: home.rules}
