"""Holds claims: prolongs their leases while the work goes on, and tells the time by the database's clock."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic
from types import TracebackType
from typing import Self

from storage.engine.errors import StorageError
from storage.opening.database import Database
from storage.records.work import Claim
from storage.work import work

LEASE = timedelta(minutes=1)
"""The claims of a worker that died are left alone for so long."""
RENEWED_EVERY = LEASE / 4
LONGEST_WORK = timedelta(minutes=30)
"""No lease is prolonged for longer: a worker that hangs loses its work."""


class DatabaseClock:
    """Goes on from a time that the database gave. The machine's own clock has no say in it."""

    def __init__(self, now: datetime) -> None:
        self._now, self._read = now, monotonic()

    def __call__(self) -> datetime:
        return self._now + timedelta(seconds=monotonic() - self._read)


class Held:
    """Prolongs the leases of claims in a thread, while its block runs. The leases have just begun."""

    def __init__(self, database: Database, claims: Sequence[Claim]) -> None:
        self._database = database
        self._claims = claims
        self._good_until = monotonic() + LEASE.total_seconds()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def is_good(self) -> bool:
        """Whether no lease can have ended, for all that is known without asking the database.

        It is not after this process was stopped for long, or without a network; never again once a claim is lost.
        """
        return monotonic() < self._good_until

    def _renew(self) -> None:
        end = monotonic() + LONGEST_WORK.total_seconds()
        held = True
        while held and not self._over.wait(RENEWED_EVERY.total_seconds()) and monotonic() < end:
            until = monotonic() + LEASE.total_seconds()
            with suppress(StorageError):  # else the lease ends
                with self._database.write_work() as tx:
                    held = work.renew(tx, self._claims, work.now(tx) + LEASE)
                self._good_until = until if held else -math.inf
