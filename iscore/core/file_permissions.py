"""Files that hold somebody's reading are theirs alone, from the moment in which they come into being.

What a command makes (databases, pages, copies, temporary files, those of libraries too) is made under a mask that lets
nobody else in, whatever mask the shell has; so there is no instant in which a file could be opened before its rights
are set. Files that are there already keep the rights that their owner gave them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OTHERS = 0o077
"""The rights of the group and of everybody."""
FILE, FOLDER = 0o600, 0o700

_outside: list[int] = []
"""The masks that were in force before, the shell's first."""


@contextmanager
def private() -> Iterator[None]:
    """Let the process make nothing, meanwhile, that others may read. The mask is one for all threads."""
    _outside.append(os.umask(OTHERS))
    try:
        yield
    finally:
        os.umask(_outside.pop())


@contextmanager
def as_outside() -> Iterator[None]:
    """Start other programs, meanwhile, with the mask that the shell gave: what they save is theirs to judge."""
    if not _outside:
        yield
        return
    before = os.umask(_outside[0])
    try:
        yield
    finally:
        os.umask(before)


def for_owner(path: str, flags: int) -> int:
    """Open a file so that a new one is its owner's alone, whatever the mask; an ``opener`` for ``open``."""
    return os.open(path, flags, FILE)


def write(path: Path, data: bytes) -> None:
    """Write a file; a new one is its owner's alone. Raises ``OSError``."""
    with open(path, "wb", opener=for_owner) as file:
        file.write(data)


def open_to_others(path: Path) -> bool:
    """Whether anybody but the owner may read or enter it, or write; false where the system has no such rights."""
    return os.name == "posix" and bool(path.stat().st_mode & OTHERS)
