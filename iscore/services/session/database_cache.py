"""Values read from the database, cached until anybody changes what they depend on.

Every commit empties the cache, also those of other processes, so no value can be older than the database. Commits that
changed nothing but marks leave the values that do not depend on the user's marks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from storage.engine import changes
from storage.engine.changes import Changes
from storage.opening.database import Database

T = TypeVar("T")

MAX_VALUES = 64
"""Values in one cache; it is emptied when there would be more."""


class DatabaseCache:
    """Values of one user, by what they depend on beside the database. Threads may share it."""

    def __init__(self, database: Database, user_id: int) -> None:
        self._database = database
        self._user_id = user_id
        self._version: Hashable = None
        self._changes: Changes | None = None
        self._values: dict[Hashable, object] = {}
        self._of_marks: set[Hashable] = set()
        """Keys of the values that depend on marks, labels or reading events."""
        self._lock = threading.Lock()

    def get(self, key: Hashable, read: Callable[[], T], *, marks: bool = True) -> T:
        """Return what ``read`` returned for ``key`` since the last commit, else its result now.

        ``key`` contains a name for the value, and everything that it depends on apart from the database: the time, for
        example. ``read`` begins its own transaction; an error that it raises is not cached. Without ``marks`` the value
        depends on no mark, label or reading event, and stays when only these change.
        """
        version = self._database.version()
        now = self._changes
        if version is not None and version != self._version:
            with self._database.read() as tx:
                now = changes.numbers(tx, self._user_id)  # of this version or a later one
        with self._lock:
            if version is None or len(self._values) >= MAX_VALUES:
                self._clear(None, None)
            elif version != self._version:
                if self._version is None or self._changes is None or now is None or now.others != self._changes.others:
                    self._clear(version, now)
                else:
                    self._drop_marks(version, now)
            if key in self._values:
                return cast(T, self._values[key])
        value = read()  # of this version or a later one
        with self._lock:
            if version is not None and version == self._version:
                self._values[key] = value
                if marks:
                    self._of_marks.add(key)
        return value

    def _clear(self, version: Hashable, now: Changes | None) -> None:
        self._values.clear()
        self._of_marks.clear()
        self._version, self._changes = version, now

    def _drop_marks(self, version: Hashable, now: Changes) -> None:
        for key in self._of_marks:
            self._values.pop(key, None)
        self._of_marks.clear()
        self._version, self._changes = version, now
