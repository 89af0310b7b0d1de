"""One process at a time: a lock on a file, which the system releases when its holder ends, however it ends.

The file stays and holds the number of the process that had the lock last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from iscore.core.errors import IscoreError


class LockedError(IscoreError):
    """Another process holds the lock."""

    def __init__(self, what: str, path: Path, holder: str) -> None:
        super().__init__(f"{what} already, in process {holder}; wait for it or stop it (lock file: {path})")
        self.path = path
        self.holder = holder
        """Number of the process; ``?`` while it is not known."""


@contextmanager
def exclusive_lock(path: Path, what: str, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock while the block runs. ``what`` says for the message what the holder does.

    Raises ``LockedError`` when another process holds it for ``wait`` seconds, ``IscoreError`` on a disk that has no
    locks.
    """
    lock = FileLock(path, timeout=wait, mode=0o600, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout as error:
        holder = ""
        with suppress(OSError):  # Windows lets nobody else read a locked file
            holder = path.read_text("ascii", "replace")[:20].strip()
        raise LockedError(what, path, holder or "?") from error
    except OSError as error:
        problem = f"{path} cannot be locked: {error.strerror}; move the data folder to a local disk"
        raise IscoreError(problem) from error
    try:
        with suppress(OSError):
            path.write_text(f"{os.getpid()}\n", "ascii")
        yield
    finally:
        lock.release()
