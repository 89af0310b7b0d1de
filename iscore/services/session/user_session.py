"""What the services of one user share: the user's context, the open database, a cache, and each other.

The context is the data folder, settings, time zone and clock. Settings are read when they are first needed, so that
recording a verdict reads none.

Cached are values read from the database, until anybody changes what they depend on. Every commit empties the cache,
also those of other processes, so no value can be older than the database. Commits that changed nothing but marks leave
the values that do not depend on the user's marks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from iscore.core.clock import Clock, zone_named
from iscore.core.data_folder import DataFolder
from iscore.core.errors import AmbiguousIdError, ConfigError, UnknownArticleError
from iscore.core.timings import Progress
from iscore.services.session.documents import UserDocument
from storage.engine import changes
from storage.engine.base_database import Transaction
from storage.engine.changes import Changes
from storage.opening.database import Database
from storage.people import documents, users
from storage.records.users import LOCAL_USER, User
from storage.stream import articles

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from iscore.core.settings import Settings
    from iscore.feeds.poll_settings import PollSettings


class UserContext:
    """What the services know of one user. It holds values only, no services."""

    def __init__(self, folder: DataFolder, database: Database, clock: Clock, user_id: int) -> None:
        self.folder = folder
        self.clock = clock
        self.user_id = user_id
        self.feeds = UserDocument(database, user_id, folder.feeds, clock)
        """The user's subscriptions."""
        self.rules = UserDocument(database, user_id, folder.rules, clock)
        """The user's rules."""
        self.personal_settings = UserDocument(database, user_id, folder.config, clock)
        """The user's settings; with one user they are in one file with those of the server."""
        self.postponed = postponed_file(folder, user_id)
        """Articles that the user postponed in a review; may be missing."""
        self.progress: Progress | None = None
        """Called with ``(done, total, what)`` in the course of long work."""
        self._database = database
        self._unchanged_in: Hashable = None
        """The last version of the database in which ``has_changed`` found no change."""

    @property
    def user(self) -> User:
        """The user's record."""
        return self._read[0]

    @cached_property
    def _read(self) -> tuple[User, str | None]:
        """The user's record, and the text of their settings in the database."""
        with self._database.read() as tx:
            return self._stored(tx)

    def _stored(self, tx: Transaction) -> tuple[User, str | None]:
        return users.get(tx, self.user_id), documents.get(tx, self.user_id, self.folder.config.name)

    def has_changed(self) -> bool:
        """Whether another process has changed the user's record, or settings in the database, since they were read.

        Raises ``UnknownUser``.
        """
        known, version = self._read, self._database.version()
        if version is None or version != self._unchanged_in:
            with self._database.read() as tx:
                if self._stored(tx) != known:
                    return True
            self._unchanged_in = version
        return False

    @cached_property
    def settings(self) -> Settings:
        """The settings of ``config.toml``, the environment, and with several users those of this user.

        Raises ``ConfigError``.
        """
        from iscore.core.settings import load_settings

        self._read  # noqa: B018 -- before the settings: ``has_changed`` must not compare with what is newer than they
        document = self.personal_settings
        return load_settings(self.folder.config, document if document.is_stored else None)

    @cached_property
    def poll_settings(self) -> PollSettings:
        """The settings that polling needs."""
        from iscore import __version__
        from iscore.feeds.poll_settings import PollSettings

        return PollSettings.of(self.settings, __version__)

    @cached_property
    def zone(self) -> ZoneInfo | None:
        """The user's time zone; None is the machine's own. That of the user's record comes before that of the settings.

        Raises ``ConfigError`` for an unknown name.
        """
        try:
            return zone_named(self.user.time_zone or self.settings.time_zone)
        except ValueError as error:
            raise ConfigError(str(self.personal_settings), str(error)) from error

    def forget_settings(self) -> None:
        """Read the settings again when they are next needed: they have changed."""
        for name in ("_read", "settings", "poll_settings", "zone"):
            self.__dict__.pop(name, None)

    @property
    def inbox_period(self) -> timedelta:
        """How long an article stays in the inbox after its arrival."""
        return timedelta(days=self.settings.inbox_days)

    def inbox_start(self) -> datetime:
        """Return the arrival time from which on articles are in the inbox: a full minute.

        So what is counted since then is the same for a minute, unless something changes.
        """
        return (self.clock() - self.inbox_period).replace(second=0, microsecond=0)

    def today(self) -> date:
        """Return the current date in the user's time zone."""
        return self.clock().astimezone(self.zone).date()


def postponed_file(folder: DataFolder, user_id: int) -> Path:
    """Return the file with the articles that a user postponed; it may be missing."""
    file = folder.postponed
    return file if user_id == LOCAL_USER else file.with_stem(f"{file.stem}-{user_id}")


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
