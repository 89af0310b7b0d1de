"""What the server has in memory for each user: their news filter, background worker and lists.

``SessionMiddleware`` finds out whose a request is and enters ``UserPool.acting``; what handles the request then gets
that user's filter from ``AppContext``. A route cannot ask for another's, and outside a request there is none.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError
from iscore.core.translation import gettext, language, use_language
from iscore.services.news_filter import NewsFilter
from iscore.services.views.other_programs import RemovedView
from iscore.web.background_worker import BackgroundWorker
from iscore.web.list_cache import ListCache
from iscore.web.long_work import LongWork
from iscore.web.model_process import LocalModels, UserModel
from iscore.web.security.bodies import RequestRefusedError
from iscore.web.threads import acting_user
from storage.opening.database import Database

IDLE = 600.0
"""Seconds without a request before a user leaves the memory."""
MOST_REQUESTS = 60
"""Of one user that are answered or wait at a time, so that the server has room for others' (``MOST_CONNECTIONS``)."""


@dataclass(slots=True)
class UserEntry:
    """One user in memory."""

    news: NewsFilter
    worker: BackgroundWorker
    lists: ListCache = field(default_factory=ListCache)
    disconnecting: LongWork[RemovedView] | None = None
    """The last disconnection from another reader server; it may be going on."""
    used: float = 0.0

    @property
    def language(self) -> str:
        """The language that the user has set; empty for the browser's."""
        try:
            wanted = self.news.context.settings.language
        except ConfigError:  # the page of settings shows it
            return ""
        return "" if wanted == "automatic" else wanted


_acting: ContextVar[UserEntry] = ContextVar("acting")


class UserPool:
    """The users in memory. All methods belong to the thread of the event loop."""

    def __init__(
        self, folder: DataFolder, database: Database, clock: Clock, models: LocalModels, log: Callable[[str], None]
    ) -> None:
        self._folder = folder
        self._database = database
        self._clock = clock
        self._models = models
        self._log = log
        self._users: dict[int, UserEntry] = {}
        self._requests: Counter[int] = Counter()
        """That are answered now. Apart from entries, which are made anew when a user changes their settings."""

    @asynccontextmanager
    async def acting(self, user_id: int) -> AsyncIterator[UserEntry]:
        """Let this block, and what it runs, act for a user, under the settings that they have now.

        Raises ``RequestRefusedError`` for more than ``MOST_REQUESTS`` at a time.
        """
        known = self._users.get(user_id)
        changed = known is not None and await asyncio.to_thread(known.news.context.has_changed)
        if changed and self._users.get(user_id) is known:
            self.forget(user_id)
        entry = self.entry(user_id)
        if self._requests[user_id] >= MOST_REQUESTS:
            sentence = gettext("Too many requests at once. Wait until others have been answered.")
            raise RequestRefusedError(429, sentence)
        token, number = _acting.set(entry), acting_user.set(user_id)
        self._requests[user_id] += 1
        try:
            with use_language(entry.language or language()):
                yield entry
        finally:
            self._requests[user_id] -= 1
            self._requests += Counter()  # forgets users of whom nothing is left
            acting_user.reset(number)
            _acting.reset(token)

    def entry(self, user_id: int) -> UserEntry:
        """Return a user's entry, made if it is missing; those of idle users go."""
        now = time.monotonic()
        for other, entry in list(self._users.items()):
            if other != user_id and not self._requests[other] and now - entry.used > IDLE:
                self.forget(other)
        found = self._users.get(user_id)
        if found is None:
            news = NewsFilter(self._folder, self._database, self._clock, user_id)
            worker = BackgroundWorker(news, UserModel(self._models, user_id), self._log)
            found = self._users[user_id] = UserEntry(news, worker)
            with use_language(found.language or language()):
                worker.start()
        found.used = now
        return found

    def forget(self, user_id: int) -> None:
        """Let a user leave the memory: they are gone, or their settings have changed."""
        entry = self._users.pop(user_id, None)
        if entry is not None:
            entry.worker.stop(0)

    def close(self, seconds: float) -> None:
        """Stop all workers, and wait for each at most ``seconds``."""
        for entry in self._users.values():
            entry.worker.stop(seconds)
        self._users.clear()


def acting() -> UserEntry:
    """Return the entry of the user whose request this is. Raises ``LookupError`` where there is none."""
    return _acting.get()
