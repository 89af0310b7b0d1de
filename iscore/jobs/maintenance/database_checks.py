"""What the database says of itself: is it whole and ours, in use, by a plausible clock, with feeds that answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.check import Check, attention, broken, ok
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago
from storage.database import Database
from storage.diagnostics import Inspection, NewestTimes, inspect
from storage.errors import DatabaseBusy, DatabaseReadOnly, DiskFull, NewerSchema, NotADatabase, StorageError
from storage.records import FeedOverview
from storage.schema import REVISIONS

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""Before iScore; a clock that says so has lost its battery."""
SLACK = timedelta(minutes=5)
"""Clocks are put right by some seconds all the time."""
LONG_AGO = timedelta(days=2)
"""Without a poll for so long, the program that should call it probably does not."""
PATIENCE = 3.0
"""Seconds to wait for another writer."""


def integrity(home: DataFolder) -> tuple[Check, Inspection | None]:
    """Read every page, index and reference of the file; without an inspection it cannot be used."""
    try:
        found = inspect(home.database)
    except NewerSchema as error:
        return broken("database", str(error), "update iScore"), None
    except NotADatabase as error:
        return broken("database", str(error), "iscore restore FILE"), None
    except (DiskFull, DatabaseReadOnly, DatabaseBusy) as error:
        return broken("database", str(error), "see permissions, disk and lock; the file itself may be well"), None
    except StorageError as error:
        return broken("database", str(error), "iscore restore FILE, with your last backup"), None
    held = f"{counted(found.rows['articles'], 'article')}, {counted(found.rows['feedback'], 'verdict')}"
    return ok("database", f"whole; {held}"), found


def migrations(found: Inspection) -> Check:
    """Whether the schema is the newest."""
    if found.current:
        return ok("schema", found.revision)
    return attention(
        "schema",
        f"{found.revision}, and {REVISIONS[-1]} is the newest",
        "the next command brings it up to date, with a copy beside; run `iscore status`",
    )


def writable(home: DataFolder) -> Check:
    """Whether it can be written now."""
    try:
        with Database(home.database, busy_timeout=PATIENCE) as database, database.write():
            pass
    except DatabaseBusy:
        return attention(
            "lock",
            f"another process has been writing for more than {PATIENCE:.0f} s",
            "wait; if it lasts, look for a stopped `iscore` (ps aux) and end it",
        )
    except StorageError as error:
        return broken("lock", str(error), "see permissions and disk")
    return ok("lock", "nobody holds the database")


def clock(newest: NewestTimes, from_tomorrow: int, now: datetime) -> Check:
    """Whether the time is plausible, by what was written down before."""
    if now < EARLIEST:
        return broken("clock", f"it says {now:%Y-%m-%d %H:%M} UTC", "set the system's clock")
    latest = newest.latest()
    if latest is not None and latest > now + SLACK:
        return attention(
            "clock",
            f"it says {now:%Y-%m-%d %H:%M} UTC, but something happened at {latest:%Y-%m-%d %H:%M}",
            "set the system's clock; if it was ahead then and is right now, that mends itself",
        )
    found = f"{now:%Y-%m-%d %H:%M} UTC"
    if from_tomorrow:
        found += f"; {counted(from_tomorrow, 'article')} claim to be from a later day, which is their feeds' mistake"
    return ok("clock", found)


def polls(newest: NewestTimes, now: datetime) -> Check:
    """Whether somebody polls."""
    if newest.attempt is None:
        return attention("polls", "no feed was ever asked", "iscore poll")
    since = f"the last was {ago(newest.attempt, now)}"
    if now - newest.attempt > LONG_AGO:
        return attention("polls", since, "iscore poll; and see whether your system still calls it")
    return ok("polls", since)


def feeds(overview: Sequence[FeedOverview]) -> Check:
    """Whether the feeds answer."""
    enabled = [each for each in overview if each.subscription.enabled]
    gone = [each for each in enabled if each.feed.gone_since is not None]
    failing = [each for each in enabled if each.feed.failures and each.feed.gone_since is None]
    if not gone and not failing:
        return ok("feeds", f"{counted(len(enabled), 'feed')} answered, or were not asked yet")
    parts = [f"{len(failing)} failed the last time"] if failing else []
    parts += [f"{len(gone)} say that they are gone"] if gone else []
    return attention("feeds", f"of {counted(len(enabled), 'feed')} {', '.join(parts)}", "iscore feeds list tells why")
