"""Checks of the database: integrity, schema, lock, clock, polls and feeds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from iscore.core.clock import LATEST
from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.check import Check, attention, broken, ok
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago
from storage.engine.errors import (
    DatabaseBusy,
    DatabaseReadOnly,
    DiskFull,
    MissingDatabase,
    NotADatabase,
    StorageError,
    UnknownSchema,
)
from storage.opening.database import unchecked
from storage.opening.diagnostics import Inspection, NewestTimes, inspect, inspect_server
from storage.records.connections import Connection
from storage.records.feeds import FeedOverview
from storage.schema import REVISIONS

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""Older than iScore: such a clock was reset."""
SLACK = timedelta(minutes=5)
"""Small corrections of the clock are normal."""
LONG_AGO = timedelta(days=2)
"""Without a poll for so long, the scheduler probably does not run."""
PATIENCE = 3.0
"""Seconds to wait for another writer."""


def integrity(folder: DataFolder) -> tuple[Check, Inspection | None]:
    """Read every page, index and reference of the file. Without an inspection, the database cannot be used."""
    try:
        found = inspect(folder.database)
    except UnknownSchema as error:
        return broken("database", str(error), error.advice), None
    except NotADatabase as error:
        return broken("database", str(error), "iscore restore FILE"), None
    except (DiskFull, DatabaseReadOnly, DatabaseBusy) as error:
        return broken("database", str(error), "check permissions, disk and lock; the file itself may be fine"), None
    except StorageError as error:
        return broken("database", str(error), "iscore restore FILE, with your last backup"), None
    entries = counted(found.rows["feedback"], "log entry", "log entries")
    return ok("database", f"intact; {counted(found.rows['articles'], 'article')}, {entries}"), found


def server(folder: DataFolder) -> tuple[Check, Inspection | None]:
    """Check that the database on a server can be used. Without an inspection, it cannot."""
    try:
        found = inspect_server(folder.database_address)
    except UnknownSchema as error:
        return broken("database", str(error), error.advice), None
    except MissingDatabase as error:
        return broken("database", str(error), "iscore init"), None
    except StorageError as error:
        return broken("database", str(error), "check the address, the server, and the rights of its user"), None
    entries = counted(found.rows["feedback"], "log entry", "log entries")
    with unchecked(folder.database_address) as database:
        what = f"{database.name}; {counted(found.rows['articles'], 'article')}, {entries}"
        return ok("database", f"{what}; {database.size() / 1e6:,.1f} MB"), found


def migrations(folder: DataFolder, found: Inspection) -> Check:
    """Check that the schema is the newest."""
    if found.current:
        return ok("schema", found.revision)
    return attention(
        "schema",
        f"{found.revision}; the newest is {REVISIONS[-1]}",
        "make a backup with `pg_dump`: the next command migrates it"
        if folder.database_address
        else "the next command migrates it and keeps a copy; run `iscore status`",
    )


def writable(folder: DataFolder) -> Check:
    """Check that the database can be written."""
    try:
        with unchecked(folder.database_place, busy_timeout=PATIENCE) as database, database.write():
            pass
    except DatabaseBusy:
        return attention(
            "lock",
            f"another process has been writing for more than {PATIENCE:.0f} s",
            "wait; if that does not help, look for a stopped `iscore` process (ps aux) and end it",
        )
    except StorageError as error:
        return broken("lock", str(error), "check permissions and disk")
    return ok("lock", "free")


def clock(newest: NewestTimes, from_tomorrow: int, now: datetime) -> Check:
    """Check that the time is plausible compared with stored times."""
    if not EARLIEST <= now < LATEST:
        return broken("clock", f"it says {now:%Y-%m-%d %H:%M} UTC", "set the system's clock")
    latest = newest.latest()
    if latest is not None and latest > now + SLACK:
        return attention(
            "clock",
            f"it says {now:%Y-%m-%d %H:%M} UTC, but the database has an event at {latest:%Y-%m-%d %H:%M}",
            "set the system's clock; if it was wrong then and is right now, this goes away",
        )
    found = f"{now:%Y-%m-%d %H:%M} UTC"
    if from_tomorrow:
        found += f"; {counted(from_tomorrow, 'article')} have a date in the future, an error of their feeds"
    return ok("clock", found)


def polls(newest: NewestTimes, now: datetime) -> Check:
    """Check that polls happen."""
    if newest.attempt is None:
        return attention("polls", "no feed was ever polled", "iscore poll")
    since = f"last poll {ago(newest.attempt, now)}"
    if now - newest.attempt > LONG_AGO:
        return attention("polls", since, "iscore poll; and check that your scheduler runs")
    return ok("polls", since)


def feeds(overview: Sequence[FeedOverview]) -> Check:
    """Check that the feeds answer."""
    enabled = [each for each in overview if each.subscription.enabled]
    gone = [each for each in enabled if each.feed.gone_since is not None]
    failing = [each for each in enabled if each.feed.failures and each.feed.gone_since is None]
    if not gone and not failing:
        return ok("feeds", f"{counted(len(enabled), 'feed')} without failures")
    parts = [f"{len(failing)} failing"] if failing else []
    parts += [f"{len(gone)} gone for good (410)"] if gone else []
    return attention("feeds", f"{counted(len(enabled), 'feed')}, {', '.join(parts)}", "iscore feeds check shows why")


def connection(connected: Sequence[Connection], now: datetime) -> Check:
    """Check that other reader servers are synchronised; ``connected`` are the connections of all users."""
    failing = next((each for each in connected if each.failures), None)
    if failing is not None:
        return attention("connection", failing.error, "iscore connect status")
    last = min((each.synced for each in connected if each.synced is not None), default=None)
    if last is None or now - last > LONG_AGO:
        since = ago(last, now) if last else "never"
        return attention("connection", f"last synchronised {since}", "iscore connect sync; and check that iscore runs")
    return ok("connection", f"synchronised {ago(last, now)}")
