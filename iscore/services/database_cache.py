"""Values read from the database, cached until anybody changes it.

Every commit empties the cache, also those of other processes, so no value can be older than the database.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from storage.database import Database

T = TypeVar("T")

MAX_VALUES = 64
"""Values in one cache; it is emptied when there would be more."""


class DatabaseCache:
    """Values of one user, by what they depend on beside the database. Threads may share it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._version: Hashable = None
        self._values: dict[Hashable, object] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, read: Callable[[], T]) -> T:
        """Return what ``read`` returned for ``key`` since the last commit, else its result now.

        ``key`` contains a name for the value, and everything that it depends on apart from the database: the time, for
        example. ``read`` begins its own transaction; an error that it raises is not cached.
        """
        version = self._database.version()
        with self._lock:
            if version is None or version != self._version or len(self._values) >= MAX_VALUES:
                self._values.clear()
                self._version = version
            if key in self._values:
                return cast(T, self._values[key])
        value = read()  # of this version or a later one
        with self._lock:
            if version is not None and version == self._version:
                self._values[key] = value
        return value
