"""What the services of one user share: the open database, the user's context, a cache, and each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.services.session.database_cache import DatabaseCache
from iscore.services.session.user_context import UserContext
from storage.opening.database import Database

T = TypeVar("T")


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
