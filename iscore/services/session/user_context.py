"""The user whose news are filtered: their data folder, settings, time zone and clock.

Settings are read when they are first needed, so that recording a verdict reads none.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from iscore.core.clock import Clock, zone_named
from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError
from iscore.core.timings import Progress
from iscore.services.session.documents import UserDocument
from storage.engine.transaction import Transaction
from storage.opening.database import Database
from storage.people import documents, users
from storage.records.users import LOCAL_USER, User

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
