"""What the services of one user share: the open database, the user's context, a cache, and each other.

Cached are values read from the database, until anybody changes what they depend on. Every commit empties the cache,
also those of other processes, so no value can be older than the database. Commits that changed nothing but marks leave
the values that do not depend on the user's marks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.services.session.user_context import UserContext
from storage.engine import changes
from storage.engine.changes import Changes
from storage.engine.transaction import Transaction
from storage.opening.database import Database
from storage.stream import articles

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


class UserSession:
    """One user's use of a data folder. Each service is made from it, once.

    A service asks for those that it needs in its constructor: ``session.service(Ingestion)``.
    """

    def __init__(self, database: Database, context: UserContext, cache: DatabaseCache) -> None:
        self.database = database
        self.context = context
        self.cache = cache
        self._services: dict[Callable[..., Any], Any] = {}

    @classmethod
    def of(cls, folder: DataFolder, database: Database, clock: Clock, user_id: int) -> UserSession:
        """Return a new session of a user of this data folder."""
        return cls(database, UserContext(folder, database, clock, user_id), DatabaseCache(database, user_id))

    def service(self, kind: Callable[[UserSession], T]) -> T:
        """Return this session's service of a class, made when it is first asked for."""
        if kind not in self._services:
            made = kind(self)
            self._services.setdefault(kind, made)  # another thread may have been faster
        return cast(T, self._services[kind])


def find_article(tx: Transaction, user_id: int, article_id: str) -> int:
    """Return the ``seq`` of an article that the user may see. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
    matches = articles.find(tx, user_id, article_id)
    if not matches:
        raise UnknownArticleError(article_id, articles.SHORTEST_PREFIX)
    if len(matches) > 1:
        raise AmbiguousIdError(article_id, len(matches))
    return matches[0]
