"""``iscore restore``: restore a backup; the replaced files are kept beside it.

    FILE ─► unpacked beside the data folder's files ─► checked ─► mail log of the old database added
                                                         └─► put in place, old files kept as *.before-restore-TIME

Every problem of a backup is found before anything in the data folder changes. Everybody is signed out, and open
invitations end: they may have been ended since the backup was made. Settings that run, send or open something
are taken over only if the user agrees, since a backup may come from anybody; others keep their value here. They stay
readable, as comments in config.toml.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from iscore.core.data_folder import DataFolder
from iscore.core.errors import DataFolderError, os_problem
from iscore.core.file_access import exclusive_lock
from iscore.core.settings import HARMLESS, Settings
from iscore.core.settings_text import parted, readable, values_of
from iscore.jobs.maintenance.archive import CONFIG, DATABASE, FEEDS, RULES, Archive, BackupError
from iscore.jobs.maintenance.backup import require_file
from storage.engine.base_database import Transaction
from storage.engine.errors import SCRIPT, NotADatabase, StorageError, UnknownSchema
from storage.opening import creation
from storage.opening.database import open_database
from storage.opening.diagnostics import Inspection, inspect
from storage.opening.file_swap import swap_files
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import deliveries, invitations, sessions, users
from storage.records.deliveries import Mailing, MailState

REMEMBERED = 31
"""Digests whose mail is looked at."""
UNKNOWN = "it may have been sent after the backup was made"
Agree = Callable[[str, object], bool]
"""Asked with the name and value of one setting; says whether to take it over."""

_LEFT_OUT = "# From the backup, but not taken over. Remove the # of what you want:\n"
_KEPT = "# As before the restore:\n"
_MAILED = frozenset({MailState.SENT, MailState.SENT_BY_HAND, MailState.SENDING, MailState.UNCERTAIN})


@dataclass(frozen=True, slots=True)
class RestoredSettings:
    """The new config.toml, and what became of the settings that a restore does not take over by itself."""

    text: str
    switched_on: tuple[str, ...] = ()
    """Names of settings that the user agreed to."""
    left_out: tuple[str, ...] = ()
    """Names of settings that have another value here, or none."""


@dataclass(frozen=True, slots=True)
class RestoreView:
    """What was restored, and where the replaced files are."""

    home: Path
    made: datetime
    """When the backup was made."""
    articles: int
    verdicts: int
    feeds: int
    kept: tuple[Path, ...]
    """The replaced files, under their new names."""
    uncertain: tuple[str, ...] = ()
    """Dates of digests that may have been mailed after the backup was made; they are not mailed automatically."""
    switched_on: tuple[str, ...] = ()
    """Settings that run, send or open something and were taken over, since the user agreed."""
    left_out: tuple[str, ...] = ()
    """Such settings that were not taken over; config.toml has them as comments."""
    settings_problem: str = ""
    """Why no settings were taken over; empty if they were, or if the backup has none."""


def restore(
    folder: DataFolder,
    file: Path,
    *,
    at: datetime,
    agree: Agree = lambda name, value: False,  # noqa: ARG005 -- no to everything
) -> RestoreView:
    """Restore the backup in ``file``; a missing data folder is created.

    ``agree`` is asked about each setting that runs, sends or opens something and has another value here.

    Raises ``BackupError``, ``DataFolderError``, ``DatabaseBusy`` while another process has the database open, other
    ``StorageError``, and ``LockedError`` while mail is being sent. Then nothing has changed.
    """
    require_file(folder, file, "pg_restore --clean --if-exists --single-transaction")
    lock = folder.path / "mail.lock"
    no_mail = exclusive_lock(lock, "mail is being sent") if lock.exists() else nullcontext()
    with Archive(file) as archive, _unpacked(folder, archive) as new, no_mail:
        found = _checked(file, archive, new[DATABASE])
        settings, problem = _settings(new, folder, agree)
        uncertain = _add_mail_log(folder.database, new[DATABASE], at)
        kept = [_put(folder.database, new[DATABASE], at, swap_files)]
        for name, target in ((CONFIG, folder.config), (FEEDS, folder.feeds), (RULES, folder.rules)):
            if name in new and not _same(new[name], target):
                kept.append(_put(target, new[name], at, _swap_texts))
        made = archive.manifest.made
    _sign_everybody_out(folder.database)
    return RestoreView(
        home=folder.path,
        made=made,
        articles=found.rows["articles"],
        verdicts=found.rows["feedback"],
        feeds=found.rows["subscriptions"],
        kept=tuple(path for path in kept if path is not None),
        uncertain=uncertain,
        switched_on=settings.switched_on,
        left_out=settings.left_out,
        settings_problem=problem,
    )


def _sign_everybody_out(file: Path) -> None:
    """End sessions and invitations, which may have been ended since the backup. Migrates an older schema, too."""
    with open_database(file) as database, database.write() as tx:
        sessions.end_everything(tx)
        invitations.remove_all(tx)


def _checked(file: Path, archive: Archive, database: Path) -> Inspection:
    try:
        found = inspect(database)
    except UnknownSchema as error:
        problem = "was made by a newer iScore; update iScore to restore it"
        if error.earlier:
            problem = f"was made by an earlier iScore, with schema {error.revision}; unpack it into a data folder of "
            problem += f"its own and run `python {SCRIPT}` on that"
        raise BackupError(file, problem) from error
    except NotADatabase as error:
        raise BackupError(file, "is not a backup of iScore: its database belongs to another program") from error
    except StorageError as error:
        raise BackupError(file, "is damaged: its database is incomplete") from error
    if (found.revision, found.rows) != (archive.manifest.schema, archive.manifest.rows):
        raise BackupError(file, "is damaged: its database does not match its manifest")
    return found


def _settings(new: dict[str, Path], folder: DataFolder, agree: Agree) -> tuple[RestoredSettings, str]:
    """Replace the unpacked settings by those that are taken over. If there is a problem with them, which is returned,
    they are not restored."""
    if CONFIG not in new:
        return RestoredSettings(""), ""
    try:
        present = folder.config.read_bytes().decode("utf-8", "replace") if folder.config.exists() else ""
        settings = merged(new[CONFIG].read_bytes().decode("utf-8"), present, agree)
    except UnicodeDecodeError:
        del new[CONFIG]
        return RestoredSettings(""), "is not written in UTF-8"
    except ValueError as error:
        del new[CONFIG]
        return RestoredSettings(""), str(error)
    new[CONFIG].write_bytes(settings.text.encode())
    return settings, ""


def _add_mail_log(old: Path, restored: Path, at: datetime) -> tuple[str, ...]:
    """Add to the restored database what was mailed to its users after the backup, so that no digest is mailed twice.

    If the old database cannot be read, digests that were waiting become uncertain; return their dates.
    """
    with open_database(restored) as database:
        with database.read() as tx:
            there = {each.id for each in users.list_users(tx)}
            before = {_place(each): each for each in _newest(tx)}
        mailed = _mailed(old)
        uncertain = [
            replace(each, state=MailState.UNCERTAIN, at=at, next_attempt=None, error=UNKNOWN)
            for each in before.values()
            if mailed is None and each.state is MailState.WAITING
        ]
        changed = [
            each
            for each in mailed or uncertain
            if each.user_id in there and (_place(each) not in before or before[_place(each)].state not in _MAILED)
        ]
        if changed:
            with database.write(durable=True) as tx:
                for each in changed:
                    deliveries.put_mailing(tx, before.get(_place(each)), each)
    return tuple(each.digest for each in uncertain)


def _mailed(path: Path) -> list[Mailing] | None:
    """Return what was, or may have been, mailed; None if the database is missing or cannot be read."""
    if not path.exists():
        return None
    try:
        creation.check_file(path)
        with SqliteDatabase(path) as database, database.read() as tx:
            found = _newest(tx)
    except StorageError:
        return None
    return [each for each in found if each.state in _MAILED]


def _newest(tx: Transaction) -> list[Mailing]:
    """List the mail of the last digests of every user."""
    return [
        each for user_id in deliveries.mailed_users(tx) for each in deliveries.newest_mailings(tx, user_id, REMEMBERED)
    ]


def _place(mailing: Mailing) -> tuple[int, str]:
    return mailing.user_id, mailing.digest


@contextmanager
def _unpacked(folder: DataFolder, archive: Archive) -> Iterator[dict[str, Path]]:
    """Unpack into the data folder, under names that nothing else has."""
    new = {name: folder.path / f".{name}.restored-{os.getpid()}" for name in archive.manifest.files}
    try:
        try:
            folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in new.values():
                path.unlink(missing_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError as error:
            raise DataFolderError(folder.path, f"cannot be written: {os_problem(error)}") from error
        for name, path in new.items():
            archive.unpack(name, path)
            with path.open("rb") as file:
                os.fsync(file.fileno())
        yield new
    finally:
        for path in new.values():
            for suffix in ("", "-wal", "-shm", "-journal"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            for copy in folder.path.glob(f"{path.name}.backup-*"):  # made before a migration; FILE has it, too
                copy.unlink()


def _put(target: Path, new: Path, at: datetime, swap: Callable[[Path, Path, Path], None]) -> Path | None:
    """Put a file in place, and return the new name of the replaced one; None if there was none."""
    if not target.exists():
        swap(target, new, new)
        return None
    kept = _unused(target.with_name(f"{target.name}.before-restore-{at:%Y%m%d-%H%M%S}"))
    swap(target, new, kept)
    return kept


def _unused(wanted: Path) -> Path:
    """Return the name, with a number if it is taken."""
    name, number = wanted, 1
    while name.exists():
        number += 1
        name = wanted.with_name(f"{wanted.name}-{number}")
    return name


def _same(new: Path, target: Path) -> bool:
    return target.exists() and target.read_bytes() == new.read_bytes()


def _swap_texts(target: Path, new: Path, kept: Path) -> None:
    if target.exists():
        target.rename(kept)
    new.rename(target)


def merged(backup: str, present: str, agree: Agree) -> RestoredSettings:
    """Return the settings of a backup, except those that are not harmless, which stay as they are at present.

    A ``present`` that cannot be read counts as empty. Raises ``ValueError`` when ``backup`` is not a plain list of
    settings; its text completes "config.toml …".
    """
    mine, theirs = readable(present), values_of(backup)
    asked = [name for name, value in theirs.items() if name not in HARMLESS and mine.get(name) != value]
    switched_on = {name for name in asked if name in Settings.model_fields and agree(name, theirs[name])}
    left_out = set(asked) - switched_on
    kept = mine.keys() - HARMLESS - switched_on - {name for name in theirs if name not in asked}
    taken, refused = parted(backup, left_out)
    text = taken + _section(_LEFT_OUT, _commented(refused), taken)
    text += _section(_KEPT, parted(present, kept)[1], text)
    if values_of(text) != {name: theirs[name] for name in theirs.keys() - left_out} | {
        name: mine[name] for name in kept
    }:
        raise ValueError("is not a plain list of settings")
    return RestoredSettings(
        text,
        tuple(name for name in asked if name in switched_on),
        tuple(name for name in asked if name in left_out),
    )


def _section(title: str, content: str, before: str) -> str:
    if not content:
        return ""
    return ("" if before.endswith("\n") or not before else "\n") + title + content


def _commented(text: str) -> str:
    return "".join(f"# {line}\n" for line in text.split("\n") if line.strip())
