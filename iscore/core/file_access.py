"""The user's files: private from the moment of their creation, and locked against a second process.

Commands create all files (databases, pages, copies, temporary files, also those of libraries) under a umask that
excludes everybody else, whatever umask the shell has. So there is no moment in which somebody else could open them.
Files that exist keep their permissions.

The system releases a lock when its holder ends, however it ends. The file stays and holds the number of the process
that had the lock last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from iscore.core.errors import IscoreError

OTHERS = 0o077
"""The permissions of the group and of everybody."""
FILE, FOLDER = 0o600, 0o700

_previous: list[int] = []
"""The umasks that were set before, the shell's first."""


@contextmanager
def private() -> Iterator[None]:
    """Create only private files within the block. All threads of the process share the umask."""
    _previous.append(os.umask(OTHERS))
    try:
        yield
    finally:
        os.umask(_previous.pop())


@contextmanager
def shell_umask() -> Iterator[None]:
    """Use the shell's umask within the block: for starting other programs."""
    if not _previous:
        yield
        return
    before = os.umask(_previous[0])
    try:
        yield
    finally:
        os.umask(before)


def private_opener(path: str, flags: int) -> int:
    """Open a file; a new one is private, whatever the umask. An ``opener`` for ``open``."""
    return os.open(path, flags, FILE)


def write(path: Path, data: bytes) -> None:
    """Write a file; a new one is private. Raises ``OSError``."""
    with errors_about(path), open(path, "wb", opener=private_opener) as file:
        file.write(data)


@contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """Name ``path`` in an ``OSError`` of the block: on a full disk it names no file, and else a temporary one."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def is_open_to_others(path: Path) -> bool:
    """Whether anybody but the owner may read, write or enter it; false on systems without such permissions."""
    return os.name == "posix" and bool(path.stat().st_mode & OTHERS)


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
    from filelock import FileLock, Timeout

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
