"""What a restored home must not forget: the mail that has left since its backup was made. No digest is sent twice.

    the database that gives way ─► what was mailed since, or may have been ─┐
    (not there, or beyond reading: nobody knows) ─► what may have been ─────┴─► rows of the restored one

They are written before it is put in its place. Without the old database, what the backup still had to send, and today's
digest if its hour has come since, may have been sent: they are called uncertain, and the person is told to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from iscore.core.data_folder import DataFolder
from iscore.core.errors import ConfigError
from iscore.core.file_lock import exclusive_lock
from iscore.core.settings import Settings, load_settings
from storage import creation, mail_log
from storage.database import Database, open_database
from storage.errors import StorageError
from storage.records import LOCAL_USER, Mailing, MailState

REMEMBERED = 31
"""Editions whose mail is looked at."""
UNKNOWN = "it may have been sent after the backup was made"
_MAILED = frozenset({MailState.SENT, MailState.SENT_BY_HAND, MailState.SENDING, MailState.UNCERTAIN})
_HALF_A_DAY = timedelta(hours=12)
"""A digest whose hour passed yesterday is mailed today if the next hour is further away than that."""


@contextmanager
def nothing_is_mailed(home: DataFolder) -> Iterator[None]:
    """Keep mail from leaving a home while the block runs. Raises ``LockedError`` when some is leaving now."""
    lock = home.path / "mail.lock"
    with exclusive_lock(lock, "mail is being sent") if lock.exists() else nullcontext():
        yield


def remember(home: DataFolder, restored: Path, config: Path, *, made: datetime, at: datetime) -> tuple[str, ...]:
    """Write into the database ``restored`` what was mailed since ``made``, and return the editions that are uncertain.

    ``home`` still has the old database; ``config`` is what it will have as config.toml. Nothing is written where
    nothing has to be. Raises ``StorageError`` of ``restored``.
    """
    known = _mailed(home.database)
    settings = _settings(config)
    if not known and (known is not None or (settings is not None and not settings.mail_to)):
        return ()
    with open_database(restored) as database:
        with database.read() as tx:
            then = {each.edition: each for each in mail_log.newest(tx, LOCAL_USER, REMEMBERED)}
        if known is None:
            known = _perhaps_mailed(then, home, settings, made=made, at=at)
        with database.write(durable=True) as tx:
            for each in known:
                before = then.get(each.edition)
                if before is None or before.state not in _MAILED:
                    mail_log.put(tx, before, each)
    return tuple(each.edition for each in known if each.error == UNKNOWN)


def _mailed(database: Path) -> list[Mailing] | None:
    """List what was mailed, or may have been; None when nobody can tell."""
    if not database.exists():
        return None
    try:
        creation.check_file(database)
        with Database(database) as old, old.read() as tx:
            found = mail_log.newest(tx, LOCAL_USER, REMEMBERED)
    except StorageError:
        return None
    return [each for each in found if each.state in _MAILED]


def _perhaps_mailed(
    then: dict[str, Mailing], home: DataFolder, settings: Settings | None, *, made: datetime, at: datetime
) -> list[Mailing]:
    waited = [
        replace(each, state=MailState.UNCERTAIN, at=at, next_attempt=None, error=UNKNOWN)
        for each in then.values()
        if each.state is MailState.WAITING
    ]
    if settings is None:  # who mends the settings will be asked by them
        return waited
    zone = ZoneInfo(settings.time_zone) if settings.time_zone else None
    today = at.astimezone(zone).date().isoformat()
    if today not in then and _hour_has_come(settings, zone, made=made, at=at):
        waited.append(_todays(today, home, settings, at))
    return waited


def _hour_has_come(settings: Settings, zone: ZoneInfo | None, *, made: datetime, at: datetime) -> bool:
    """Whether today's digest may have been mailed between the two moments."""
    began, now = (moment.astimezone(zone).replace(tzinfo=None) for moment in (made, at))
    hour = datetime.combine(now.date(), time.fromisoformat(settings.digest_at))
    if hour - now > _HALF_A_DAY:
        hour -= timedelta(days=1)
    return began < hour <= now


def _todays(edition: str, home: DataFolder, settings: Settings, at: datetime) -> Mailing:
    from iscore.jobs.mail.message import identity, origin_of

    sender = settings.mail_from or settings.mail_to
    name = identity(settings.mail_to, sender, origin_of(home.path, LOCAL_USER), edition)
    return Mailing(LOCAL_USER, edition, name, settings.mail_to, MailState.UNCERTAIN, 0, at, None, UNKNOWN)


def _settings(config: Path) -> Settings | None:
    """Read the settings; None when they are not in order."""
    try:
        settings = load_settings(config)
        ZoneInfo(settings.time_zone or "UTC")
    except (ConfigError, ValueError, OSError, KeyError):
        return None
    return settings
