"""The user whose news are filtered: their data folder, settings, time zone and clock.

Settings are read when they are first needed, so that recording a verdict reads none.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError
from storage import users
from storage.database import Database
from storage.records import User

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from iscore.core.settings import Settings
    from iscore.feeds.poll_settings import PollSettings


Progress = Callable[[int, int, str], None]


class UserContext:
    """What the services know of one user. It holds values only, no services."""

    def __init__(self, folder: DataFolder, database: Database, clock: Clock, user_id: int) -> None:
        self.folder = folder
        self.clock = clock
        self.user_id = user_id
        self.progress: Progress | None = None
        """Called with ``(done, total, what)`` in the course of long work."""
        self._database = database

    @cached_property
    def user(self) -> User:
        """The user's record."""
        with self._database.read() as tx:
            return users.get(tx, self.user_id)

    @cached_property
    def settings(self) -> Settings:
        """The settings of ``config.toml`` and the environment. Raises ``ConfigError``."""
        from iscore.core.settings import load_settings

        return load_settings(self.folder.config)

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
        from zoneinfo import ZoneInfo

        name = self.user.time_zone or self.settings.time_zone
        try:
            return ZoneInfo(name) if name else None
        except (LookupError, OSError, ValueError) as error:  # an unknown name, a folder's name, or no name at all
            raise ConfigError(
                str(self.folder.config), f"unknown time zone {name!r}; write it like Europe/Rome"
            ) from error

    @property
    def inbox_period(self) -> timedelta:
        """How long an article stays in the inbox after its arrival."""
        return timedelta(days=self.settings.inbox_days)

    def inbox_start(self) -> datetime:
        """Return the arrival time from which on articles are in the inbox."""
        return self.clock() - self.inbox_period

    def today(self) -> date:
        """Return the current date in the user's time zone."""
        return self.clock().astimezone(self.zone).date()
