"""``iscore restore``: a home as a backup has it; what was there before stays beside it.

    FILE ─► unpacked beside the home's files ─► checked ─► reminded of mail that has left since
                                                  └─► put in place, the old ones kept as *.before-restore-TIME

Everything that can be wrong with a backup is found before anything of the home is touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from iscore.core.data_folder import DataFolder
from iscore.core.errors import DataFolderError
from iscore.jobs.maintenance.archive import CONFIG, DATABASE, FEEDS, RULES, Archive
from iscore.jobs.maintenance.errors import BackupError
from iscore.jobs.maintenance.mail_memory import nothing_is_mailed, remember
from storage.database import open_database
from storage.diagnostics import Inspection, inspect
from storage.errors import NewerSchema, NotADatabase, StorageError
from storage.file_swap import swap_files


@dataclass(frozen=True, slots=True)
class RestoreView:
    """What was restored, and where that is which it replaced."""

    home: Path
    made: datetime
    """When the backup was made."""
    articles: int
    verdicts: int
    feeds: int
    kept: tuple[Path, ...]
    """What was there before, under its new names."""
    uncertain: tuple[str, ...] = ()
    """Digests that may have been mailed after the backup was made, by date; they are not mailed by themselves."""


def restore(home: DataFolder, file: Path, *, at: datetime) -> RestoreView:
    """Make the home what the backup in ``file`` says; a missing home is made.

    Raises ``BackupError``, ``DataFolderError``, ``DatabaseBusy`` while anybody has the database open, and other
    ``StorageError``, ``LockedError`` while mail is being sent; then the home is as it was.
    """
    with Archive(file) as archive, _unpacked(home, archive) as new, nothing_is_mailed(home):
        found = _checked(file, archive, new[DATABASE])
        made = archive.contents.made
        uncertain = remember(home, new[DATABASE], new.get(CONFIG, home.config), made=made, at=at)
        kept = [_put(home.database, new[DATABASE], at, swap_files)]
        for name, place in ((CONFIG, home.config), (FEEDS, home.feeds), (RULES, home.rules)):
            if name in new and not _same(new[name], place):
                kept.append(_put(place, new[name], at, _swap_files_text))
    open_database(home.database).close()  # an older schema is brought up to date now, not at the next poll
    return RestoreView(
        home=home.path,
        made=made,
        articles=found.rows["articles"],
        verdicts=found.rows["feedback"],
        feeds=found.rows["subscriptions"],
        kept=tuple(path for path in kept if path is not None),
        uncertain=uncertain,
    )


def _checked(file: Path, archive: Archive, database: Path) -> Inspection:
    try:
        found = inspect(database)
    except NewerSchema as error:
        raise BackupError(file, "was made by a newer iScore; update iScore to restore it") from error
    except NotADatabase as error:
        raise BackupError(file, "is no backup of iScore: its database is another program's") from error
    except StorageError as error:
        raise BackupError(file, "is damaged: its database is not whole") from error
    if (found.revision, found.rows) != (archive.contents.schema, archive.contents.rows):
        raise BackupError(file, "is damaged: its database does not hold what its list says")
    return found


@contextmanager
def _unpacked(home: DataFolder, archive: Archive) -> Iterator[dict[str, Path]]:
    """Unpack into the home, under names that nothing else has."""
    new = {name: home.path / f".{name}.restored-{os.getpid()}" for name in archive.contents.files}
    try:
        try:
            home.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in new.values():
                path.unlink(missing_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError as error:
            raise DataFolderError(home.path, f"cannot be written: {error.strerror}") from error
        for name, path in new.items():
            archive.unpack(name, path)
            with path.open("rb") as file:
                os.fsync(file.fileno())
        yield new
    finally:
        for path in new.values():
            for companion in ("", "-wal", "-shm", "-journal"):
                path.with_name(path.name + companion).unlink(missing_ok=True)
            for copy in home.path.glob(f"{path.name}.backup-*"):  # of an older schema; FILE has it
                copy.unlink()


def _put(place: Path, new: Path, at: datetime, swap: Callable[[Path, Path, Path], None]) -> Path | None:
    """Put a new file into its place, and return the name that the old one got; None when there was none."""
    if not place.exists():
        swap(place, new, new)
        return None
    kept = _free(place.with_name(f"{place.name}.before-restore-{at:%Y%m%d-%H%M%S}"))
    swap(place, new, kept)
    return kept


def _free(wanted: Path) -> Path:
    """Return the name, with a number behind it when there is such a file."""
    name, number = wanted, 1
    while name.exists():
        number += 1
        name = wanted.with_name(f"{wanted.name}-{number}")
    return name


def _same(new: Path, place: Path) -> bool:
    return place.exists() and place.read_bytes() == new.read_bytes()


def _swap_files_text(place: Path, new: Path, kept: Path) -> None:
    if place.exists():
        place.rename(kept)
    new.rename(place)
