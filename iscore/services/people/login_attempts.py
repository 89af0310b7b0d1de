"""Failed attempts to sign in, in the database: a restart of the server forgets none."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from iscore.core.clock import Clock
from storage.engine.errors import StorageError
from storage.opening.database import ARRIVALS, Database
from storage.people import sessions
from storage.records.accounts import LoginAttempt

ATTEMPT_LIFETIME = timedelta(days=30)


class LoginAttempts:
    """The attempts of a data folder."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def list(self) -> Sequence[LoginAttempt]:
        """List them, the oldest first."""
        with self._database.read() as tx:
            return sessions.list_attempts(tx, self._clock() - ATTEMPT_LIFETIME)

    def save(self, attempts: Sequence[LoginAttempt]) -> None:
        """Store attempts in place of earlier ones; when that cannot be done now, a restart forgets them."""
        with suppress(StorageError), self._database.write(ARRIVALS) as tx:
            sessions.put_attempts(tx, attempts, self._clock() - ATTEMPT_LIFETIME)
