"""Names for finished files, and the temporary folder of a backup.

    .NAME.zip.x7k2/     lock (held while the process runs)   iscore.db   archive

The temporary folder is beside the backup file. A killed process leaves its folder with a copy of everything. The system
releases its lock, so the next backup into the same folder can tell that it is abandoned, and removes it. A finished
file gets its name atomically, and overwrites another file only when asked.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from iscore.jobs.maintenance.archive import DATABASE

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ARCHIVE, LOCK = "archive", "lock"
ABANDONED = 3600
"""Seconds after which a folder without a lock is abandoned; before, it may just be created."""
EXISTS = "exists already and was not changed; use another name, or --replace"

_NAME = re.compile(r"\..+\.[a-z0-9_]{8}")
_FILES = re.compile(rf"{ARCHIVE}|{LOCK}(?:\.new)?|{re.escape(DATABASE)}(?:\.unfinished-[0-9]+)?(?:-wal|-shm|-journal)?")


@contextmanager
def temporary_folder(file: Path) -> Iterator[Path]:
    """Create a private folder beside ``file`` and remove it at the end. Raises ``OSError``."""
    remove_abandoned(file.parent)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as name:
        folder = Path(name)
        handle = os.open(folder / f"{LOCK}.new", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            if fcntl is not None:
                with suppress(OSError):  # some network file systems have no locks
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / f"{LOCK}.new").rename(folder / LOCK)  # nobody sees it before it is locked
            yield folder
        finally:
            os.close(handle)


def remove_abandoned(parent: Path) -> list[Path]:
    """Remove temporary folders that killed backups left, and return them. Never raises ``OSError``."""
    removed = []
    with suppress(OSError):
        for folder in parent.iterdir():
            if _NAME.fullmatch(folder.name) and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed.append(folder)
    return removed


def _is_abandoned(folder: Path) -> bool:
    """Whether a folder was certainly made by a backup that has ended, and has nothing else in it."""
    try:
        if folder.is_symlink() or not folder.is_dir():
            return False
        status, inside = folder.stat(), {path.name for path in folder.iterdir()}
        if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
            return False
        if not inside or not all(map(_FILES.fullmatch, inside)):
            return False
        if LOCK in inside and fcntl is not None:
            return _is_free(folder / LOCK)
        return time.time() - status.st_mtime > ABANDONED
    except OSError:  # removed meanwhile
        return False


def _is_free(lock: Path) -> bool:
    handle = os.open(lock, os.O_WRONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(handle)


def give_name(unfinished: Path, file: Path, *, replace: bool) -> None:
    """Name a finished file. Raises ``FileExistsError`` if the name is taken, unless ``replace``."""
    if replace:
        unfinished.replace(file)
        return
    try:
        file.hardlink_to(unfinished)  # unlike rename, this fails if the file exists
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if file.exists():
            raise FileExistsError(file) from None
        unfinished.rename(file)


def sync_folder(folder: Path) -> None:
    """Flush the folder's entries to disk, so that the name survives a power failure."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
