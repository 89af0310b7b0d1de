"""One process at a time: a lock on a file, which the system takes back when its holder ends, however it ends.

The file itself stays; it holds the number of the process that had it last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from iscore.core.errors import IscoreError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class LockedError(IscoreError):
    """Another process is at it."""

    def __init__(self, what: str, path: Path, holder: str) -> None:
        super().__init__(f"{what} already, in process {holder}; wait for it or end it (the lock is {path})")
        self.path = path
        self.holder = holder
        """Number of the process; ``?`` in the instant in which it is not yet known."""


@contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Hold the lock while the block runs. ``what`` says for the message what the holder does.

    Raises ``LockedError`` at once when another process holds it, ``IscoreError`` where there are no such locks.
    """
    if fcntl is None:
        raise IscoreError("this system has no file locks, so that two processes could send the same mail; use Linux")
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LockedError(what, path, os.pread(handle, 20, 0).decode("ascii", "replace").strip() or "?") from error
        except OSError as error:  # some network file systems know no locks
            raise IscoreError(f"{path} cannot be locked: {error.strerror}; move the home to a local disk") from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode("ascii"), 0)
        yield
    finally:
        os.close(handle)
