"""The folder in which a backup is made, beside the file that it becomes; and what is left of those that were killed.

    .NAME.zip.x7k2/     lock (held as long as the process lives)   iscore.db   archive

A process that is killed leaves its folder behind, with a copy of everything. The system takes its lock back, so the
next backup into the same place knows that nobody is at it, and removes it.
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
"""Seconds after which a folder without a lock is nobody's any more: from an older iScore, or just being made."""

_NAME = re.compile(r"\..+\.[a-z0-9_]{8}")
_OURS = re.compile(rf"{ARCHIVE}|{LOCK}(?:\.new)?|{re.escape(DATABASE)}(?:\.unfinished-[0-9]+)?(?:-wal|-shm|-journal)?")


@contextmanager
def workplace(file: Path) -> Iterator[Path]:
    """Give a private folder beside ``file`` and remove it at the end. Raises ``OSError``."""
    clear(file.parent)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as name:
        folder = Path(name)
        handle = os.open(folder / f"{LOCK}.new", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            if fcntl is not None:
                with suppress(OSError):  # some network file systems know no locks
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / f"{LOCK}.new").rename(folder / LOCK)  # it is never seen before it is held
            yield folder
        finally:
            os.close(handle)


def clear(parent: Path) -> list[Path]:
    """Remove what backups that were killed have left in a folder, and return it. Never raises ``OSError``."""
    removed = []
    with suppress(OSError):
        for folder in parent.iterdir():
            if _NAME.fullmatch(folder.name) and _is_dead(folder):
                shutil.rmtree(folder, ignore_errors=True)
                removed.append(folder)
    return removed


def _is_dead(folder: Path) -> bool:
    """Whether a folder was surely made by a backup that has ended, and holds nothing else."""
    try:
        if folder.is_symlink() or not folder.is_dir():
            return False
        status, inside = folder.stat(), {path.name for path in folder.iterdir()}
        if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
            return False
        if not inside or not all(map(_OURS.fullmatch, inside)):
            return False
        if LOCK in inside and fcntl is not None:
            return _is_free(folder / LOCK)
        return time.time() - status.st_mtime > ABANDONED
    except OSError:  # gone meanwhile
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
