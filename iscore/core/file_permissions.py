"""The user's files are private from the moment of their creation.

Commands create all files (databases, pages, copies, temporary files, also those of libraries) under a umask that
excludes everybody else, whatever umask the shell has. So there is no moment in which somebody else could open them.
Files that exist keep their permissions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
