"""New databases for tests: copies of one, since to run all migrations takes fifty times as long as to open one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from storage.opening.database import Database, open_database


def new_database(path: Path, seed: int = 0) -> Database:
    """Return a new database at ``path``, open, as ``open_database(path, create=True, seed=seed)`` makes it."""
    path.touch(0o600)
    path.write_bytes(_closed(seed))
    return open_database(path)


@cache
def _closed(seed: int) -> bytes:
    """Return the file of a new database."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "iscore.db")
        open_database(path, create=True, seed=seed).close()
        return path.read_bytes()
