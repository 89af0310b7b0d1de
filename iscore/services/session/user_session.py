"""What the services of one user share: the open database, the user's context, a cache, and each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.services.session.database_cache import DatabaseCache
from iscore.services.session.user_context import UserContext
from storage.engine.transaction import Transaction
from storage.opening.database import Database
from storage.stream import articles

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


def find_article(tx: Transaction, user_id: int, article_id: str) -> int:
    """Return the ``seq`` of an article that the user may see. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
    matches = articles.find(tx, user_id, article_id)
    if not matches:
        raise UnknownArticleError(article_id, articles.SHORTEST_PREFIX)
    if len(matches) > 1:
        raise AmbiguousIdError(article_id, len(matches))
    return matches[0]
