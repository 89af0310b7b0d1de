"""Icons of feeds: found once a month for all users, and shown to those who follow the feeds.

due feeds ─► iscore.feeds.icons ─► storage ─► a user's sheets of 256 icons, and a style that knows which is where
                                          └─► one icon at a secret address, for client apps
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from iscore.core.errors import ConfigError
from iscore.services.session.user_session import UserSession
from storage.opening.database import ARRIVALS, Database
from storage.stream import icons

MOST = 300
"""Feeds whose sites are asked at a time."""
ON_A_SHEET = 256


@dataclass(frozen=True, slots=True)
class FoundIcons:
    """What came of asking sites."""

    feeds: int
    found: int


class Icons:
    """The icons of the feeds that one user follows; and those of all feeds, where sites are asked."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._cache = session.cache

    def are_due(self) -> bool:
        """Return whether sites are to be asked. Without the setting ``pictures`` none is."""
        with self._database.read() as tx:
            if not icons.are_due(tx, self._context.clock()):
                return False
        try:
            return self._context.settings.pictures
        except ConfigError:
            return False

    def find(self, may_ask: Callable[[], bool] = lambda: True) -> FoundIcons:
        """Ask sites that are due. Raises ``ConfigError``, ``StorageError``."""
        from iscore.feeds.icons import find_icons

        settings, clock = self._context.poll_settings, self._context.clock
        if not self._context.settings.pictures:
            return FoundIcons(0, 0)
        with self._database.read() as tx:
            due = icons.due(tx, clock(), MOST)
        found = asyncio.run(find_icons(due, self._database, settings, clock, may_ask=may_ask))
        with self._database.write(ARRIVALS) as tx:
            icons.record(tx, found, clock())
        return FoundIcons(len(found), sum(map(bool, found.values())))

    def keys(self) -> dict[int, str]:
        """Return the secret parts of the addresses of icons, by feed."""
        return self._cache.get("icons", self._keys, marks=False)

    def name(self) -> str:
        """Return a name for all icons of the user's feeds, another one for each other set; empty without any."""
        of_all = ",".join(f"{feed}:{key}" for feed, key in self.keys().items())
        return blake2b(of_all.encode(), digest_size=12).hexdigest() if of_all else ""

    def sheet(self, number: int) -> bytes:
        """Return a sheet of the icons, as ``keys`` has them in order; empty if there is none of this number."""
        from iscore.feeds.picture_files import sheet

        on_it = list(self.pictures().values())[number * ON_A_SHEET : (number + 1) * ON_A_SHEET]
        return sheet(on_it) if on_it else b""

    def pictures(self) -> dict[int, bytes]:
        """Return the icons as PNG, by feed."""
        with self._database.read() as tx:
            return icons.pictures(tx, self._context.user_id)

    def _keys(self) -> dict[int, str]:
        with self._database.read() as tx:
            return icons.keys(tx, self._context.user_id)


def with_key(database: Database, key: str) -> bytes:
    """Return the icon at a secret address, as PNG; empty if there is none."""
    with database.read() as tx:
        return icons.with_key(tx, key)
