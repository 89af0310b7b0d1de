"""robots.txt files between rounds: in the database, for a day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from storage import robots
from storage.database import Database
from storage.errors import StorageError


class RobotsCache:
    """Remembers files by site (scheme, host and port)."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def get(self, site: str) -> bytes | None:
        """Return a site's file, empty if it had none; None when it has to be fetched. Raises ``StorageError``."""
        with self._database.read() as tx:
            return robots.get(tx, site, self._clock())

    async def put(self, site: str, body: bytes) -> None:
        """Keep a file for the next rounds, in a thread: the lock may have to be waited for. If the database does not
        take it, nothing is lost; whoever stores articles will say so."""
        await asyncio.to_thread(self._save, site, body)

    def _save(self, site: str, body: bytes) -> None:
        with suppress(StorageError), self._database.write() as tx:
            robots.save(tx, site, body, self._clock())
